// Branches that not all lanes of a warp take, and warps that are not full.
//
// 2 blocks of 64 threads, 4 warps, unless a launch says otherwise. Only lanes that take part touch
// sectors; a request none of whose lanes takes part is none.
// EXPECT some_warps: 2 8 2 8
// EXPECT settle: 0 0 4 13
// EXPECT by_value: 8 32 4 16
//
// The k-th of these is of 1, 31, 32, 33, 48, 63 threads.
// EXPECT partial k=0..5: (1,1,1,2,2,2)[k] (1,4,4,5,6,8)[k] (1,1,1,2,2,2)[k] (1,4,4,5,6,8)[k]
// EXPECT chosen: 8 32 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

__global__ void some_warps(float *out, const float *in) {
    unsigned i = thread_number();
    if (i / 32 % 2)
        out[i] = in[i] + 1;
}

EACH(chosen, (float *out, const float *a, const float *b), out[i] = i % 4 < 2 ? a[i] : b[i]);

// Neighbours where there are any, 0 beyond the ends.
__global__ void guarded(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
    if (i < n)
        out[i] = left + right;
}

// A loop without memory that lanes leave at different times, and all store behind it.
__global__ void settle(unsigned *out, unsigned n) {
    unsigned i = thread_number(), x = i + 1, steps = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        steps++;
    }
    if (i < n)
        out[i] = steps;
}

// What one array holds decides whether the other is read.
__global__ void by_value(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    float x = a[i];
    if (x > 30)
        x += b[i];
    out[i] = x;
}

__global__ void nested_ways(float *out, const float *in) {
    unsigned i = thread_number();
    if (i % 2) {
        if (i % 4 == 1)
            out[i] = in[i] + 1;
        else if (i % 8 == 3)
            out[i] = in[2 * i] + 2;
    } else {
        out[i] = in[i + 3];
        if (i % 16 == 0)
            out[i + 7] = in[i + 5];
    }
}

__global__ void return_by_lane(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    float x = in[i];
    if (x < 20)
        return;
    out[i] = x;
    if (i % 32 > 20)
        return;
    out[i + n] = in[i + n] + x;
}

__global__ void partial(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x] + 1; }

int main(void) {
    begin();
    unsigned *out_int = output<unsigned>(N);
    float *in = input<float>(4 * N), *out = output<float>(4 * N);

    RUN(some_warps, out, in);
    RUN(chosen, out, in, in + N);
    RUN(guarded, out, in, 100);
    RUN(settle, out_int, 100);
    RUN(by_value, out, in, in + N);
    RUN(nested_ways, out, in);
    RUN(return_by_lane, out, in, N);
    const unsigned threads[] = {1, 31, 32, 33, 48, 63};
    for (int k = 0; k < 6; k++)
        RUN_AS(partial, 1, threads[k], 0, out, in);
    check_digest(0xa44a4cabu);
    return end();
}
