// The host's buffer has room for 15 elements, and the copy brings 16.
// UNSEEN: The bounds of malloc's memory are not known. `cudacc -fsanitize=address` finds it.
// SPDX-License-Identifier: MIT
#include <stdlib.h>

int main(void) {
    int *d_a, *h_a = (int *)malloc(15 * sizeof *h_a);
    cudaMalloc(&d_a, 16 * sizeof *d_a);
    cudaMemset(d_a, 0, 16 * sizeof *d_a);
    cudaError_t e = cudaMemcpy(h_a, d_a, 16 * sizeof *h_a, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    free(h_a);
    return e != cudaSuccess;
}
