// Two threads of a warp wait for each other, each with another mask.
// EXPECT: kernel died: deadlock, 2 of 32 threads wait in a warp function near dies_deadlock.cu
// EXPECT: kernel swap, launch 0, block (0,0,0), thread (0,0,0): error 702, the launch timed out
// SPDX-License-Identifier: MIT
__global__ void swap(int *a) {
    int i = threadIdx.x;
    if (i < 2) {
        unsigned mask = i == 0 ? 3 : 7;
        a[i] = __shfl_xor_sync(mask, a[i], 1); // ERROR kernel died
    } else {
        a[i] = 0;
    }
}

int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
    swap<<<1, 32>>>(d_a);
    return cudaDeviceSynchronize() == cudaSuccess;
}
