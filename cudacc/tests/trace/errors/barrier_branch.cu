// Only half of the threads come to the barrier.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_branch.cu
// EXPECT: block (0,0,0): 32 threads wait there, thread (1,0,0) first; 32 have returned, thread (0,0,0) first
// SPDX-License-Identifier: MIT
__global__ void half(int *out) {
    out[threadIdx.x] = 0;
    if (threadIdx.x % 2)
        __syncthreads(); // ERROR barrier not reached by all threads
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    half<<<1, 64>>>(d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaSuccess;
}
