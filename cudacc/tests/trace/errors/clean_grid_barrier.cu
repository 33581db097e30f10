// Each phase reads what other blocks have written in the one before; two buffers, so that one
// barrier for each phase is enough.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

__global__ void smooth(int *from, int *to, int count, int phases) {
    namespace cg = cooperative_groups;
    cg::grid_group grid = cg::this_grid();
    __shared__ int last_of_warp[4];
    for (int phase = 0; phase < phases; phase++) {
        for (int i = (int)grid.thread_rank(); i < count; i += (int)grid.size())
            to[i] = from[i ? i - 1 : count - 1] + from[i + 1 < count ? i + 1 : 0];
        grid.sync();
        int *t = from;
        from = to;
        to = t;
    }
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(tile, from[grid.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0)
        last_of_warp[tile.meta_group_rank()] = sum;
    cg::this_thread_block().sync();
    if (grid.thread_rank() < 4)
        to[grid.thread_rank()] = last_of_warp[3 - threadIdx.x];
}

int main(void) {
    int *d_from, *d_to, count = 1000, phases = 4;
    cudaMalloc(&d_from, count * sizeof *d_from);
    cudaMalloc(&d_to, count * sizeof *d_to);
    cudaMemset(d_from, 0, count * sizeof *d_from);
    void *arguments[] = {&d_from, &d_to, &count, &phases};
    cudaLaunchCooperativeKernel((void *)smooth, dim3(4), dim3(128), arguments, 0, 0);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
    return e != cudaSuccess;
}
