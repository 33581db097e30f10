// The host takes the address of a __host__ __device__ function, and a kernel calls it.
// UNSEEN: Here a function has one address; on a GPU the host has another one than kernels.
// SPDX-License-Identifier: MIT
typedef float (*operation)(float);
__host__ __device__ float twice(float x) { return 2 * x; }
__global__ void apply(float *a, operation f) { a[threadIdx.x] = f(a[threadIdx.x]); }

int main(void) {
    float *d_a;
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
    apply<<<1, 32>>>(d_a, twice);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
