// Threads past the end return at once, and no barrier comes after; the last block is not full.
// SPDX-License-Identifier: MIT
__global__ void twice(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
    if (v < 0)
        return;
    out[i] = 2 * v;
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 1000 * sizeof(float));
    cudaMalloc(&d_out, 1000 * sizeof(float));
    cudaMemset(d_in, 0, 1000 * sizeof(float));
    twice<<<5, 224>>>(d_in, d_out, 1000);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
