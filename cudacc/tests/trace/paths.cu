// Ways through a kernel: early return, continue and break, loops with a bound of their own for each
// lane, chains of conditions, switches, choices, calls of every kind; and what a compiler does to
// loads: repeated ones, hoisted ones, unused ones, tables it knows.
//
//     nvcc -O3 -lineinfo paths.cu -o paths && ./paths
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT early_return: 4 16 4 16
// EXPECT choice: 8 32 4 16
// EXPECT same_in_each_arm: 12 48 4 16
// EXPECT both_hold: 8 35 8 32
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- Control flow ------------------------------------------------------------------------------
__global__ void early_return(int *out, const int *in, int n) {
    int i = (int)index_of_thread();
    if (i >= n)
        return;
    int v = in[i];
    if (v == 1000)
        return;
    out[i] = v * 3;
}

__global__ void skip_odd(int *out, const int *in, int n) {
    unsigned i = index_of_thread();
    int sum = 0;
    for (int k = 0; k < n; k++) {
        if (in[k] & 1)
            continue;
        sum += in[(i + k) % N];
    }
    out[i] = sum;
}

__global__ void first_above(int *out, const int *in, int limit) {
    unsigned i = index_of_thread();
    int found = -1;
    for (int k = 0; k < 8; k++) {
        if (in[i + k * N] > limit) {
            found = k;
            break;
        }
    }
    out[i] = found;
}

__global__ void search_and_return(int *out, const int *in, int limit, int n) {
    unsigned i = index_of_thread();
    for (int k = 0; k < n; k++) {
        if (in[i + k * N] > limit) {
            out[i] = k;
            return;
        }
    }
    out[i] = -1;
}

__global__ void own_bound(int *out, const int *in) {
    unsigned i = index_of_thread();
    int sum = 0;
    for (unsigned k = 0; k < i % 5; k++)
        sum += in[i + k * N];
    out[i] = sum;
}

__global__ void own_bound_rolled(int *out, const int *in) {
    unsigned i = index_of_thread();
    int sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k <= i % 7; k++)
        sum += in[i + k * N];
    out[i] = sum;
}

__global__ void triangle(int *out, const int *in, int n) {
    unsigned i = index_of_thread();
    for (int r = 0; r < n; r++) {
#pragma unroll 1
        for (int c = 0; c < r; c++)
            out[i] = in[r * 4 + c] + i;
    }
}

__global__ void unrolled_by_two(int *out, const int *in, int n) {
    unsigned i = index_of_thread();
    int sum = 0;
#pragma unroll 2
    for (int k = 0; k < n; k++)
        sum += in[i + k * N];
    out[i] = sum;
}

__global__ void same_in_each_arm(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v;
    if (i % 4 == 0)
        v = in[i] + 1;
    else if (i % 4 == 1)
        v = in[i] * 2;
    else
        v = in[i] - 3;
    out[i] = v;
}

__global__ void other_in_each_arm(int *out, const int *in) {
    unsigned i = index_of_thread();
    if (i % 4 == 0)
        out[i] = in[i];
    else if (i % 4 == 1)
        out[i + N] = in[i + N];
    else
        out[i + 2 * N] = in[i + 2 * N];
}

__global__ void choice(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    out[i] = i & 1 ? a[i] : b[i];
}

__global__ void choice_of_value(int *out, const int *a) {
    unsigned i = index_of_thread();
    out[i] = i & 4 ? a[i] : 17;
}

__global__ void both_hold(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    if (a[i] > 20 && b[i + 3] > 20)
        out[i] = 1;
    else
        out[i] = 0;
}

__global__ void one_holds(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    out[i] = a[i] > 20 || b[i + 3] > 20;
}

__global__ void guarded_pointer(int *out, const int *a, int n) {
    int i = (int)index_of_thread();
    if (i + 5 < n && a[i + 5] > a[i])
        out[i] = a[i + 5];
}

__global__ void fall_through(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = 0;
    switch (i % 4) {
    case 0:
        v += in[i];
        [[fallthrough]];
    case 1:
        v += in[i + N];
        [[fallthrough]];
    case 2:
        v += in[i + 2 * N];
        break;
    default:
        v = 1;
    }
    out[i] = v;
}

__global__ void switch_of_stores(int *out, const int *in) {
    unsigned i = index_of_thread();
    switch (in[i] % 3) {
    case 0:
        out[i] = 10;
        break;
    case 1:
        out[i + N] = 20;
        break;
    default:
        out[i + 2 * N] = 30;
    }
}

__global__ void while_even(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i], steps = 0;
    while (v % 2 == 0 && steps < 6) {
        v = in[(i + v) % N];
        steps++;
    }
    out[i] = steps;
}

__global__ void do_until(int *out, const int *next) {
    unsigned i = index_of_thread();
    int at = i, hops = 0;
    do {
        at = next[at] * 2;
        hops++;
    } while (at > 20 && hops < 5);
    out[i] = hops;
}

// ---- Calls -------------------------------------------------------------------------------------
__device__ static int load_sum(const int *in, unsigned i) { return in[i] + in[i + 1]; }

__global__ void inlined_twice(int *out, const int *in) {
    unsigned i = index_of_thread();
    if (i % 2)
        out[i] = load_sum(in, i);
    else
        out[i] = load_sum(in, i + 64) * 2;
}

__noinline__ __device__ int load_apart(const int *in, unsigned i) { return in[i] * 3; }

__global__ void not_inlined(int *out, const int *in) {
    unsigned i = index_of_thread();
    out[i] = load_apart(in, i) + load_apart(in, i + N);
}

__device__ static int plus(int a, int b) { return a + b; }
__device__ static int times(int a, int b) { return a * b; }

__global__ void by_pointer(int *out, const int *in, int which) {
    unsigned i = index_of_thread();
    int (*f)(int, int) = which ? plus : times;
    out[i] = f(in[i], in[i + N]);
}

__device__ int sum_recursive(const int *in, unsigned i, int depth) {
    return depth == 0 ? in[i]
                      : sum_recursive(in, i, depth - 1) + sum_recursive(in, i + N, depth - 1);
}

__global__ void recursive(int *out, const int *in, int depth) {
    unsigned i = index_of_thread();
    out[i] = sum_recursive(in, i, depth);
}

template <typename F> __device__ static int apply(F f, const int *in, unsigned i) {
    return f(in[i]);
}

__global__ void by_lambda(int *out, const int *in, int factor) {
    unsigned i = index_of_thread();
    auto scaled = [=](int v) { return v * factor + in[i + N]; };
    out[i] = apply(scaled, in, i) + scaled(1);
}

template <int WIDTH> __global__ void by_width(int *out, const int *in) {
    unsigned i = index_of_thread();
    int sum = 0;
    for (int k = 0; k < WIDTH; k++)
        sum += in[i * WIDTH + k];
    out[i] = sum;
}

// ---- Tables ------------------------------------------------------------------------------------
__constant__ int constant_table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int device_table[8] = {8, 7, 6, 5, 4, 3, 2, 1};
static __device__ const int known_table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
namespace weights {
__device__ const float row[5] = {1, 4, 6, 4, 1};
}
struct tables {
    static constexpr int size = 4;
};

__global__ void from_constant(int *out, const int *in) {
    unsigned i = index_of_thread();
    out[i] = constant_table[in[i] % 8];
}

__global__ void from_device(int *out, const int *in) {
    unsigned i = index_of_thread();
    out[i] = device_table[in[i] % 8];
}

__global__ void from_known(int *out, const int *in) {
    unsigned i = index_of_thread();
    out[i] = known_table[in[i] % 8] + known_table[3];
}

__global__ void weighted(float *out, const float *in) {
    unsigned i = index_of_thread();
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += weights::row[k] * in[i + k];
    out[i] = sum;
}

__global__ void local_table(int *out, const int *in) {
    const int powers[tables::size] = {1, 10, 100, 1000};
    unsigned i = index_of_thread();
    out[i] = in[i] * powers[i % 4];
}

// ---- Loads -------------------------------------------------------------------------------------
__global__ void unused_load(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i];
    (void)in[i + N];
    out[i] = v;
}

__global__ void used_in_one_arm(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i + N];
    out[i] = i % 8 == 3 ? v : (int)i;
}

__global__ void repeated(int *out, const int *in) {
    unsigned i = index_of_thread();
    out[i] = in[i] * in[i] + in[i];
}

__global__ void repeated_after_store(int *out, const int *in) {
    unsigned i = index_of_thread();
    out[i] = in[i];
    out[i + N] = in[i];
}

__global__ void repeated_restrict(int *__restrict__ out, const int *__restrict__ in) {
    unsigned i = index_of_thread();
    out[i] = in[i];
    out[i + N] = in[i];
}

__global__ void in_place(int *data) {
    unsigned i = index_of_thread();
    data[i] += 1;
    data[i] *= 2;
    data[i + N] = data[i];
}

__global__ void scale_by_first(float *out, const float *in, const float *factor, int n) {
    unsigned i = index_of_thread();
    for (int k = 0; k < n; k++)
        out[i + k * N] = in[i + k * N] * factor[0];
}

__global__ void sum_into_memory(int *out, const int *in, int n) {
    unsigned i = index_of_thread();
    out[i] = 0;
    for (int k = 0; k < n; k++)
        out[i] += in[i + k * N];
}

__global__ void volatile_twice(int *out, volatile int *in) {
    unsigned i = index_of_thread();
    out[i] = in[i] + in[i];
}

__global__ void hinted(float *out, const float *in) {
    unsigned i = index_of_thread();
    __stcs(&out[i], __ldg(&in[i]) + __ldcs(&in[i + N]));
}

__global__ void local_array(int *out, const int *in, int shift) {
    unsigned i = index_of_thread();
    int v[8];
    for (int k = 0; k < 8; k++)
        v[k] = in[i + k * N];
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += v[(k + shift) & 7] * k;
    out[i] = sum;
}

__global__ void shuffled(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = v;
}

#define RUN(kernel, out, ...)                                                                      \
    do {                                                                                           \
        kernel<<<BLOCKS, THREADS>>>(__VA_ARGS__);                                                  \
        digest(out, 16 * N);                                                                       \
    } while (0)

int main() {
    begin();
    int *in = input<int>(8 * N), *in2 = input<int>(8 * N), *out = output<int>(4 * N);
    float *f = input<float>(8 * N), *f_out = output<float>(4 * N);
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));

    RUN(early_return, out, out, in, N - 5);
    RUN(skip_odd, out, out, in, 9);
    RUN(first_above, out, out, in, 40);
    RUN(search_and_return, out, out, in, 40, 8);
    RUN(own_bound, out, out, in);
    RUN(own_bound_rolled, out, out, in);
    RUN(triangle, out, out, in, 5);
    RUN(unrolled_by_two, out, out, in, 7);
    RUN(same_in_each_arm, out, out, in);
    RUN(other_in_each_arm, out, out, in);
    RUN(choice, out, out, in, in2);
    RUN(choice_of_value, out, out, in);
    RUN(both_hold, out, out, in, in2);
    RUN(one_holds, out, out, in, in2);
    RUN(guarded_pointer, out, out, in, N);
    RUN(fall_through, out, out, in);
    RUN(switch_of_stores, out, out, in);
    RUN(while_even, out, out, in);
    RUN(do_until, out, out, in);
    RUN(inlined_twice, out, out, in);
    RUN(not_inlined, out, out, in);
    RUN(by_pointer, out, out, in, 1);
    RUN(recursive, out, out, in, 2);
    RUN(by_lambda, out, out, in, 3);
    RUN(by_width<3>, out, out, in);
    RUN(by_width<4>, out, out, in);
    RUN(from_constant, out, out, in);
    RUN(from_device, out, out, in);
    RUN(from_known, out, out, in);
    RUN(weighted, f_out, f_out, f);
    RUN(local_table, out, out, in);
    RUN(unused_load, out, out, in);
    RUN(used_in_one_arm, out, out, in);
    RUN(repeated, out, out, in);
    RUN(repeated_after_store, out, out, in);
    RUN(repeated_restrict, out, out, in);
    RUN(in_place, in2, in2);
    RUN(scale_by_first, f_out, f_out, f, f + 5, 4);
    RUN(sum_into_memory, out, out, in, 6);
    RUN(volatile_twice, out, out, in);
    RUN(hinted, f_out, f_out, f);
    RUN(local_array, out, out, in, 3);
    RUN(shuffled, out, out, in);
    check_digest(0xc87f22f4u);
    return end();
}
