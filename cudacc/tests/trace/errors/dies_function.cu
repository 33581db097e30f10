// A table of functions, one of which was never filled in.
// EXPECT: kernel died: call of a null function pointer at dies_function.cu
// EXPECT: kernel apply, launch 1, block (0,0,0), thread (1,0,0): error 700, an illegal memory access
// SPDX-License-Identifier: MIT
typedef float (*operation)(float);

__device__ operation operations[2];
__device__ float negate(float x) { return -x; }
__global__ void fill(void) { operations[0] = negate; }

__global__ void apply(float *a) {
    int i = threadIdx.x;
    float x = a[i];
    a[i] = operations[i % 2](x); // ERROR kernel died
}

int main(void) {
    float *d_a;
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
    fill<<<1, 1>>>();
    apply<<<1, 32>>>(d_a);
    return cudaDeviceSynchronize() == cudaSuccess;
}
