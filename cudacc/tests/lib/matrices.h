// SPDX-License-Identifier: MIT
// mma.h for the tests of a warp's matrices: what their fragments are declared with, and each shape
// and type. A device of less than capability 8.0 has not all of them: HAS_MATRICES is not defined.
#ifndef TESTS_MATRICES_H
#define TESTS_MATRICES_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800 || defined __CUDACC_CPU__
#define HAS_MATRICES
namespace wmma = nvcuda::wmma;
template <class T> struct operand { typedef T type; };
template <> struct operand<float> { typedef wmma::precision::tf32 type; };
template <bool by_row> struct order { typedef wmma::row_major type; };
template <> struct order<false> { typedef wmma::col_major type; };
#endif

// DO(m, n, k, what a and b hold, what their product holds)
#define EACH_MATRIX(DO)                                                                            \
    DO(16, 16, 16, __half, float);                                                                 \
    DO(32, 8, 16, __half, float);                                                                  \
    DO(8, 32, 16, __half, float);                                                                  \
    DO(16, 16, 16, __half, __half);                                                                \
    DO(32, 8, 16, __half, __half);                                                                 \
    DO(8, 32, 16, __half, __half);                                                                 \
    DO(16, 16, 16, __nv_bfloat16, float);                                                          \
    DO(32, 8, 16, __nv_bfloat16, float);                                                           \
    DO(8, 32, 16, __nv_bfloat16, float);                                                           \
    DO(16, 16, 16, signed char, int);                                                              \
    DO(32, 8, 16, unsigned char, int);                                                             \
    DO(8, 32, 16, signed char, int);                                                               \
    DO(16, 16, 8, float, float);                                                                   \
    DO(8, 8, 4, double, double)

#endif
