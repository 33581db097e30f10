// Threads past the end of the array return before the barrier.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_return.cu
// EXPECT: kernel shift, launch 0, block (3,0,0): 8 threads wait there, thread (0,0,0) first; 56 have returned, thread (8,0,0) first
// SPDX-License-Identifier: MIT
__global__ void shift(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    tile[threadIdx.x] = in[i];
    __syncthreads(); // ERROR barrier not reached by all threads
    out[i] = tile[threadIdx.x ^ 1];
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 200 * sizeof(int));
    cudaMalloc(&d_out, 200 * sizeof(int));
    cudaMemset(d_in, 0, 200 * sizeof(int));
    shift<<<4, 64>>>(d_in, d_out, 200);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
