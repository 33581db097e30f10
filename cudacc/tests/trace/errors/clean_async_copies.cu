// Asynchronous copies that are waited for: two tiles in turn, some threads copying nothing; by a
// group; a warp's own bytes, read with no more than __syncwarp(); one whose bytes nobody reads;
// to global memory, which is a plain copy.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

__global__ void two_tiles(const int *in, int *out, int turns) {
    __shared__ __align__(16) int tile[2][128];
    int i = threadIdx.x, sum = 0;
    if (i < 32)
        __pipeline_memcpy_async(&tile[0][4 * i], &in[4 * i], 16);
    __pipeline_commit();
    for (int k = 0; k < turns; k++) {
        if (k + 1 < turns && i < 32)
            __pipeline_memcpy_async(&tile[(k + 1) % 2][4 * i], &in[128 * (k + 1) + 4 * i], 16,
                                    i == 31 ? 8 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[k % 2][127 - i];
        __syncthreads();
    }
    out[i] = sum;
}

__global__ void groups(const int *in, int *out) {
    __shared__ int tile[2][128];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, tile[0], in, sizeof tile[0]);
    cooperative_groups::memcpy_async(block, tile[1], in + 128, sizeof tile[1]);
    cooperative_groups::wait_prior<1>(block);
    int sum = tile[0][127 - threadIdx.x];
    cooperative_groups::wait(block);
    out[threadIdx.x] = sum + tile[1][127 - threadIdx.x];
}

__global__ void warps(const int *in, int *out) {
    __shared__ int tile[128], unread[128];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&unread[i], &in[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    int own = tile[i];
    __syncwarp();
    out[i] = own + tile[i ^ 31];
}

__global__ void to_global(const int *in, int *out) {
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, out, in, 512);
    out[threadIdx.x] += 1;
}

int main(void) {
    int *d_in, *d_out, last = 0;
    cudaMalloc(&d_in, 4096);
    cudaMalloc(&d_out, 512);
    cudaMemset(d_in, 0, 4096);
    two_tiles<<<1, 128>>>(d_in, d_out, 8);
    groups<<<1, 128>>>(d_in, d_out);
    warps<<<1, 128>>>(d_in, d_out);
    cudaMemset(d_out, 1, 512);
    to_global<<<1, 128>>>(d_in, d_out);
    cudaMemcpy(&last, d_out + 127, sizeof last, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return last != 1;
}
