// Two branches shuffle with each other, as the CUDA C++ Programming Guide allows from compute
// capability 7.0 on; lanes that leave a loop earlier than others, or return, and are not needed
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void of_two_branches(int *a, int turns) {
    int v = threadIdx.x, lane = threadIdx.x % 32, other;
    for (int k = 0; k < turns; k++) {
        if ((lane + k) % 2)
            other = __shfl_xor_sync(0xffffffff, v, 16) + 1;
        else
            other = __shfl_xor_sync(0xffffffff, 2 * v, 16);
        v += other;
    }
    if (lane >= 16)
        return;
    a[threadIdx.x] = v;
}

/* A warp leaves the loop when the last of its lanes has nothing left. */
__global__ void while_any(int *a, int n) {
    unsigned mask = 0xffffffff;
    int v = 0;
    for (int i = threadIdx.x % 32; (mask = __ballot_sync(mask, i < n)) >> threadIdx.x % 32 & 1;
         i += 32)
        v += __shfl_sync(mask, i, __ffs(mask) - 1);
    a[threadIdx.x] = v;
}

template <int WIDTH> __device__ int sum_of(int v) {
#pragma unroll
    for (int step = WIDTH / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step, WIDTH);
    return v;
}
template <int WIDTH> __global__ void unrolled(int *a) {
    int v = sum_of<WIDTH>(threadIdx.x);
    v += sum_of<WIDTH>(v);
    if (threadIdx.x % WIDTH == 0)
        a[threadIdx.x / WIDTH] = v;
}

/* Each half by itself, in its own branch; those of an odd rank make a group. */
__global__ void halves(int *a, int n) {
    cg::thread_block_tile<16> half = cg::tiled_partition<16>(cg::this_thread_block());
    int v = threadIdx.x;
    if (half.meta_group_rank() % 2) {
        for (int step = 8; step > 0; step /= 2)
            v += half.shfl_down(v, step);
    } else if (half.meta_group_rank() < 2) {
        half.sync();
    }
    if (threadIdx.x % 2) {
        cg::coalesced_group odd = cg::coalesced_threads();
        v += odd.shfl(v, 0);
        odd.sync();
    }
    a[threadIdx.x] = v;
    if ((int)threadIdx.x >= n)
        return;
    v += __shfl_down_sync(0xffffffff >> (32 - n), v, 1);
    a[threadIdx.x] = v;
}

/* Those past the end return, and store something before that. */
__global__ void past_the_end(int *a, int n) {
    int i = threadIdx.x;
    if (i >= n) {
        a[i] = -1;
        return;
    }
    int v = i;
    for (int step = 1; step < n; step *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, step);
        v += i >= step ? other : 0;
    }
    a[i] = v;
}

int main(void) {
    int *d_a, h_a[64];
    cudaMalloc(&d_a, sizeof h_a);
    cudaMemset(d_a, 0, sizeof h_a);
    of_two_branches<<<1, 64>>>(d_a, 5);
    while_any<<<1, 32>>>(d_a, 50);
    unrolled<32><<<1, 64>>>(d_a);
    unrolled<8><<<1, 64>>>(d_a);
    halves<<<1, 32>>>(d_a, 20);
    past_the_end<<<1, 32>>>(d_a, 20);
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    return h_a[19] != 190 || h_a[20] != -1;
}
