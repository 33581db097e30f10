// Each element becomes the sum of itself and its right neighbor, in place: the neighbor may have
// been changed already. Within a block as well as between blocks.
// EXPECT: data race: store of 4 bytes at race_in_place.cu
// EXPECT: kernel smooth, launch 0
// SPDX-License-Identifier: MIT
__global__ void smooth(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) {
        float right = a[i + 1]; // ERROR data race
        a[i] += right;          // ERROR data race
    }
}

int main(void) {
    float *d_a;
    cudaMalloc(&d_a, 1000 * sizeof *d_a);
    cudaMemset(d_a, 0, 1000 * sizeof *d_a);
    smooth<<<4, 256>>>(d_a, 1000);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
