// Shared memory and atomics: elements of 1 to 16 bytes with conflicts and broadcasts, two arrays in
// dynamic shared memory; a loop around a compare-and-swap.
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT strided k=0..14: 16 16*2**int(k/3) 4 4*2**int(k/3)
// SPDX-License-Identifier: MIT
#include "check.h"

// ---- Shared memory -----------------------------------------------------------------------------
template <typename T> __global__ void strided(T *out, const T *in, int stride) {
    __shared__ T s[THREADS * 4];
    unsigned t = threadIdx.x, i = thread_number();
    for (int k = 0; k < 4; k++)
        s[t + k * THREADS] = in[i];
    __syncthreads();
    out[i] = s[t * stride % (THREADS * 4)];
}

template <typename T> __global__ void gathered(T *out, const T *in, const int *at) {
    __shared__ T s[THREADS];
    unsigned t = threadIdx.x, i = thread_number();
    s[t] = in[i];
    __syncthreads();
    out[i] = s[at[i] % THREADS];
}

__global__ void dynamic_parts(float *out, const float *in, int n) {
    extern __shared__ char memory[];
    float *a = (float *)memory;
    double *b = (double *)(a + n);
    unsigned t = threadIdx.x, i = thread_number();
    a[t] = in[i];
    b[t] = in[i] * 2;
    __syncthreads();
    out[i] = a[(t * 2) % n] + (float)b[(t + 1) % n];
}

// ---- Atomics -----------------------------------------------------------------------------------
__device__ double add_by_cas(double *where, double value) {
    unsigned long long *at = (unsigned long long *)where, old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, __double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}

EACH(cas_loop, (double *sum, const double *in), add_by_cas(&sum[i], in[i]));

template <typename T> static void widths(const int *at) {
    T *in = filled<T>(N);
    T *out = (T *)output<char>(16 * N);
    RUN(strided<T>, out, in, 1);
    RUN(strided<T>, out, in, 2);
    RUN(strided<T>, out, in, 3);
    RUN(gathered<T>, out, in, at);
}

int main() {
    begin();
    int *in = input<int>(N);
    float *f = input<float>(N);
    double *d = input<double>(N), *sum = output<double>(N);
    char *out = output<char>(16 * N);
    widths<unsigned char>(in);
    widths<short>(in);
    widths<float>(in);
    widths<double>(in);
    widths<int4>(in);

    RUN_AS(dynamic_parts, BLOCKS, THREADS, 12 * THREADS, (float *)out, f, THREADS);

    CUDA_CHECK(cudaMemset(sum, 0, N * sizeof *sum));
    RUN(cas_loop, sum, d);
    check_digest(0x350f8a7du);
    return end();
}
