// The same pointer is freed twice; another one was never allocated.
// EXPECT: free of a wrong pointer: cudaFree at free_twice.cu:10: d_a[0], byte 0 of 1000, allocated at free_twice.cu:8, which has been freed
// EXPECT: free of a wrong pointer: cudaFree at free_twice.cu:13: d_b[1], byte 4 of 1000
// SPDX-License-Identifier: MIT
int main(void) {
    float *d_a, *d_b;
    int failed = 0;
    cudaMalloc(&d_a, 1000);
    cudaFree(d_a);
    failed += cudaFree(d_a) != cudaSuccess; // ERROR free of a wrong pointer

    cudaMalloc(&d_b, 1000);
    failed += cudaFree(d_b + 1) != cudaSuccess; // ERROR free of a wrong pointer
    cudaFree(d_b);
    return failed != 2;
}
