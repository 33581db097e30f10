// Warp functions whose masks do not say who calls them
// EXPECT: misused warp function: __shfl_down_sync() at warp_misused.cu:11, __shfl_xor_sync() at warp_misused.cu:14
// EXPECT: block (0,0,0), threads (0,0,0) and (16,0,0): all threads that a mask names must call the same function
// EXPECT: misused warp function: __shfl_sync() at warp_misused.cu:26
// EXPECT: block (0,0,0), thread (0,0,0): it reads from lane 20, which does not take part: it gets anything
// EXPECT: block (0,0,0), thread (16,0,0): its mask lacks the thread itself
// SPDX-License-Identifier: MIT
__global__ void in_a_branch(int *sum) {
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v += __shfl_down_sync(0xffffffff, v, 8); // ERROR misused warp function
    else
        v *= 2;
    v += __shfl_xor_sync(0xffffffff, v, 1); // its partner
    sum[threadIdx.x] = v;
}
__global__ void syncwarp_for_a_vote(int *sum) {
    if (threadIdx.x < 16)
        __syncwarp(); // ERROR misused warp function
    else
        sum[threadIdx.x] = __any_sync(0xffffffff, 1);
}
__global__ void source_absent(int *first) {
    int v = first[threadIdx.x];
    if (threadIdx.x < 16)
        first[threadIdx.x] = __shfl_sync(0xffff, v, 20); // ERROR misused warp function
}
__global__ void not_in_mask(int *next) {
    int v = threadIdx.x;
    next[v] = __shfl_down_sync(0xffff, v, 1); // ERROR misused warp function
}

int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
    in_a_branch<<<1, 32>>>(d_a);
    syncwarp_for_a_vote<<<1, 32>>>(d_a);
    not_in_mask<<<1, 32>>>(d_a);
    source_absent<<<1, 32>>>(d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
