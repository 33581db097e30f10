// A histogram without atomics, whose bins are shared by the threads of a block, then of all blocks.
// EXPECT: shared local[0], byte 0 of 64
// EXPECT: d_bins[0], byte 0 of 64
// SPDX-License-Identifier: MIT
__global__ void histogram(const int *in, int *bins) {
    __shared__ int local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    local[in[blockIdx.x * 64 + threadIdx.x] % 16]++; // ERROR data race
    __syncthreads();
    if (threadIdx.x < 16)
        bins[threadIdx.x] += local[threadIdx.x]; // ERROR data race (global memory)
}

int main(void) {
    static int h_in[256];
    int *d_in, *d_bins;
    for (int i = 0; i < 256; i++)
        h_in[i] = i * i;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_bins, 16 * sizeof *d_bins);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, 16 * sizeof *d_bins);
    histogram<<<4, 64>>>(d_in, d_bins);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_bins);
    return e != cudaSuccess;
}
