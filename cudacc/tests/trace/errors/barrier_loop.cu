// A barrier in a loop that some threads leave earlier than others.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_loop.cu
// SPDX-License-Identifier: MIT
__global__ void steps(int *out) {
    int i = threadIdx.x;
    for (int k = 0; k < 1 + i / 32; k++)
        __syncthreads(); // ERROR barrier not reached by all threads
    out[i] = i;
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    steps<<<1, 64>>>(d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaSuccess;
}
