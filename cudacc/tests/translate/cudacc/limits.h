// A template that two files instantiate, and the check of both.
// SPDX-License-Identifier: MIT
#include <stdio.h>

template <typename T, int N = 1024> __global__ void of_header(T *out) {
    __shared__ T tile[N];
    extern __shared__ char more[];
    tile[threadIdx.x] = more[threadIdx.x] = 1;
    __syncthreads();
    *out = tile[0] + more[0];
}

static inline void launched(const char *what, cudaError_t expected) {
    cudaError_t e = cudaGetLastError();
    printf("%s: %s\n", what, e == expected ? "ok" : "WRONG");
}
#define FITS(...)                                                                                  \
    __VA_ARGS__;                                                                                   \
    launched(#__VA_ARGS__, cudaSuccess)
#define REFUSED(...)                                                                               \
    __VA_ARGS__;                                                                                   \
    launched(#__VA_ARGS__, cudaErrorInvalidValue)

void other_file(int *out);
