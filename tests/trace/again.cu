// Loads of what was loaded before: a store to another memory, a shuffle or a vote lies between, and
// nvcc keeps the value; or a barrier does, or chance made the addresses equal, and it loads again.
//
//     nvcc -O3 -lineinfo again.cu -o again && ./again
//
// 2 blocks of 64 threads, 4 warps. The counts are those of nvcc's machine code.
// EXPECT store_to_shared: 4 16 4 16
// EXPECT_SHARED store_to_shared: 4 16
// EXPECT store_to_dynamic: 4 16 4 16
// EXPECT_SHARED store_in_loop: 4 4
// EXPECT atomic_on_shared: 4 16 4 16
// EXPECT_SHARED atomic_on_global: 4 4
// EXPECT through_pointer: 8 20 4 16
// EXPECT in_branch: 4 16 4 16
// EXPECT shuffled: 4 16 4 16
// EXPECT voted: 4 16 4 16
// EXPECT shuffled_in_loop: 4 16 4 16
// EXPECT after_barrier: 8 32 4 16
// EXPECT after_syncwarp: 8 32 4 16
// EXPECT after_fence: 8 32 4 16
// EXPECT after_atomic: 8 32 4 16
// EXPECT equal_by_chance: 32 32 4 16
// EXPECT sliding: 32 156 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64, ROUNDS = 4 };
static const unsigned ALL = 0xffffffff;

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- Kept --------------------------------------------------------------------------------------
__global__ void store_to_shared(int *out, const int *in) {
    __shared__ int s[THREADS * ROUNDS];
    unsigned t = threadIdx.x, i = index_of_thread();
    for (int k = 0; k < ROUNDS; k++)
        s[t + k * THREADS] = in[i];
    __syncthreads();
    out[i] = s[THREADS * ROUNDS - 1 - t];
}

__global__ void store_to_dynamic(int *out, const int *in, int rounds) {
    extern __shared__ int s[];
    unsigned t = threadIdx.x, i = index_of_thread();
    for (int k = 0; k < rounds; k++)
        s[t + k * THREADS] = in[i] + k;
    __syncthreads();
    out[i] = s[THREADS * rounds - 1 - t];
}

__global__ void store_in_loop(int *out, const int *in, int rounds) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    for (int k = 0; k < rounds; k++)
        out[i + k * N] = s[THREADS - 1 - t] * k;
}

__global__ void atomic_on_shared(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = 0;
    __syncthreads();
    atomicAdd(&s[in[i] % THREADS], 1);
    atomicAdd(&s[in[i] / 2], 1);
    __syncthreads();
    out[i] = s[t];
}

__global__ void atomic_on_global(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    atomicAdd(&out[s[THREADS - 1 - t]], 1);
    atomicAdd(&out[s[THREADS - 1 - t] + 64], 1);
}

struct vector {
    const int *data;
};

__global__ void through_pointer(int *out, const struct vector *v) {
    __shared__ int s[2 * THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = v->data[i];
    s[t + THREADS] = v->data[i];
    __syncthreads();
    out[i] = s[2 * THREADS - 1 - t];
}

__global__ void in_branch(int *out, const int *in) {
    __shared__ int s[2 * THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    if (t % 3 == 0)
        s[t + THREADS] = in[i] * 3;
    __syncthreads();
    out[i] = s[THREADS - 1 - t] + s[t / 3 * 3 + THREADS];
}

__global__ void shuffled(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = __shfl_xor_sync(ALL, in[i], 1);
    out[i] = v + in[i];
}

__global__ void voted(int *out, const int *in) {
    unsigned i = index_of_thread();
    if (__any_sync(ALL, in[i] > 58))
        out[i] = in[i] + 1;
    else
        out[i] = in[i];
}

__global__ void shuffled_in_loop(int *out, const int *in) {
    unsigned i = index_of_thread();
    int sum = 0;
    for (int distance = 1; distance < 32; distance *= 2)
        sum += __shfl_down_sync(ALL, in[i], distance);
    out[i] = sum;
}

// ---- Loaded again ------------------------------------------------------------------------------
__global__ void after_barrier(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    out[i] = s[THREADS - 1 - t] + in[i];
}

__global__ void after_syncwarp(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncwarp();
    out[i] = s[t ^ 1] + in[i];
}

__global__ void after_fence(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i];
    __threadfence();
    out[i] = v + in[i];
}

__global__ void after_atomic(int *out, int *sum, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i];
    atomicAdd(&sum[i], v);
    out[i] = v + in[i];
}

// In the second block each round finds the same index.
__global__ void equal_by_chance(int *out, const int *in, const int *at) {
    __shared__ int s[ROUNDS * THREADS];
    unsigned t = threadIdx.x;
    for (int k = 0; k < ROUNDS; k++)
        s[t + k * THREADS] = in[at[blockIdx.x * ROUNDS + k]];
    __syncthreads();
    out[index_of_thread()] = s[ROUNDS * THREADS - 1 - t];
}

// What one place loads the other has loaded in the round before.
__global__ void sliding(int *out, const int *in, int rounds) {
    __shared__ int s[ROUNDS * THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
#pragma unroll 1
    for (int k = 0; k < rounds; k++)
        s[t + k * THREADS] = in[i + k] + in[i + k + 1] * 2;
    __syncthreads();
    out[i] = s[ROUNDS * THREADS - 1 - t];
}

#define RUN_SHARED(kernel, dynamic, ...)                                                           \
    do {                                                                                           \
        kernel<<<BLOCKS, THREADS, dynamic>>>(__VA_ARGS__);                                         \
        digest(out, 4 * N * sizeof *out);                                                          \
    } while (0)
#define RUN(kernel, ...) RUN_SHARED(kernel, 0, __VA_ARGS__)

int main() {
    static const int indices[2 * ROUNDS] = {9, 17, 25, 33, 5, 5, 5, 5};
    begin();
    int *in = input<int>(2 * N), *out = output<int>(4 * N), *at;
    struct vector v = {in}, *d_v;
    CUDA_CHECK(cudaMalloc((void **)&at, sizeof indices));
    CUDA_CHECK(cudaMemcpy(at, indices, sizeof indices, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMalloc((void **)&d_v, sizeof v));
    CUDA_CHECK(cudaMemcpy(d_v, &v, sizeof v, cudaMemcpyHostToDevice));

    RUN(store_to_shared, out, in);
    RUN_SHARED(store_to_dynamic, ROUNDS * THREADS * sizeof(int), out, in, ROUNDS);
    RUN(store_in_loop, out, in, ROUNDS);
    RUN(atomic_on_shared, out, in);
    RUN(atomic_on_global, out, in);
    RUN(through_pointer, out, d_v);
    RUN(in_branch, out, in);
    RUN(shuffled, out, in);
    RUN(voted, out, in);
    RUN(shuffled_in_loop, out, in);
    RUN(after_barrier, out, in);
    RUN(after_syncwarp, out, in);
    RUN(after_fence, out, in);
    RUN(after_atomic, out, out + N, in);
    RUN(equal_by_chance, out, in, at);
    RUN(sliding, out, in, ROUNDS);
    check_digest(0x98359228u);
    return end();
}
