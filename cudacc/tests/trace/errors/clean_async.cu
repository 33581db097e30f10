// Asynchronous copies that are right
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

// ---- clean_async_copies: Asynchronous copies that are waited for: two tiles in turn, some
// threads copying nothing; by a group; a warp's own bytes, read with no more than __syncwarp();
// one whose bytes nobody reads; to global memory, which is a plain copy.
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
PROGRAM(clean_async_copies) {
    int last = 0;
    ZEROES(int, d_in, 1024);
    ARRAY(int, d_out, 128);
    two_tiles<<<1, 128>>>(d_in, d_out, 8);
    groups<<<1, 128>>>(d_in, d_out);
    warps<<<1, 128>>>(d_in, d_out);
    cudaMemset(d_out, 1, 512);
    to_global<<<1, 128>>>(d_in, d_out);
    cudaMemcpy(&last, d_out + 127, sizeof last, cudaMemcpyDeviceToHost);
    exit_code = last != 1;
}

// ---- clean_async_stores: Stores to targets and sources of asynchronous copies, after the wait: of
// the same thread, of its warp, and of a warp that a flag tells; and to bytes beside those that are
// read, where the rest of the target becomes zeros.
__global__ void store_after(int *in, int *out) {
    __shared__ __align__(16) int tile[2][64];
    __shared__ int flag;
    int i = threadIdx.x;
    if (i == 0)
        flag = 0;
    for (int k = 0; k < 4; k++) {
        __pipeline_memcpy_async(&tile[0][i], &in[i], 4);
        __pipeline_commit();
        __pipeline_memcpy_async(&tile[1][i], &in[64 + i], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        in[i] = ++tile[0][i];
        __syncwarp();
        tile[0][i ^ 1] = k;
        __pipeline_wait_prior(0);
        __syncthreads();
        in[127 - i] = tile[1][i];
        __syncthreads();
        tile[1][63 - i]++;
        __syncthreads();
    }
    if (i == 0)
        __pipeline_memcpy_async(&tile[0][0], &in[0], 16, 16);
    __pipeline_commit();
    if (i == 0)
        in[0] = 1;
    __pipeline_wait_prior(0);
    if (i == 32)
        __pipeline_memcpy_async(&tile[1][0], &in[4], 4);
    __pipeline_commit();
    __syncthreads();
    if (i == 32) {
        __pipeline_wait_prior(0);
        __threadfence_block();
        atomicExch(&flag, 1);
    }
    if (i == 0) {
        while (!atomicAdd(&flag, 0))
            ;
        __threadfence_block();
        tile[1][0] = in[4] = 2;
    }
    __syncthreads();
    out[i] = tile[0][i] + tile[1][i];
}
PROGRAM(clean_async_stores) {
    ZEROES(int, d_in, 128);
    ARRAY(int, d_out, 64);
    store_after<<<1, 64>>>(d_in, d_out);
}
