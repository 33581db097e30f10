// The same through a pointer, in a function that does not know what it points to.
// EXPECT BY GCC: out of bounds: load of 4 bytes at past_end_table_handed_on.cu:10
// EXPECT BY GCC: just past the end of squares, 64 bytes, declared at past_end_table_handed_on.cu:6
// SPDX-License-Identifier: MIT
__device__ const int primes[16] = {2, 3, 5, 7};
__device__ const int squares[16] = {0, 1, 4, 9};
__device__ const int cubes[16] = {0, 1, 8, 27};

__device__ __noinline__ int entry(const int *table, int i) {
    return table[i]; // ERROR out of bounds, by gcc
}

__global__ void look_up(const int *in, int *out) {
    int i = threadIdx.x;
    out[i] = entry(cubes, i % 16) + entry(primes, i % 16) + entry(squares, in[i]);
}

int main(void) {
    int in[32], *d_in, *d_out;
    for (int i = 0; i < 32; i++)
        in[i] = i % 17;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof in);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    look_up<<<1, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaErrorIllegalAddress;
}
