// Buffers of the host of just the size that is copied: grown by realloc or a vector, from a
// library, freed and given again, parts of a larger one.
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include <vector>

struct pair {
    int a[8], b[8];
};

int main(void) {
    free(memset(malloc(2 << 20), 1, 2 << 20)); // a large one, before the device is there
    int *d_a, *h_a = (int *)malloc(8), table[4][4];
    std::vector<int> v;
    struct pair p;
    cudaMalloc(&d_a, 64);
    cudaMemset(d_a, 0, 64);
    h_a = (int *)realloc(h_a, 64);
    cudaMemcpy(h_a, d_a, 64, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++)
        v.push_back(i);
    cudaMemcpy(v.data(), d_a, 64, cudaMemcpyDeviceToHost);
    cudaMemcpy(v.data() + 15, d_a, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(p.a, d_a, 64, cudaMemcpyDeviceToHost); // all of p
    cudaMemcpy(table[1], d_a, 48, cudaMemcpyDeviceToHost);
    char *text = strdup("64 bytes, of which the C library knows, and nobody else does...");
    cudaMemcpy(d_a, text, 64, cudaMemcpyHostToDevice);
    free(text);
    for (int i = 1; i < 200; i++) {
        char *other = (char *)malloc(16 * i);
        cudaMemcpy(other, d_a, i < 4 ? 16 * i : 64, cudaMemcpyDeviceToHost);
        free(other);
    }
    cudaFree(d_a);
    free(h_a);
    return 0;
}
