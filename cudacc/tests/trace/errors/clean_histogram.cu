// A histogram by atomics in shared memory, then in global memory; grid-stride loops; the bins are
// read in a separate launch.
// SPDX-License-Identifier: MIT
__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], local[i]);
}
__global__ void scale(const unsigned *bins, float *out, float factor) {
    out[threadIdx.x] = factor * bins[threadIdx.x];
}

int main(void) {
    static unsigned char h_in[5000];
    unsigned char *d_in;
    unsigned *d_bins;
    float *d_out, h_out[256], sum = 0;
    for (int i = 0; i < 5000; i++)
        h_in[i] = (unsigned char)(i * i);
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_bins, 256 * sizeof *d_bins);
    cudaMalloc(&d_out, sizeof h_out);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, 256 * sizeof *d_bins);
    histogram<<<7, 96>>>(d_in, d_bins, 5000);
    scale<<<1, 256>>>(d_bins, d_out, 1);
    cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++)
        sum += h_out[i];
    cudaFree(d_in);
    cudaFree(d_bins);
    cudaFree(d_out);
    return sum != 5000;
}
