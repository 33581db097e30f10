// SPDX-License-Identifier: MIT
// Cooperative groups, on a GPU and on the CPU device alike: blocks, tiles, the lanes of a branch,
// and grids whose blocks wait for each other.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
#include "../lib/kernel_checks.h" // its names are macros

namespace cg = cooperative_groups;

struct large {
    double a, b;
    int c;
};

// ---- blocks ----

__device__ int given[3][80];

KERNEL(blocks, 3, dim3(16, 5)) {
    cg::thread_block block = cg::this_thread_block();
    unsigned rank = threadIdx.x + blockDim.x * threadIdx.y;
    CHECK(block.size() == 80 && block.num_threads() == 80 && block.thread_rank() == rank);
    CHECK(block.group_index().x == blockIdx.x && block.thread_index().y == threadIdx.y);
    CHECK(block.group_dim().x == 16 && block.dim_threads().y == 5);

    __shared__ int values[80];
    values[rank] = (int)rank;
    block.sync();
    CHECK(values[79 - rank] == 79 - (int)rank);
    cg::sync(block);
    values[rank] = -(int)rank;
    cg::thread_group any = block;
    any.sync();
    CHECK(any.size() == 80 && any.thread_rank() == rank && values[(rank + 40) % 80] <= 0);

    __shared__ int copied[80];
    cg::memcpy_async(block, copied, values, sizeof copied);
    cg::wait(block);
    CHECK(copied[79 - rank] == (int)rank - 79);

    __shared__ __align__(16) int staged[160];
    given[blockIdx.x][rank] = 3 * (int)rank;
    block.sync();
    if (rank % 4 == 0)
        __pipeline_memcpy_async(&staged[rank], &given[blockIdx.x][rank], 16);
    if (rank % 4 < 2)
        __pipeline_memcpy_async(&staged[80 + rank], &given[blockIdx.x][rank], 4, rank % 2 * 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    block.sync();
    CHECK(staged[rank] == 3 * (int)rank);
    CHECK(rank % 4 > 1 || staged[80 + rank] == (rank % 2 ? 0 : 3 * (int)rank));
}

// ---- tiles ----

template <unsigned Size> __device__ static void tile_of(void) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
    const int lane = (int)(threadIdx.x % Size), first = (int)(threadIdx.x - threadIdx.x % Size);
    const int last = first + (int)Size - 1;
    CHECK(tile.size() == Size && tile.num_threads() == Size && (int)tile.thread_rank() == lane);
    CHECK(tile.meta_group_rank() == threadIdx.x / Size && tile.meta_group_size() == 96 / Size);

    int x = hide((int)threadIdx.x);
    CHECK(tile.shfl(x, 0) == first && tile.shfl(x, Size - 1) == last);
    CHECK(tile.shfl_up(x, 1) == (lane ? x - 1 : x));
    CHECK(tile.shfl_down(x, 1) == (x < last ? x + 1 : x));
    CHECK(tile.shfl_xor(x, Size / 2) == (x ^ (int)(Size / 2)));
    CHECK(tile.shfl(x * 1e300, 0) == first * 1e300);
    struct large l = {x + 0.5, x * 2.0, x};
    l = tile.shfl(l, Size - 1);
    CHECK(l.a == last + 0.5 && l.b == last * 2.0 && l.c == last);

    CHECK(tile.any(x == last) && !tile.any(x < 0) && tile.all(x >= 0));
    CHECK(tile.all(x != last) == 0 && tile.ballot(x == last) == 1u << (Size - 1));
    CHECK(tile.match_any(x / 2) == (Size > 1 ? 3u << (lane & ~1) : 1));
    int same = 7;
    CHECK(tile.match_all(5, same) == 0xffffffffu >> (32 - Size) && same);
    tile.sync();

    CHECK(cg::reduce(tile, x, cg::plus<int>()) == (first + last) * (int)Size / 2);
    CHECK(cg::reduce(tile, x, cg::greater<int>()) == last);
    CHECK(cg::reduce(tile, x, cg::less<int>()) == first);
    CHECK(cg::reduce(tile, 1u << lane, cg::bit_or<unsigned>()) == 0xffffffffu >> (32 - Size));
    CHECK(cg::reduce(tile, (double)x, cg::plus<double>()) == (first + last) * (int)Size / 2);
    CHECK(cg::inclusive_scan(tile, 2) == 2 * (lane + 1));
    CHECK(cg::exclusive_scan(tile, 3, cg::plus<int>()) == 3 * lane);
}

KERNEL(tiles, 2, 96) {
    tile_of<1>();
    tile_of<2>();
    tile_of<4>();
    tile_of<8>();
    tile_of<16>();
    tile_of<32>();
}

KERNEL(tiles_of_tiles, 1, 64) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto four = cg::tiled_partition<4>(warp);
    CHECK(four.meta_group_rank() == threadIdx.x % 32 / 4 && four.meta_group_size() == 8);
    CHECK(four.shfl((int)threadIdx.x, 0) == (int)(threadIdx.x & ~3u));
    cg::thread_group eight = cg::tiled_partition(cg::this_thread_block(), 8);
    CHECK(eight.size() == 8 && eight.thread_rank() == threadIdx.x % 8);
    eight.sync();
    if (warp.meta_group_rank() == 1) { // the warps of a block are independent
        CHECK(warp.shfl((int)threadIdx.x, 3) == 35);
        warp.sync();
    }
}

// ---- the lanes of a branch ----

__global__ void branches(int *counter) {
    int lane = (int)threadIdx.x % 32;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if (lane % 3 == 1) { // 1, 4, ... 31
        cg::coalesced_group g = cg::coalesced_threads();
        int rank = lane / 3;
        CHECK(g.size() == 11 && (int)g.thread_rank() == rank);
        CHECK(g.shfl(lane, 2) == 7 && g.shfl_up(lane, 2) == (rank < 2 ? lane : lane - 6));
        CHECK(g.shfl_down(lane, 1) == (rank < 10 ? lane + 3 : lane));
        CHECK(g.ballot(rank == 10) == 1u << 10 && g.any(rank == 3) && !g.all(rank == 3));
        CHECK(cg::reduce(g, lane, cg::plus<int>()) == 11 * 16);
        CHECK(cg::inclusive_scan(g, 1) == rank + 1 && cg::exclusive_scan(g, 1) == rank);
        cg::coalesced_group pair = cg::tiled_partition(g, 2);
        CHECK(pair.size() == (rank < 10 ? 2u : 1u) && (int)pair.thread_rank() == rank % 2);
        CHECK(pair.meta_group_rank() == (unsigned)rank / 2 && pair.meta_group_size() == 6);
        // one atomic operation for all of them
        int before = 0;
        if (g.thread_rank() == 0)
            before = atomicAdd(counter, (int)g.size());
        before = g.shfl(before, 0) + (int)g.thread_rank();
        CHECK(before >= 0 && before < 22);
        g.sync();
    }
    warp.sync();
    auto half = cg::binary_partition(warp, lane < 5);
    CHECK(half.size() == (lane < 5 ? 5u : 27u));
    CHECK((int)half.thread_rank() == (lane < 5 ? lane : lane - 5));
    auto labeled = cg::labeled_partition(warp, lane / 10);
    CHECK(labeled.size() == (lane < 30 ? 10u : 2u) && (int)labeled.thread_rank() == lane % 10);
}

// ---- grids ----

// Each phase reads what other blocks have written in the one before.
__global__ void phases(int *from, int *to, int count) {
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    CHECK(grid.is_valid() && (int)grid.size() == count && grid.group_dim().x == gridDim.x);
    CHECK(grid.num_blocks() == gridDim.x && grid.block_rank() == blockIdx.x);
    from[i] = i;
    grid.sync();
    for (int phase = 0; phase < 5; phase++) {
        to[i] = from[count - 1 - i] + 1;
        cg::sync(grid);
        int *t = from;
        from = to;
        to = t;
    }
}

template <class T> __global__ void scale(T *values, T factor) {
    __shared__ T first;
    if (threadIdx.x == 0)
        first = values[0];
    cg::this_grid().sync();
    values[blockIdx.x * blockDim.x + threadIdx.x] = first * factor;
}

TEST(test_grids) {
    enum { BLOCKS = 6, THREADS = 70, COUNT = BLOCKS * THREADS };
    static int result[COUNT];
    int count = COUNT, wrong = 0;
    MEMORY(int, d_from, COUNT * sizeof(int));
    MEMORY(int, d_to, COUNT * sizeof(int));
    void *arguments[] = {&d_from, &d_to, &count};
    begin();
    works(cudaLaunchCooperativeKernel((void *)phases, BLOCKS, THREADS, arguments, 0, 0),
          "together");
    end("grids");
    must(cudaMemcpy(result, d_to, sizeof result, TO_HOST));
    for (int i = 0; i < COUNT; i++)
        wrong += result[i] != COUNT - 1 - i + 5;
    ok(wrong == 0, "five phases, each over all blocks");

    float *d_floats = (float *)d_from, one = 1, factor = 2.5f;
    must(cudaMemcpy(d_floats, &one, sizeof one, TO_DEVICE));
    void *of_scale[] = {&d_floats, &factor};
    works(cudaLaunchCooperativeKernel(scale<float>, BLOCKS, THREADS, of_scale), "of a template");
    ok(value_at(d_floats + COUNT - 1) == 2.5f, "and it runs");

    const cudaError_t too_large = cudaErrorCooperativeLaunchTooLarge;
    gives(too_large, cudaLaunchCooperativeKernel((void *)phases, 60000, THREADS, arguments, 0, 0),
          "more blocks than fit at a time");
#if __CUDACC_VER_MAJOR__ >= 12
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative, together.val.cooperative = 1;
    cudaLaunchConfig_t config = {dim3(60000), dim3(THREADS), 0, 0, &together, 1};
    gives(too_large, cudaLaunchKernelExC(&config, (void *)phases, arguments), "by an attribute");
    config.gridDim = BLOCKS;
    works(cudaLaunchKernelEx(&config, scale<float>, d_floats, factor), "and as many as fit");
#else
    skip("cudaLaunchKernelEx is of CUDA 12");
#endif
    ok(attribute(cudaDevAttrCooperativeLaunch) == 1, "the device has cooperative launches");
}

TEST(lanes_of_a_branch) {
    MEMORY(int, d_counter, sizeof *d_counter);
    must(cudaMemset(d_counter, 0, sizeof *d_counter));
    CHECKED("branches", branches<<<1, 64>>>(d_counter));
    ok(value_at(d_counter) == 22, "one atomic operation for the lanes of a branch");
}

int main(void) { return run_tests(); }
