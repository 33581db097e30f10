// __syncwarp() of half a warp orders that half only.
// EXPECT: the same warp
// SPDX-License-Identifier: MIT
__global__ void swap(int *a) {
    __shared__ int part[32];
    int i = threadIdx.x;
    part[i] = a[i]; // ERROR data race
    __syncwarp(i < 16 ? 0x0000ffff : 0xffff0000);
    a[i] = part[(i + 16) % 32]; // ERROR data race
}

int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
    swap<<<1, 32>>>(d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
