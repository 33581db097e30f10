// The host changes the source of a copy without waiting for it, by functions of the library
// EXPECT: data race: store of 64 bytes at library_too_early.cu:15, by the host, and cudaMemcpyAsync at library_too_early.cu:14
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string.h>

int main(void) {
    int *d_a, *h_a, values[64] = {0};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMallocHost(&h_a, 64 * sizeof *h_a);
    memset(h_a, 1, 256);
    cudaMemcpyAsync(d_a, h_a, 256, cudaMemcpyHostToDevice, stream); // ERROR data race
    memset(h_a, 0, 64);                                             // ERROR data race
    memcpy(h_a, values, 64);                                        // ERROR data race
    std::copy(values, values + 64, h_a);                            // ERROR data race
    memcpy(values, h_a, sizeof values);                             // reads, as the copy does
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFreeHost(h_a);
    return values[0];
}
