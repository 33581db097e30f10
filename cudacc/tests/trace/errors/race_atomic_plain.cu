// Some threads count with an atomic, one reads the count as if they were done.
// EXPECT: data race: atomic of 4 bytes at race_atomic_plain.cu
// SPDX-License-Identifier: MIT
__global__ void count(int *counter, int *out) {
    atomicAdd(counter, 1); // ERROR data race
    if (threadIdx.x == 0)
        out[blockIdx.x] = *counter; // ERROR data race
}

int main(void) {
    int *d_counter, *d_out;
    cudaMalloc(&d_counter, sizeof *d_counter);
    cudaMalloc(&d_out, 4 * sizeof *d_out);
    cudaMemset(d_counter, 0, sizeof *d_counter);
    count<<<4, 64>>>(d_counter, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_counter);
    cudaFree(d_out);
    return e != cudaSuccess;
}
