// Shared memory and atomics: elements of 1 to 16 bytes with conflicts, broadcasts, accesses under
// a condition, tiles; atomics of all kinds on both memories.
//
//     nvcc -O3 -lineinfo updates.cu -o updates && ./updates
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT add_used: 4 16 4 16
// EXPECT_SHARED reverse_block: 4 4
// EXPECT strided k=0..14: 16 16*2**int(k/3) 4 4*2**int(k/3)
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- Shared memory -----------------------------------------------------------------------------
__global__ void reverse_block(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    out[i] = s[THREADS - 1 - t];
}

template <typename T> __global__ void strided(T *out, const T *in, int stride) {
    __shared__ T s[THREADS * 4];
    unsigned t = threadIdx.x, i = index_of_thread();
    for (int k = 0; k < 4; k++)
        s[t + k * THREADS] = in[i];
    __syncthreads();
    out[i] = s[t * stride % (THREADS * 4)];
}

template <typename T> __global__ void one_for_all(T *out, const T *in) {
    __shared__ T s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t / 8 * 3 % THREADS];
}

template <typename T> __global__ void gathered(T *out, const T *in, const int *at) {
    __shared__ T s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    out[i] = s[at[i] % THREADS];
}

__global__ void store_if(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = 0;
    __syncthreads();
    int v = in[i];
    if (v % 3 == 0)
        s[t / 16 + t % 16 * 4] = v;
    __syncthreads();
    out[i] = s[t];
}

__global__ void leaders(int *out, const int *in) {
    __shared__ int s[2];
    unsigned t = threadIdx.x, i = index_of_thread();
    if (t % 32 == 0)
        s[t / 32] = in[i];
    __syncthreads();
    out[i] = s[0] + s[1];
}

__global__ void transpose_padded(float *out, const float *in) {
    __shared__ float tile[8][9];
    unsigned x = threadIdx.x % 8, y = threadIdx.x / 8, b = blockIdx.x * 64;
    tile[y][x] = in[b + threadIdx.x];
    __syncthreads();
    out[b + threadIdx.x] = tile[x][y];
}

__global__ void transpose_plain(double *out, const double *in) {
    __shared__ double tile[8][8];
    unsigned x = threadIdx.x & 7, y = threadIdx.x >> 3, b = blockIdx.x * 64;
    tile[y][x] = in[b + threadIdx.x];
    __syncthreads();
    out[b + threadIdx.x] = tile[x][y];
}

__global__ void window_of_three(int *out, const int *in) {
    __shared__ int s[THREADS + 2];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t + 1] = in[i];
    if (t == 0)
        s[0] = i > 0 ? in[i - 1] : 0;
    if (t == THREADS - 1)
        s[THREADS + 1] = i < N - 1 ? in[i + 1] : 0;
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

__global__ void tree_sum(int *out, const int *in) {
    __shared__ int s[THREADS];
    int t = (int)threadIdx.x;
    s[t] = in[index_of_thread()];
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void scan_block(int *out, const int *in) {
    __shared__ int s[2][THREADS];
    int t = (int)threadIdx.x, i = (int)index_of_thread();
    int from = 0;
    s[0][t] = in[i];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int v = s[from][t];
        if (t >= step)
            v += s[from][t - step];
        from = 1 - from;
        s[from][t] = v;
        __syncthreads();
    }
    out[i] = s[from][t];
}

__global__ void bitonic(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    for (unsigned k = 2; k <= THREADS; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = t ^ j;
            if (other > t) {
                int a = s[t], b = s[other];
                if ((t & k) == 0 ? a > b : a < b) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            __syncthreads();
        }
    }
    out[i] = s[t];
}

struct cell {
    float value;
    short row, column;
};

__global__ void struct_in_shared(float *out, const float *in) {
    __shared__ struct cell s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    struct cell c = {in[i], (short)t, (short)(t + 1)};
    s[t] = c;
    __syncthreads();
    struct cell o = s[(t + 5) % THREADS];
    out[i] = o.value * o.row + o.column;
}

__global__ void dynamic_parts(float *out, const float *in, int n) {
    extern __shared__ char memory[];
    float *a = (float *)memory;
    double *b = (double *)(a + n);
    unsigned t = threadIdx.x, i = index_of_thread();
    a[t] = in[i];
    b[t] = in[i] * 2;
    __syncthreads();
    out[i] = a[(t * 2) % n] + (float)b[(t + 1) % n];
}

// ---- Atomics -----------------------------------------------------------------------------------
__global__ void add_used(int *out, int *counter, const int *in) {
    unsigned i = index_of_thread();
    int old = atomicAdd(&counter[i], in[i]);
    out[i] = old;
}

__global__ void add_unused(int *counter, const int *in) {
    unsigned i = index_of_thread();
    atomicAdd(&counter[in[i] % 8], 1);
}

__global__ void minimum_and_maximum(int *result, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i];
    atomicMin(&result[0], v);
    atomicMax(&result[1], v);
    atomicOr(&result[2], v);
    atomicXor(&result[3], v);
}

__global__ void add_double(double *sum, const double *in) {
    unsigned i = index_of_thread();
    atomicAdd(&sum[i % 4], in[i]);
}

__device__ double add_by_cas(double *where, double value) {
    unsigned long long *at = (unsigned long long *)where, old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, __double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}

__global__ void cas_loop(double *sum, const double *in) {
    unsigned i = index_of_thread();
    add_by_cas(&sum[i], in[i]);
}

__global__ void histogram_shared(unsigned *bins, const unsigned char *in, int n) {
    __shared__ unsigned s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = index_of_thread(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i] % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void append_if(int *list, int *length, const int *in) {
    unsigned i = index_of_thread();
    if (in[i] > 30)
        list[atomicAdd(length, 1) * 0 + i] = in[i];
}

__global__ void exchange_used(int *out, int *where, const int *in) {
    unsigned i = index_of_thread();
    out[i] = atomicExch(&where[i], in[i]) + atomicCAS(&where[N + i], -1, in[i]);
}

#define RUN_SHARED(kernel, dynamic, out, ...)                                                      \
    do {                                                                                           \
        kernel<<<BLOCKS, THREADS, dynamic>>>(__VA_ARGS__);                                         \
        digest(out, 16 * N);                                                                       \
    } while (0)
#define RUN(kernel, out, ...) RUN_SHARED(kernel, 0, out, __VA_ARGS__)

template <typename T> static void widths(const int *at) {
    T *in = filled<T>(N);
    T *out = (T *)output<char>(16 * N);
    RUN(strided<T>, out, out, in, 1);
    RUN(strided<T>, out, out, in, 2);
    RUN(strided<T>, out, out, in, 3);
    RUN(one_for_all<T>, out, out, in);
    RUN(gathered<T>, out, out, in, at);
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

int main() {
    begin();
    int *in = input<int>(N);
    float *f = input<float>(N);
    double *d = input<double>(N), *sum = input<double>(2 * N);
    char *out = output<char>(16 * N);
    widths<unsigned char>(in);
    widths<short>(in);
    widths<float>(in);
    widths<double>(in);
    widths<int4>(in);

    RUN(reverse_block, out, (int *)out, in);
    RUN(store_if, out, (int *)out, in);
    RUN(leaders, out, (int *)out, in);
    RUN(transpose_padded, out, (float *)out, f);
    RUN(transpose_plain, out, (double *)out, d);
    RUN(window_of_three, out, (int *)out, in);
    RUN(tree_sum, out, (int *)out, in);
    RUN(scan_block, out, (int *)out, in);
    RUN(bitonic, out, (int *)out, in);
    RUN(struct_in_shared, out, (float *)out, f);
    RUN_SHARED(dynamic_parts, 12 * THREADS, out, (float *)out, f, THREADS);

    int *counter = (int *)sum;
    RUN(add_used, out, (int *)out, counter, in);
    RUN(add_unused, counter, counter, in);
    RUN(minimum_and_maximum, counter, counter, in);
    CUDA_CHECK(cudaMemset(sum, 0, 16 * N));
    RUN(add_double, sum, sum, d);
    CUDA_CHECK(cudaMemset(sum, 0, 16 * N));
    RUN(cas_loop, sum, sum, d);
    RUN(histogram_shared, counter, (unsigned *)counter, (unsigned char *)in, 4 * N - 3);
    RUN(append_if, out, (int *)out, counter, in);
    RUN(exchange_used, out, (int *)out, counter, in);
    check_digest(0x3248a2beu);
    return end();
}
