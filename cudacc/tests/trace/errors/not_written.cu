// Sums are added to an array that was never set to zero.
// EXPECT: read of memory never written: load of 4 bytes at not_written.cu
// EXPECT: kernel add, launch 0, block (0,0,0), thread (0,0,0): d_sum[0], byte 0 of 400
// SPDX-License-Identifier: MIT
__global__ void add(float *sum, float x) {
    sum[threadIdx.x] += x; // ERROR read of memory never written
}

int main(void) {
    float *d_sum;
    cudaMalloc(&d_sum, 100 * sizeof *d_sum);
    add<<<1, 100>>>(d_sum, 1);
    add<<<1, 100>>>(d_sum, 1);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_sum);
    return e != cudaSuccess;
}
