// Groups of which only some threads come to what all must do together
// EXPECT: misused warp function: __syncwarp() at group_half.cu:11
// EXPECT: misused warp function: __shfl_down_sync() at group_half.cu:19
// EXPECT: threads (0,0,0) and (16,0,0): its mask, or group, has the second one, too, which did not come here, but went on to group_half.cu:12
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void half_of_a_tile(int *out) {
    if (threadIdx.x < 16)
        cg::tiled_partition<32>(cg::this_thread_block()).sync(); // ERROR misused warp function
    out[threadIdx.x] = 1;
}
__global__ void some_of_those_here(int *out) {
    cg::coalesced_group here = cg::coalesced_threads();
    int v = threadIdx.x;
    if (here.thread_rank() < 8) {
        cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
        v += tile.shfl_down(v, 4); // ERROR misused warp function
    }
    out[threadIdx.x] = v;
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    half_of_a_tile<<<1, 32>>>(d_out);
    some_of_those_here<<<1, 32>>>(d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaSuccess;
}
