// Two kernels in two streams add to the same array, and nothing orders them.
// UNSEEN: Races are looked for within a launch.
// SPDX-License-Identifier: MIT
__global__ void add(int *a) { a[threadIdx.x]++; }

int main(void) {
    int *d_a;
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
    cudaDeviceSynchronize();
    add<<<1, 32, 0, s>>>(d_a);
    add<<<1, 32, 0, t>>>(d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    return e != cudaSuccess;
}
