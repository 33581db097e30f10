// Calls that fail, and the program looks at the result of none
// EXPECT: failed call: cudaMalloc at calls_failed.cu:15: error 2, out of memory; the program did not look at its result
// EXPECT: failed call: cudaSetDevice at calls_failed.cu:16: error 101, invalid device ordinal
// EXPECT: failed call: cudaEventElapsedTime at calls_failed.cu:18: error 400, invalid resource handle
// SPDX-License-Identifier: MIT
int main(void) {
    int *d_a;
    float ms;
    cudaEvent_t start, stop;
    cudaSetDevice(-1);
    cudaGetLastError(); // that one was asked about
    cudaStreamQuery(0);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&d_a, (size_t)1 << 50); // ERROR failed call
    cudaSetDevice(5);                  // ERROR failed call
    cudaEventRecord(start);
    cudaEventElapsedTime(&ms, start, stop); // ERROR failed call
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return cudaSetDevice(7) == cudaSuccess;
}
