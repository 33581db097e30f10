// One thread stores a result that all read, but no thread waits for it.
// EXPECT: of shared total, 4 bytes
// SPDX-License-Identifier: MIT
__global__ void scale(float *a) {
    __shared__ float total;
    float v = a[threadIdx.x];
    if (threadIdx.x == 0)
        total = v;              // ERROR data race
    a[threadIdx.x] = v * total; // ERROR data race
}

int main(void) {
    float *d_a;
    cudaMalloc(&d_a, 96 * sizeof *d_a);
    cudaMemset(d_a, 0, 96 * sizeof *d_a);
    scale<<<1, 96>>>(d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
