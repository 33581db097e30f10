// Control flow in which lanes part and meet again.
//
// 2 blocks of 64 threads, 4 warps. Lanes that part meet again where the statement ends; a request
// of a switch's case has all lanes that come to it, from before or from the case above.
// EXPECT fall_through_stores: 12 48 16 64
// EXPECT ways_before_loop, ways_before_volatile_loop: 16 72 16 64
// EXPECT_SHARED some_store: 8 10
// EXPECT stores_after_loads: 12 49 8 32
// EXPECT clamped: 4 16 12 48
// SPDX-License-Identifier: MIT
#include "check.h"

// Each case goes on into the next one.
__global__ void fall_through_stores(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    switch (i % 4) {
    case 0:
        out[i] = in[i];
        [[fallthrough]];
    case 1:
        out[i + n] = in[i + n] + 1;
        [[fallthrough]];
    case 2:
        out[i + 2 * n] = in[i + 2 * n] + 2;
        break;
    default:
        out[i + 3 * n] = 4;
    }
}

// The rest of a sum, as it is unrolled by hand.
__global__ void rest_of_four(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    float sum = 0;
    switch (i % 5) {
    case 4:
        sum += in[i + 3 * n];
        [[fallthrough]];
    case 3:
        sum += in[i + 2 * n];
        [[fallthrough]];
    case 2:
        sum += in[i + n];
        [[fallthrough]];
    case 1:
        sum += in[i];
    }
    out[i] = sum;
}

// Both ways end in a store to one place.
__global__ void stores_by_int(float *out, const float *a, const float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3)
        out[i] = a[i] + 1;
    else
        out[i] = b[i] * 2;
}
__global__ void stores_after_loads(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    float x = a[i];
    if (x > 30) {
        x = b[i];
        out[i] = x;
    } else {
        x = b[i + 1] * 3;
        out[i] = x;
    }
}
__global__ void clamped(float *out, const float *in) {
    unsigned i = thread_number();
    if (in[i] < 20)
        out[i] = 20;
    else if (in[i] > 40)
        out[i] = 40;
    else
        out[i] = in[i];
}
__global__ void found_at_last(unsigned *out, const unsigned *in, unsigned count) {
    unsigned i = thread_number(), k = 0;
#pragma unroll 1
    while (k < count) {
        unsigned x = in[i + k];
        if (x % 16 == 3)
            break;
        if (x % 2) {
            k += 2;
            continue;
        }
        k += 1;
    }
    out[i] = in[i + k];
}

// Three ways meet before a loop of three rounds.
template <class T> __device__ static void ways(T *out, const T *in, unsigned n) {
    unsigned i = thread_number(), x = 0;
    if (i % 4 == 0)
        x = in[i + 35];
    else if (i % 4 == 2)
        out[i + 3 * n] = 9;
    for (unsigned k = 0; k < 3; k++) {
        out[i + k * n] = x;
        x = in[i + k];
    }
}
__global__ void ways_before_loop(unsigned *out, const unsigned *in, unsigned n) {
    ways(out, in, n);
}
__global__ void ways_before_volatile_loop(volatile unsigned *out, const volatile unsigned *in,
                                          unsigned n) {
    ways(out, in, n);
}
// A table whose values are known.
__device__ const float weights[3] = {1, 2, 3};
__global__ void weighted(float *out, const float *in) {
    unsigned i = thread_number();
    float sum = 0;
    for (unsigned k = 0; k < 3; k++)
        sum += weights[k] * in[i + k];
    out[i] = sum;
}

// Shared memory: warps none of whose lanes take part ask for nothing.
__global__ void some_store(float *out, const float *in) {
    __shared__ float words[THREADS];
    unsigned i = thread_number(), t = threadIdx.x;
    words[t] = 0;
    __syncthreads();
    if (t < 24)
        words[t] = in[i];
    __syncthreads();
    if (in[i] > 50)
        words[t] += 1;
    __syncthreads();
    out[i] = words[t];
}

int main(void) {
    begin();
    float *in = input<float>(4 * N), *out = output<float>(4 * N);
    unsigned *in_word = input<unsigned>(4 * N), *out_word = output<unsigned>(4 * N);

    RUN(fall_through_stores, out, in, N);
    RUN(rest_of_four, out, in, N);
    RUN(stores_by_int, out, in, in + N);
    RUN(stores_after_loads, out, in, in + N);
    RUN(clamped, out, in);
    RUN(found_at_last, out_word, in_word, 8);
    RUN(ways_before_loop, out_word, in_word, N);
    RUN(ways_before_volatile_loop, out_word, in_word, N);
    RUN(weighted, out, in);
    RUN(some_store, out, in);
    check_digest(0x15f80a7au);
    return end();
}
