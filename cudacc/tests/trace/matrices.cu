// Matrices of a warp, mma.h: what its fragments load from global memory and store there, for each
// shape, type and order in memory. A GPU loads 16-bit elements in pairs, also where their order is
// the other one, and transposes them in the warp.
//
//     nvcc -O3 -lineinfo -arch=native matrices.cu -o matrices && ./matrices
//
// EXPECT gemm: 16*4*8 16*4*8*8 16*4 16*4*8
// SPDX-License-Identifier: MIT
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

// A device of less than capability 8.0 has not all shapes and types.
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

enum { LD = 48, AREA = 32 * LD }; // rows or columns lie LD elements apart

// out = a b + c
template <int M, int N, int K, class T, class S, bool A_BY_ROW, bool B_BY_ROW>
__global__ void product(S *out, const T *a, const T *b, const S *c, bool by_row) {
#ifdef HAS_MATRICES
    typedef typename operand<T>::type type;
    wmma::fragment<wmma::matrix_a, M, N, K, type, typename order<A_BY_ROW>::type> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, type, typename order<B_BY_ROW>::type> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum;
    wmma::load_matrix_sync(fa, a, LD);
    wmma::load_matrix_sync(fb, b, LD);
    if (by_row)
        wmma::load_matrix_sync(sum, c, LD, wmma::mem_row_major);
    else
        wmma::load_matrix_sync(sum, c, LD, wmma::mem_col_major);
    wmma::mma_sync(sum, fa, fb, sum);
    if (by_row)
        wmma::store_matrix_sync(out, sum, LD, wmma::mem_row_major);
    else
        wmma::store_matrix_sync(out, sum, LD, wmma::mem_col_major);
#endif
}

// Small whole numbers, that a sum of their products is exact in half, too.
static int small(size_t i) { return (int)(i * 7 % 5); }

template <class T> static T *small_numbers(void) { return input<T>(AREA, small); }

static size_t at(int row, int column, bool by_row) {
    return by_row ? (size_t)row * LD + column : (size_t)column * LD + row;
}

template <int M, int N, int K, class T, class S, bool A_BY_ROW, bool B_BY_ROW>
static void run(const char *what, bool by_row) {
    T *a = small_numbers<T>(), *b = small_numbers<T>();
    S *c = small_numbers<S>(), *out = output<S>(AREA);
    float *expected = (float *)malloc(AREA * sizeof *expected);
    for (int i = 0; i < AREA; i++)
        expected[i] = -1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = small(at(i, j, by_row));
            for (int k = 0; k < K; k++)
                sum += small(at(i, k, A_BY_ROW)) * small(at(k, j, B_BY_ROW));
            expected[at(i, j, by_row)] = (float)sum;
        }
    product<M, N, K, T, S, A_BY_ROW, B_BY_ROW><<<1, 32>>>(out, a, b, c, by_row);
    CHECK(what, out, AREA, expected[i] < 0 ? clear_[i] : (S)expected[i]);
    free(expected);
}

template <int M, int N, int K, class T, class S> static void each_order(const char *what) {
    run<M, N, K, T, S, true, true>(what, true);
    run<M, N, K, T, S, true, false>(what, false);
    run<M, N, K, T, S, false, true>(what, true);
    run<M, N, K, T, S, false, false>(what, false);
}
#define EACH_ORDER(...) each_order<__VA_ARGS__>(#__VA_ARGS__)

// A product of matrices of n x n: each warp 16 x 16 of it.
enum { SIZE = 64 };
__global__ void gemm(float *out, const __half *a, const __half *b) {
#ifdef HAS_MATRICES
    int row = blockIdx.y * 16, column = (threadIdx.x / 32 + blockIdx.x * blockDim.x / 32) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < SIZE; k += 16) {
        wmma::load_matrix_sync(fa, a + row * SIZE + k, SIZE);
        wmma::load_matrix_sync(fb, b + k * SIZE + column, SIZE);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < (int)sum.num_elements; i++)
        sum.x[i] = 2 * sum.x[i];
    wmma::store_matrix_sync(out + row * SIZE + column, sum, SIZE, wmma::mem_row_major);
#endif
}

static void large(void) {
    enum { N = SIZE * SIZE };
    __half *a = input<__half>(N), *b = input<__half>(N);
    float *out = output<float>(N), *expected = (float *)malloc(N * sizeof *expected);
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++) {
            expected[i * SIZE + j] = 0;
            for (size_t k = 0; k < SIZE; k++)
                expected[i * SIZE + j] += 2.0f * element(i * SIZE + k) * element(k * SIZE + j);
        }
    gemm<<<dim3(2, 4), 64>>>(out, a, b);
    CHECK("gemm", out, N, expected[i]);
    free(expected);
}

int main(void) {
    begin();
    int major;
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 8)
        return end();
    EACH_MATRIX(EACH_ORDER);
    large();
    return end();
}
