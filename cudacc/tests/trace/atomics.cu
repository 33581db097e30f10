// Atomics are neither loads nor stores; what stands around them is.
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT add_each: 4 16 0 0
// EXPECT ticket: 4 16 4 16
// EXPECT histogram: 13 50 0 0
// EXPECT last_block: 8+1 32+1 2+1 2+1
// SPDX-License-Identifier: MIT
#include "check.h"

EACH(add_each, (unsigned *sums, const unsigned *in), atomicAdd(&sums[i % 8], in[i]));

// What it returns is used: each thread gets a place of its own.
__global__ void ticket(unsigned *out, unsigned *next, const unsigned *in) {
    unsigned i = thread_number(), x = in[i], place = atomicAdd(next + i, 1);
    out[i] = x + place;
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

// Zeros to add to.
static unsigned *zeros(unsigned *d) {
    CUDA_CHECK(cudaMemset(d, 0, N * sizeof *d));
    return d;
}

int main(void) {
    begin();
    unsigned *in = input<unsigned>(4 * N), *out = output<unsigned>(N), *sums = output<unsigned>(N);
    unsigned *arrived = output<unsigned>(N);

    RUN(add_each, zeros(sums), in);
    RUN(ticket, out, zeros(sums), in);
    RUN(histogram, zeros(sums), in, 400);
    RUN(last_block, out, sums, zeros(arrived), in);
    check_digest(0x014cc22cu);
    return end();
}
