// Atomics are neither loads nor stores; what stands around them is.
//
//     nvcc -O3 -lineinfo atomics.cu -o atomics && ./atomics
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT count_all: 0 0 0 0
// EXPECT add_each: 4 16 0 0
// EXPECT ticket: 4 16 4 16
// EXPECT add_floats: 4 16 0 0
// EXPECT largest: 4 16 0 0
// EXPECT exchanged: 4 16 4 16
// EXPECT by_swap: 4 16 0 0
// EXPECT in_shared: 4 16 2 2
// EXPECT histogram: 13 50 0 0
// EXPECT last_block: 8+1 32+1 2+1 2+1
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

__device__ static unsigned thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void count_all(unsigned *count) { atomicAdd(count, 1); }

__global__ void add_each(unsigned *sums, const unsigned *in) {
    unsigned i = thread_number();
    atomicAdd(&sums[i % 8], in[i]);
}

// What it returns is used: each thread gets a place of its own.
__global__ void ticket(unsigned *out, unsigned *next, const unsigned *in) {
    unsigned i = thread_number(), x = in[i], place = atomicAdd(next + i, 1);
    out[i] = x + place;
}

__global__ void add_floats(float *sum, const float *in) { atomicAdd(sum, in[thread_number()]); }

__global__ void largest(unsigned *most, const unsigned *in) {
    atomicMax(most, in[thread_number()]);
}

__global__ void exchanged(unsigned *out, unsigned *slots, const unsigned *in) {
    unsigned i = thread_number();
    out[i] = atomicExch(&slots[i], in[i]);
}

// Each lane swaps its own word: no lane has to try again.
__global__ void by_swap(unsigned *slots, const unsigned *in) {
    unsigned i = thread_number(), x = in[i];
    atomicCAS(&slots[i], i, x);
}

__global__ void some_add(unsigned *sum, const unsigned *in) {
    unsigned i = thread_number();
    if (in[i] > 30)
        atomicAdd(sum, in[i + 1]);
}

__global__ void in_shared(unsigned *out, const unsigned *in) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[thread_number()]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void histogram(unsigned *bins, const unsigned *in, unsigned n) {
    __shared__ unsigned own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = thread_number(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// The block that comes last adds up what all have left.
__global__ void last_block(unsigned *total, unsigned *parts, unsigned *arrived,
                           const unsigned *in) {
    __shared__ unsigned sum, is_last;
    unsigned i = thread_number();
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[i] + in[i + 128]);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x) {
        const volatile unsigned *others = parts; // not what a cache may still have
        unsigned part = others[threadIdx.x];
        part += __shfl_down_sync(3, part, 1);
        if (threadIdx.x == 0)
            *total = part;
    }
}

static unsigned sum_to(size_t from, size_t to, size_t step) {
    unsigned sum = 0;
    for (size_t i = from; i < to; i += step)
        sum += (unsigned)element(i);
    return sum;
}

static unsigned sum_of_some(void) {
    unsigned sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += element(i) > 30 ? (unsigned)element(i + 1) : 0;
    return sum;
}

static unsigned in_bin(size_t bin, size_t n) {
    unsigned count = 0;
    for (size_t i = 0; i < n; i++)
        count += (size_t)element(i) % 16 == bin;
    return count;
}

// Zeros to add to.
static unsigned *zeros(unsigned *d) {
    CUDA_CHECK(cudaMemset(d, 0, N * sizeof *d));
    return d;
}

int main(void) {
    begin();
    unsigned *in = input<unsigned>(4 * N), *out = output<unsigned>(N), *sums = output<unsigned>(N);
    unsigned *arrived = output<unsigned>(N), h_slots[N];
    float *in_float = input<float>(N), *sum = output<float>(N);

    count_all<<<BLOCKS, THREADS>>>(zeros(sums));
    CHECK("count_all", sums, N, i == 0 ? (unsigned)N : 0u);
    add_each<<<BLOCKS, THREADS>>>(zeros(sums), in);
    CHECK("add_each", sums, N, i < 8 ? sum_to(i, N, 8) : 0u);
    ticket<<<BLOCKS, THREADS>>>(out, zeros(sums), in);
    CHECK("ticket", out, N, (unsigned)element(i));
    CHECK("ticket, next", sums, N, 1u);
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
    add_floats<<<BLOCKS, THREADS>>>(sum, in_float);
    CHECK("add_floats", sum, 1, (float)sum_to(0, N, 1));
    largest<<<BLOCKS, THREADS>>>(zeros(sums), in);
    CHECK("largest", sums, 1, 61u);
    exchanged<<<BLOCKS, THREADS>>>(out, zeros(sums), in);
    CHECK("exchanged", out, N, 0u);
    CHECK("exchanged, slots", sums, N, (unsigned)element(i));
    for (unsigned i = 0; i < N; i++)
        h_slots[i] = i % 2 ? i : 0;
    CUDA_CHECK(cudaMemcpy(sums, h_slots, sizeof h_slots, cudaMemcpyHostToDevice));
    by_swap<<<BLOCKS, THREADS>>>(sums, in);
    CHECK("by_swap", sums, N, i % 2 || i == 0 ? (unsigned)element(i) : 0u);
    some_add<<<BLOCKS, THREADS>>>(zeros(sums), in);
    CHECK("some_add", sums, 1, sum_of_some());
    in_shared<<<BLOCKS, THREADS>>>(out, in);
    CHECK("in_shared", out, N, i < 2 ? sum_to(64 * i, 64 * i + 64, 1) : clear_[i]);
    histogram<<<BLOCKS, THREADS>>>(zeros(sums), in, 400);
    CHECK("histogram", sums, 16, in_bin(i, 400));
    last_block<<<BLOCKS, THREADS>>>(out, sums, zeros(arrived), in);
    CHECK("last_block", out, N, i == 0 ? sum_to(0, 2 * N, 1) : clear_[i]);
    CHECK("last_block, parts", sums, 2,
          sum_to(64 * i, 64 * i + 64, 1) + sum_to(64 * i + 128, 64 * i + 192, 1));

    void *all[] = {in, out, sums, arrived, in_float, sum};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
