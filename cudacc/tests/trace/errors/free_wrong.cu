// Each memory is freed by the call for another one.
// EXPECT: free of a wrong pointer: cudaFree at free_wrong.cu:14: memory of the host that no call of CUDA gave; malloc's is freed with free()
// EXPECT: cudaFree at free_wrong.cu:15: h_pinned[0], byte 0 of 100, allocated at free_wrong.cu:12; memory of the host is freed with cudaFreeHost
// EXPECT: cudaFreeHost at free_wrong.cu:16: d_a[0], byte 0 of 100, allocated at free_wrong.cu:13; memory of the device is freed with cudaFree
// EXPECT: cudaFree at free_wrong.cu:17: d_a[1], byte 4 of 100, allocated at free_wrong.cu:13; only the pointer to its first byte can be freed
// SPDX-License-Identifier: MIT
#include <stdlib.h>

int main(void) {
    int *h_a = (int *)malloc(100);
    int *h_pinned, *d_a;
    cudaMallocHost(&h_pinned, 100);
    cudaMalloc(&d_a, 100);
    cudaFree(h_a);      // ERROR free of a wrong pointer
    cudaFree(h_pinned); // ERROR free of a wrong pointer
    cudaFreeHost(d_a);  // ERROR free of a wrong pointer
    cudaFree(d_a + 1);  // ERROR free of a wrong pointer
    free(h_a);
    cudaFreeHost(h_pinned);
    cudaFree(d_a);
    return 0;
}
