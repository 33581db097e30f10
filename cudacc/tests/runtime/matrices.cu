// SPDX-License-Identifier: MIT
// mma.h: products of a warp's matrices, of each shape, type and order in memory; all numbers are
// small and whole, so every sum is exact.
#include "../lib/matrices.h"
#include "../../../tests/lib/device.h"

// out = a b + a b + c
template <int M, int N, int K, class T, class S, bool A_BY_ROW, bool B_BY_ROW>
__global__ void product(S *out, const T *a, const T *b, const S *c, bool by_row) {
#ifdef HAS_MATRICES
    typedef typename operand<T>::type type;
    wmma::fragment<wmma::matrix_a, M, N, K, type, typename order<A_BY_ROW>::type> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, type, typename order<B_BY_ROW>::type> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum, more;
    wmma::layout_t layout = by_row ? wmma::mem_row_major : wmma::mem_col_major;
    unsigned ld = by_row ? N : M;
    wmma::fill_fragment(sum, S(0));
    wmma::load_matrix_sync(more, c, ld, layout);
    wmma::load_matrix_sync(fa, a, A_BY_ROW ? K : M);
    wmma::load_matrix_sync(fb, b, B_BY_ROW ? N : K);
    for (int i = 0; i < 2; i++)
        wmma::mma_sync(sum, fa, fb, sum);
    for (int i = 0; i < (int)sum.num_elements; i++)
        sum.x[i] = sum.x[i] + more.x[i];
    wmma::store_matrix_sync(out, sum, ld, layout);
#endif
}

template <class T> static T *numbers(int count, int modulus) {
    T *p;
    must(cudaMallocManaged((void **)&p, (size_t)count * sizeof *p));
    for (int i = 0; i < count; i++)
        p[i] = T(float(i * 7 % modulus));
    return p;
}

template <int M, int N, int K, class T, class S, bool A_BY_ROW, bool B_BY_ROW>
static void test_order(const char *name, bool by_row) {
    T *a = numbers<T>(M * K, 5), *b = numbers<T>(K * N, 4);
    S *c = numbers<S>(M * N, 9), *out = numbers<S>(M * N, 2);
    product<M, N, K, T, S, A_BY_ROW, B_BY_ROW><<<1, 32>>>(out, a, b, c, by_row);
    works(cudaDeviceSynchronize(), "%s, a by %s, b by %s: runs", name, A_BY_ROW ? "row" : "column",
          B_BY_ROW ? "row" : "column");
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int at = by_row ? i * N + j : j * M + i;
            float sum = float(c[at]);
            for (int k = 0; k < K; k++)
                sum += 2 * float(a[A_BY_ROW ? i * K + k : k * M + i]) *
                       float(b[B_BY_ROW ? k * N + j : j * K + k]);
            wrong += !(float(out[at]) == sum);
        }
    ok(wrong == 0, "%s: %d of %d elements are wrong", name, wrong, M * N);
    must(cudaFree(a));
    must(cudaFree(b));
    must(cudaFree(c));
    must(cudaFree(out));
}

template <int M, int N, int K, class T, class S> static void test(const char *name) {
    test_order<M, N, K, T, S, true, true>(name, true);
    test_order<M, N, K, T, S, true, false>(name, false);
    test_order<M, N, K, T, S, false, true>(name, false);
    test_order<M, N, K, T, S, false, false>(name, true);
}
#define IN_EACH_ORDER(...) test<__VA_ARGS__>(#__VA_ARGS__)

int main(void) {
    need_device();
    int major;
    must(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 8)
        plan_skip_all("matrices of all types come with capability 8.0");
    EACH_MATRIX(IN_EACH_ORDER);
    return done_testing();
}
