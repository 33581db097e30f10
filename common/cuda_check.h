// SPDX-License-Identifier: MIT
// CUDA_CHECK: stop at the first CUDA call that fails. This file needs nothing else: copy it.
//
//     CUDA_CHECK(cudaMalloc(&d_x, bytes));
//     kernel<<<grid, block>>>(d_x, n);
//     CUDA_CHECK(cudaGetLastError());       // a launch returns nothing: was it accepted?
//     CUDA_CHECK(cudaDeviceSynchronize());  // an error while the kernel runs shows here or later
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// Evaluates `call` (a cudaError_t) once. On an error: one line on stderr with the place, the failed
// expression, the error's name, number and text; then exit code 3. do-while, so that
// `if (x) CUDA_CHECK(y); else ...` means what it says.
#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t cuda_check_error = (call);                                                     \
        if (cuda_check_error != cudaSuccess) {                                                     \
            fprintf(stderr, "%s:%d: %s failed: %s (%d): %s\n", __FILE__, __LINE__, #call,          \
                    cudaGetErrorName(cuda_check_error), (int)cuda_check_error,                     \
                    cudaGetErrorString(cuda_check_error));                                         \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

#endif
