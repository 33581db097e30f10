// A launch with too many threads and a copy of too many bytes; the program ignores their errors.
// EXPECT: launch refused: kernel fill at call_failed.cu:11 did not run
// EXPECT: out of bounds: cudaMemcpy at call_failed.cu:12: its destination ends 128 bytes past the end of d_a
// SPDX-License-Identifier: MIT
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main(void) {
    int *d_a;
    static int h_a[64];
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    fill<<<1, 2048>>>(d_a);                                   // ERROR launch refused
    cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice); // ERROR out of bounds
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
