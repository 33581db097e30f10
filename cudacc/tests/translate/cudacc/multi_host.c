/* One of three files that make a program: host code in C, which calls the API. */
/* SPDX-License-Identifier: MIT */
#include "multi.h"
#include <stdlib.h>

int *device_numbers(int n) {
    int *h = malloc((size_t)n * sizeof *h), *d = NULL;
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc((void **)&d, (size_t)n * sizeof *d);
    cudaMemcpy(d, h, (size_t)n * sizeof *d, cudaMemcpyHostToDevice);
    free(h);
    return d;
}

int sum_of(const int *device, int n) {
    int *h = malloc((size_t)n * sizeof *h), sum = 0;
    cudaMemcpy(h, device, (size_t)n * sizeof *h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += h[i];
    free(h);
    return sum;
}
