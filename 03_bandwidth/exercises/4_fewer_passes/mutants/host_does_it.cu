// SPDX-License-Identifier: MIT
// The host computes, and no kernel reads anything.
//   rejected: facts: bytes read for each element
#include <stdlib.h>

void sum_of_squares(float *out, const float *x, const float *y, float *, size_t n) {
    float *h = (float *)malloc(2 * n * sizeof *h + 1);
    cudaMemcpy(h, x, n * sizeof *h, cudaMemcpyDeviceToHost);
    cudaMemcpy(h + n, y, n * sizeof *h, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++)
        h[i] = h[i] * h[i] + h[n + i] * h[n + i];
    cudaMemcpy(out, h, n * sizeof *h, cudaMemcpyHostToDevice);
    free(h);
}
