// A histogram in global memory that was never cleared: what all blocks add to it has no beginning.
// The launch that reads it later reads what has been written.
// EXPECT: read of memory never written: atomic of 4 bytes at not_written_histogram.cu
// EXPECT: kernel count, launch 0, block (0,0,0), thread (0,0,0): d_bins[0], byte 0 of 40
// SPDX-License-Identifier: MIT
__global__ void count(const int *in, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] % 10], 1); // ERROR read of memory never written
}
__global__ void twice(int *bins) { bins[threadIdx.x] *= 2; }

int main(void) {
    static int h_in[1024];
    int *d_in, *d_bins;
    for (int i = 0; i < 1024; i++)
        h_in[i] = i;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_bins, 10 * sizeof *d_bins);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    count<<<4, 256>>>(d_in, d_bins);
    twice<<<1, 10>>>(d_bins);
    cudaMemcpy(h_in, d_bins, 10 * sizeof *d_bins, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_bins);
    return 0;
}
