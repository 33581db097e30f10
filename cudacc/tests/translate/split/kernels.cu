/*
 * kernels.cu: kernels with barriers, launched by name and by a pointer: the same bits must come, as
 * on stacks. The comment before each says whether cudacc may split it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <utility>

constexpr int ROUNDS = 3;
enum { DEPTH = 4 };
__constant__ int turns = 2;
__device__ int changing = 2;

struct shape {
    int width, height;
};
__device__ static int twice(int x) { return 2 * x + (int)threadIdx.x; }
__device__ static void add_to(int &x, int y) { x += y; }
__device__ static int shares(int x) {
    __shared__ int one;
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
        one = x;
    __syncthreads();
    return one;
}
__device__ static int linear() {
    return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

// split
__global__ void leaves_early(int *out, const int *in, int n) {
    extern __shared__ int s[];
    int t = linear();
    if (t >= n)
        return;
    s[t] = in[t];
    __syncthreads();
    for (int i = 0; i < 9; i++) {
        if (in[t] == i)
            return;
        __syncthreads();
        out[t] += s[(t + i) % n] + i;
        __syncthreads();
        if (n % 7 + i > 7)
            break;
        __syncthreads();
        if (i == 1) {
            continue;
        }
        out[t]++;
    }
    out[t]++;
}
// split
__global__ void arrays_and_vectors(int *out, const int *in, int n) {
    __shared__ int s[1024], *unused;
    int t = linear(), sums[4] = {1, n}, plain[2];
    float4 v = make_float4(t, n, 1.5f, 0);
    const float f = 0.1f * t;
    plain[0] = t;
    s[t] = in[t];
    __syncthreads();
    for (int i = 0; i < ROUNDS; i++) {
        sums[i] += s[(t + i) & 63];
        v.x += sums[0] * f;
        __syncthreads();
    }
    plain[1] = plain[0] * 3;
    __syncthreads();
    out[t] = sums[0] + sums[3] + (int)v.x + plain[1] + (int)sizeof unused;
}
// not split: a constant that the host may change is none to C++
__global__ void nested_loops(int *out, const int *in, int n) {
    __shared__ int s[2][1024];
    int t = linear(), from = 0, sum = 0;
    s[0][t] = in[t];
    __syncthreads();
    for (int i = 0; i < 3; i++)
        for (int k = i; k < turns + 1; ++k) {
            s[1 - from][t] = s[from][t] + s[from][t & 31];
            from = 1 - from;
            __syncthreads();
            for (int j = 0; j < 4; j++) {
                if (j == t % 4)
                    continue;
                if (j > 2)
                    break;
                sum += j;
            }
        }
    out[t] = s[from][t] + sum + n;
}
// split
__global__ void uniform_conditions(int *out, const int *in, int n) {
    __shared__ int s[1024];
    int t = linear(), k = 0;
    unsigned count = 2;
    s[t] = in[t];
    if (blockDim.x >= 32) {
        __syncthreads();
        out[t] = s[t ^ 1];
    } else if (n > 5) {
        out[t] = 9;
        __syncthreads();
    } else
        out[t] = 8;
    do {
        __syncthreads();
        out[t] += s[(t * 3) & 31];
        __syncthreads();
        s[t] += k;
        k++;
    } while (k < DEPTH);
    while (count-- > 0) { // no barrier in it: each thread has its own
        out[t]++;
    }
    if (blockIdx.x == 0)
        __syncthreads();
}
// split
__global__ void blelloch(int *out, const int *in, int n) {
    extern __shared__ int s[];
    int t = linear(), offset = 1, size = n > 3 ? 64 : 32;
    for (int i = t; i < 2 * size; i += blockDim.x * blockDim.y * blockDim.z)
        s[i] = in[i];
    for (int d = size; d > 0; d >>= 1) {
        __syncthreads();
        for (int k = t; k < d; k += blockDim.x * blockDim.y * blockDim.z)
            s[offset * (2 * k + 2) - 1] += s[offset * (2 * k + 1) - 1];
        offset *= 2;
    }
    __syncthreads();
    out[t] = s[2 * size - 1] + offset;
}
// split
__global__ void pointers_that_swap(int *out, const int *in, int n) {
    __shared__ int s[2048];
    int *from = s, *to = s + 1024, t = linear(), *kept = &s[t];
    from[t] = in[t] + n;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        to[t] = t >= d ? from[t] + from[t - d] : from[t];
        int *other = from;
        from = to;
        to = other;
        __syncthreads();
    }
    out[t] = from[t] + *kept;
}
// split
__global__ void changed_parameters_and_addresses(int *out, const int *in, int n) {
    __shared__ int s[1024];
    int x = in[linear()], *p = &x, y = 3;
    out += linear();
    in += 3;
    n ^= linear();
    s[linear()] = x + in[0];
    __syncthreads();
    *p += s[0];
    add_to(n, 5);
    add_to(y, n);
    *out = n + s[1] + twice(n);
    __syncthreads();
    *out += n + x + *p + y;
}
// split
__global__ void hidden_names(int *out, const int *in, int n) {
    __shared__ int s[1024];
    int t = linear(), x = in[t];
    s[t] = x;
    __syncthreads();
    {
        int x = s[0] + t, n = 7;
        __syncthreads();
        s[t] = x * n;
        for (int t = 0; t < 3; t++)
            x += t;
        __syncthreads();
        out[t] = x;
    }
    out[t] += x + n;
}
// split
template <typename T, int N> __global__ void of_types(int *out, const int *in, int n) {
    __shared__ T s[1024];
    T x = (T)in[linear()] / 3, sum = 0;
    s[linear()] = x;
    __syncthreads();
    for (int i = 0; i < N; i++) {
        sum += s[i] * x;
        __syncthreads();
    }
    out[linear()] = (int)(sum * 1000) + n;
}
namespace inner {
// split
static __global__ void __launch_bounds__(1024) in_a_namespace(int *out, const int *in, int n = 4) {
    __shared__ __align__(16) int s[1024];
    s[linear()] = in[n];
    __syncthreads();
    out[linear()] = s[0];
}
} // namespace inner
// split
extern "C" __global__ void of_c(int *out, const int *in, int n) {
    __shared__ int s[1024];
    using number = int;
    constexpr int times = 2;
    int sum = (number)n;
    s[linear()] = in[linear()];
    __syncthreads();
    for (int i = 0; i < times; i++) {
        sum += s[i];
        __syncthreads();
    }
    out[linear()] = sum;
}

// split: no barrier, and no address that may be misaligned
__global__ void in_one_part(int *out, const int *in, int n) {
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (t >= n)
        return;
    int sum = 0;
    for (int k = 0; k <= t % 7; k++)
        sum += in[(t + k) % n];
    atomicAdd(&out[sum % n], t);
}

// A barrier in a loop, up to a limit that statements find.
#define LOOP(name, limit, ...)                                                                     \
    __global__ void name(int *out, const int *in, int n) {                                         \
        __VA_ARGS__                                                                                \
        for (int i = 0; i < limit; i++) {                                                          \
            out[linear()] += in[i] + n;                                                            \
            __syncthreads();                                                                       \
        }                                                                                          \
    }
// not split: the threads may differ
LOOP(own_condition, in[0] % 2 + 1, )
// not split: likewise
LOOP(from_memory, changing, )
// not split: a variable that a thread's own branch changes
LOOP(changed_in_a_branch, k, int k = 2; if (linear() >= 0) k = 3;)
// not split: by a reference
LOOP(changed_by_reference, k, int k = 2; add_to(k, in[3] & 1);)
// not split: std::swap takes references
LOOP(swapped, k, int k = 2, l = 3; std::swap(k, l);)
// not split: a jump of some threads
__global__ void may_leave_a_loop(int *out, const int *in, int n) {
    for (int i = 0; i < 9; i++) {
        out[linear()] += in[i] + n;
        __syncthreads();
        if (in[linear() & 1] + i > 3)
            break;
        __syncthreads();
    }
}
// split
__global__ void parts_of_warps(int *out, const int *in, int n) {
    int t = linear(), v = in[t];
    unsigned mask = __ballot_sync(0xffffffff, v % 3 == n % 3);
    if (v % 3 == n % 3) {
        int first = __ffs((int)mask) - 1;
        v += __shfl_sync(mask, v + t, first) + __reduce_add_sync(mask, v);
        __syncwarp(mask);
        v -= (int)__match_any_sync(mask, v & 1);
    }
    if (t == 40)
        return;
    if (t < 8)
        v += __shfl_down_sync(0xff, v, 4);
    out[t] = v + __shfl_xor_sync(0xffffffff, v, 5) + __reduce_min_sync(~0u, -v);
}
// split: as on a GPU, lanes that have returned are not waited for
__global__ void half_a_warp(int *out, const int *in, int n) {
    int v = in[linear()] + n;
    if (linear() % 32 < 16) {
        v += __shfl_down_sync(0xffffffff, v, 8);
        out[linear()] = v + __shfl_down_sync(0xffffffff, v, 4);
    }
}
// not split: the two may meet
__global__ void in_both_arms(int *out, const int *in, int n) {
    int v = in[linear()];
    if (linear() % 32 < 9)
        v += __shfl_xor_sync(0xffffffff, v, 1);
    else
        v -= __shfl_xor_sync(0xffffffff, v, 1);
    out[linear()] = v + n;
}
// not split: in the condition of a loop
__global__ void while_any(int *out, const int *in, int n) {
    int v = in[linear()];
    while (__any_sync(0xffffffff, v > 3))
        v -= 2;
    out[linear()] = v + n;
}
// not split: its function waits, which is seen in no part of the kernel, and has shared variables
__global__ void calls_what_shares(int *out, const int *in, int n) {
    out[linear()] = n;
    __syncthreads();
    out[linear()] += shares(in[linear()]);
}
// not split: threads may wait for each other
__global__ void locks(int *out, const int *in, int n) {
    __shared__ int lock;
    lock = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    out[0] += in[linear()] + n;
    atomicExch(&lock, 0);
}
// not split: a switch
__global__ void in_a_switch(int *out, const int *in, int n) {
    switch (n & 1) {
    case 0:
        out[linear()] = in[n];
        __syncthreads();
        break;
    default:
        out[linear()] = 5;
    }
}
// not split: of a class, whose copies may do anything
__global__ void of_a_class(int *out, const int *in, int n) {
    auto s = shape{n, 2};
    s.width += linear();
    __syncthreads();
    out[linear()] = s.width * s.height + in[0];
}
// split
__global__ void strided(int *out, const int *in, int n) {
    __shared__ int s[64];
    int t = linear(), threads = gridDim.x * blockDim.x * blockDim.y * blockDim.z;
    unsigned k = t;
    if (t >= 900)
        return;
    for (int i = t; i < 64; i += threads)
        s[i] = i;
    __syncthreads();
    for (int i = t; i < 3 * 1024 - n; i += threads) {
        int n = in[i];
        atomicAdd(&s[n & 63], i);
        out[i] += n > 7 ? in[i + 1] : t;
    }
    for (const int *p = in + t; p < in + 5 * (t & 31); p += threads)
        atomicXor(&s[40], *p << (t & 3));
    while (k < 8u * n) {
        out[k] ^= 5;
        k += threads;
        atomicSub(&s[41], k);
    }
    if (t < 32) {
        for (k = t; k < 400; k += 32 * gridDim.x)
            atomicAdd(&s[42 + k % 16], n);
        __syncwarp();
    }
    __syncthreads();
    out[t] += s[t & 63] + (int)k;
}

enum { MOST = 3 * 1024 };
static int *out, in_order[MOST], *in;

template <class Kernel> static void run(const char *name, Kernel launch) {
    const dim3 blocks[] = {1, 31, 32, 33, 1000, 256, dim3(8, 8), dim3(5, 3, 2), dim3(1, 64)};
    for (const dim3 &block : blocks) {
        for (int n = 4; n < 200; n += 93) {
            unsigned long long hash = 0;
            memset(out, 0, MOST * sizeof *out);
            launch(true, block, n);
            launch(true, block, n - 1);
            cudaDeviceSynchronize();
            memcpy(in_order, out, sizeof in_order);
            memset(out, 0, MOST * sizeof *out);
            launch(false, block, n);
            launch(false, block, n - 1);
            cudaError_t error = cudaDeviceSynchronize();
            for (int i = 0; i < MOST; i++)
                hash = (hash ^ (unsigned)out[i]) * 1099511628211u;
            printf("%s, %u x %u x %u threads, n = %d: %s, %016llx%s\n", name, block.x, block.y,
                   block.z, n, cudaGetErrorName(error), hash,
                   memcmp(in_order, out, sizeof in_order) ? " by a pointer, not by name" : "");
        }
    }
}
#define RUN(...)                                                                                   \
    run(#__VA_ARGS__, [](bool by_name, dim3 block, int n) {                                        \
        void (*pointer)(int *, const int *, int) = __VA_ARGS__;                                    \
        if (by_name)                                                                               \
            __VA_ARGS__<<<1, block, 4096>>>(out, in, n);                                           \
        else                                                                                       \
            pointer<<<1, block, 4096>>>(out, in, n);                                               \
    })

int main() {
    cudaMallocManaged(&out, MOST * sizeof *out);
    cudaMallocManaged(&in, MOST * sizeof *in);
    for (int i = 0; i < MOST; i++)
        in[i] = (int)(i * 2654435761u >> 27);
    RUN(leaves_early), RUN(arrays_and_vectors), RUN(nested_loops), RUN(uniform_conditions),
        RUN(blelloch), RUN(pointers_that_swap), RUN(changed_parameters_and_addresses),
        RUN(hidden_names), RUN(of_types<int, 3>), RUN(of_types<float, 5>),
        RUN(inner::in_a_namespace), RUN(of_c), RUN(in_one_part), RUN(own_condition),
        RUN(from_memory), RUN(changed_in_a_branch), RUN(changed_by_reference), RUN(swapped),
        RUN(may_leave_a_loop), RUN(parts_of_warps), RUN(half_a_warp), RUN(in_both_arms),
        RUN(while_any), RUN(calls_what_shares), RUN(locks), RUN(in_a_switch), RUN(of_a_class),
        RUN(strided);
}
