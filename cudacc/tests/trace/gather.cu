// Addresses that come from memory, and addresses that lanes share.
//
//     nvcc -O3 -lineinfo gather.cu -o gather && ./gather
//
// 2 blocks of 64 threads, 4 warps. One address for all lanes is one sector.
// EXPECT everybody: 4 4 4 16
// EXPECT by_block: 4 4 4 16
// EXPECT by_fours: 4 4 4 16
// EXPECT one_word: 0 0 4 4
// EXPECT both_ends: 8 20 4 16
//
// in[17 i % 128]: 32 lanes 17 floats apart, wrapping at 512 bytes, that are 16 sectors.
// EXPECT gather: 8 80 4 16
// EXPECT scatter: 8 32 4 64
// EXPECT gather_twice: 12 144 4 16
// EXPECT table: 8 20 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

__device__ static unsigned thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void everybody(float *out, const float *in) { out[thread_number()] = in[5]; }

__global__ void by_block(float *out, const float *in) { out[thread_number()] = in[blockIdx.x]; }

// Four lanes share an element, a warp reads 8: one sector.
__global__ void by_fours(float *out, const float *in) {
    unsigned i = thread_number();
    out[i] = in[i / 4];
}

// One lane of each warp writes, all to one sector.
__global__ void one_word(float *out, float value) {
    if (threadIdx.x % 32 == 5)
        out[thread_number() / 32] = value;
}

// Neighbours, and one element for all.
__global__ void both_ends(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    out[i] = in[i] + in[n - 1];
}

__global__ void gather(float *out, const float *in, const unsigned *index) {
    unsigned i = thread_number();
    out[i] = in[index[i]];
}

__global__ void scatter(float *out, const float *in, const unsigned *index) {
    unsigned i = thread_number();
    out[index[i]] = in[i];
}

__global__ void gather_twice(float *out, const float *in, const unsigned *index) {
    unsigned i = thread_number();
    out[i] = in[index[index[i]]];
}

// A table of bytes, 32 of them.
__global__ void table(unsigned *out, const unsigned char *bytes, const unsigned *index) {
    unsigned i = thread_number();
    out[i] = bytes[index[i] % 32];
}

// Through an array of pointers.
__global__ void through_pointers(float *out, float *const *rows, unsigned width) {
    unsigned i = thread_number();
    out[i] = rows[i / width][i % width];
}

int main(void) {
    begin();
    unsigned h_index[N], *index;
    float *in = input<float>(N), *out = output<float>(N), *h_rows[8], **rows;
    unsigned *out_int = output<unsigned>(N);
    unsigned char *bytes = input<unsigned char>(32);
    for (unsigned i = 0; i < N; i++)
        h_index[i] = 17 * i % N;
    for (int i = 0; i < 8; i++)
        h_rows[i] = in + 16 * (7 - i);
    CUDA_CHECK(cudaMalloc((void **)&index, sizeof h_index));
    CUDA_CHECK(cudaMemcpy(index, h_index, sizeof h_index, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMalloc((void **)&rows, sizeof h_rows));
    CUDA_CHECK(cudaMemcpy(rows, h_rows, sizeof h_rows, cudaMemcpyHostToDevice));

    everybody<<<BLOCKS, THREADS>>>(out, in);
    CHECK("everybody", out, N, (float)element(5));
    by_block<<<BLOCKS, THREADS>>>(out, in);
    CHECK("by_block", out, N, (float)element(i / THREADS));
    by_fours<<<BLOCKS, THREADS>>>(out, in);
    CHECK("by_fours", out, N, (float)element(i / 4));
    one_word<<<BLOCKS, THREADS>>>(out, 7.0f);
    CHECK("one_word", out, N, i < 4 ? 7.0f : clear_[i]);
    both_ends<<<BLOCKS, THREADS>>>(out, in, N);
    CHECK("both_ends", out, N, (float)(element(i) + element(N - 1)));
    gather<<<BLOCKS, THREADS>>>(out, in, index);
    CHECK("gather", out, N, (float)element(17 * i % N));
    scatter<<<BLOCKS, THREADS>>>(out, in, index);
    CHECK("scatter", out, N, (float)element(113 * i % N)); // 17 * 113 = 1 mod 128
    gather_twice<<<BLOCKS, THREADS>>>(out, in, index);
    CHECK("gather_twice", out, N, (float)element(17 * 17 * i % N));
    table<<<BLOCKS, THREADS>>>(out_int, bytes, index);
    CHECK("table", out_int, N, (unsigned)element(17 * i % N % 32));
    through_pointers<<<BLOCKS, THREADS>>>(out, rows, 16);
    CHECK("through_pointers", out, N, (float)element(16 * (7 - i / 16) + i % 16));

    void *all[] = {in, out, out_int, bytes, index, rows};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
