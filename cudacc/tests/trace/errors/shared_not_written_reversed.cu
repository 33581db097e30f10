// A block turns its numbers round in shared memory, where only half of them have been put. Thread 0
// is the first that reads what is not there: the last one.
// EXPECT: block (0,0,0), thread (0,0,0): shared turned[63], byte 252 of 256; no thread of the block
// SPDX-License-Identifier: MIT
__global__ void turn_round(const int *in, int *out) {
    __shared__ int turned[64];
    if (threadIdx.x < 32)
        turned[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = turned[63 - threadIdx.x]; // ERROR read of memory never written
}

int main(void) {
    static int h_in[64];
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof h_in);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    turn_round<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
