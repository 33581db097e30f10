// SPDX-License-Identifier: MIT
// The host adds; no kernel touches the arrays.
//   rejected: facts: bytes that kernels read
#include <stdlib.h>

void add_arrays(float *out, const float *a, const float *b, size_t n) {
    float *h = (float *)malloc(2 * n * sizeof *h + 1);
    cudaMemcpy(h, a, n * sizeof *h, cudaMemcpyDeviceToHost);
    cudaMemcpy(h + n, b, n * sizeof *h, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++)
        h[i] += h[n + i];
    cudaMemcpy(out, h, n * sizeof *h, cudaMemcpyHostToDevice);
    free(h);
}
