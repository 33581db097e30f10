// Copies and memsets that do not fit. On a GPU only their error codes would tell.
// EXPECT: its destination ends 40 bytes past the end of d_a, 4000 bytes, allocated at copy_past_end.cu:15; it did nothing
// EXPECT: its source ends 4 bytes past the end of d_a, 4000 bytes
// EXPECT: its memory ends 1 bytes past the end of d_a, 4000 bytes
// EXPECT: its destination ends 400 bytes past the end of d_rows
// EXPECT: its destination ends past the end of factors, 64 bytes
// EXPECT: CPU device: 7 errors
// SPDX-License-Identifier: MIT
__device__ int counters[16];
__constant__ float factors[16];

int main(void) {
    static float h_a[1100];
    float *d_a, *d_rows;
    cudaMalloc(&d_a, 1000 * sizeof *d_a);
    cudaStream_t stream;
    size_t pitch;
    cudaStreamCreate(&stream);
    cudaMallocPitch(&d_rows, &pitch, 100 * sizeof *d_rows, 10);
    cudaMemset(d_a, 0, 1000 * sizeof *d_a);
    cudaMemcpy(d_a, h_a, 1010 * sizeof *d_a, cudaMemcpyHostToDevice);       // ERROR out of bounds
    cudaMemcpy(h_a, d_a + 1, 1000 * sizeof *d_a, cudaMemcpyDeviceToHost);   // ERROR out of bounds
    cudaMemcpyAsync(h_a, d_a, 4001, cudaMemcpyDeviceToHost, stream);        // ERROR out of bounds
    cudaMemset(d_a, 0, 4001);                                               // ERROR out of bounds
    cudaMemcpy2D(d_rows, pitch, h_a, 400, 400, 11, cudaMemcpyHostToDevice); // ERROR out of bounds
    cudaMemcpyFromSymbol(h_a, counters, 8, 60);                             // ERROR out of bounds
    cudaMemcpyToSymbol(factors, h_a, 17 * sizeof(float));                   // ERROR out of bounds
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFree(d_rows);
    return 0;
}
