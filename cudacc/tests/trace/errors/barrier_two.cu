// Each branch has its own barrier: the threads wait at different ones.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_two.cu
// EXPECT: block (0,0,0): 16 threads wait there, thread (0,0,0) first; 48 wait at barrier_two.cu:13, thread (16,0,0) first
// SPDX-License-Identifier: MIT
__global__ void both(int *out) {
    int i = threadIdx.x;
    if (i < 16) {
        out[i] = 1;
        __syncthreads(); // ERROR barrier not reached by all threads
    } else {
        out[i] = 2;
        out[i] += 1;
        __syncthreads(); // ERROR barrier not reached by all threads
    }
    out[i] += i;
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    both<<<1, 64>>>(d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaSuccess;
}
