// The host prints, copies and writes texts that a copy may not have fetched yet
// EXPECT: data race: load of 1 bytes at text_too_early.cu:16, by the host, and cudaMemcpyAsync at text_too_early.cu:14
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

int main(void) {
    char *d_a, *h_a, other[64];
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_a, 64);
    cudaMallocHost(&h_a, 64);
    cudaMemset(d_a, 0, 64), strcpy(h_a, "early");
    cudaMemcpyAsync(h_a + 8, d_a, 32, cudaMemcpyDeviceToHost, stream); // ERROR data race
    puts(h_a);
    puts(h_a + 8);                                        // ERROR data race
    int n = snprintf(other, sizeof other, "%s", h_a + 9); // ERROR data race
    cudaStreamSynchronize(stream);
    n += (int)strlen(h_a + 8);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFreeHost(h_a);
    return n;
}
