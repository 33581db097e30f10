// Asynchronous copies to shared memory: never waited for; waited for all but the last one, with
// which the last turn works; committed by no one; waited for, but not by all threads.
// EXPECT: shared tile[63], byte 252 of 256; the copy that begins at copy_no_wait.cu:13 has not been committed and waited for
// EXPECT: shared tile[1][63], byte 508 of 512; the copy that begins at copy_no_wait.cu:27 has not been committed and waited for
// EXPECT: store of 4 bytes at copy_no_wait.cu:48 and load of 4 bytes at copy_no_wait.cu:53
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

__global__ void no_wait(const int *in, int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // ERROR read of memory never written
}

__global__ void last_turn(const int *in, int *out) {
    __shared__ int tile[2][64];
    int i = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&tile[0][i], &in[i], 4);
    __pipeline_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            int *next = &tile[(k + 1) % 2][i];
            __pipeline_memcpy_async(next, &in[64 * (k + 1) + i], 4);
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[k % 2][63 - i]; // ERROR read of memory never written
        __syncthreads();
    }
    out[i] = sum;
}

__global__ void no_commit(const int *in, int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x]; // ERROR read of memory never written
}

__global__ void no_barrier(const int *in, int *out) {
    __shared__ int tile[64], later[64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], 4); // ERROR data race
    __pipeline_memcpy_async(&later[i], &in[i], 4);
    __pipeline_commit();
    out[i] = 0;
    __pipeline_wait_prior(0);
    out[i] = tile[63 - i]; // ERROR data race
    __syncthreads();
    out[i] += later[63 - i];
}

__global__ void group(const int *in, int *out) {
    __shared__ int tile[64];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, tile, in, sizeof tile);
    block.sync();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // ERROR read of memory never written
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 1024);
    cudaMalloc(&d_out, 256);
    cudaMemset(d_in, 0, 1024);
    no_wait<<<1, 64>>>(d_in, d_out);
    last_turn<<<1, 64>>>(d_in, d_out);
    no_commit<<<1, 64>>>(d_in, d_out);
    no_barrier<<<1, 64>>>(d_in, d_out);
    group<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
