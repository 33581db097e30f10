// One past the end of a thread's own array, which a function walks through; a float is read as a
// long. As on a GPU the kernel continues, with what it finds there.
// EXPECT BY GCC: out of bounds: load at past_end_local.cu
// EXPECT BY GCC: thread (0,0,0): past an end of a local variable
// SPDX-License-Identifier: MIT
__device__ int sum(const int *a, int n) {
    int total = 0;
    for (int i = 0; i <= n; i++)
        total += a[i]; // ERROR out of bounds, by gcc
    return total;
}

__global__ void squares(int *out, int n) {
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = i * i;
    out[threadIdx.x] = sum(a, n);
}

#pragma GCC diagnostic ignored "-Warray-bounds" // gcc says one of the two
#pragma GCC diagnostic ignored "-Wuninitialized"
__global__ void bits(long *out) {
    float f = (float)threadIdx.x;
    out[threadIdx.x] = *(long *)&f; // ERROR out of bounds, by gcc
}

int main(void) {
    int *d_out;
    long *d_bits;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    squares<<<1, 32>>>(d_out, 8);
    cudaMalloc(&d_bits, 32 * sizeof *d_bits);
    bits<<<1, 32>>>(d_bits);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    cudaFree(d_bits);
    return e != cudaSuccess;
}
