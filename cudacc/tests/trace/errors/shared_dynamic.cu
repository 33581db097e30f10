// The launch gives too little shared memory: elements where bytes were meant.
// EXPECT: out of bounds: store of 4 bytes at shared_dynamic.cu
// EXPECT: kernel reverse, launch 0, block (0,0,0), thread (16,0,0) and 15 more of its warp: just past the end of shared tile, 64 bytes
// SPDX-License-Identifier: MIT
__global__ void reverse(int *a) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = a[threadIdx.x]; // ERROR out of bounds
    __syncthreads();
    a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMemset(d_a, 0, 64 * sizeof *d_a);
    reverse<<<1, 64, 64>>>(d_a);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
