// Loops that all lanes go through as often, loops that they do not, and long ones.
//
// `#pragma unroll 1` where the trip count differs between lanes: an unrolled loop makes other
// requests than the source, and none of the two is wrong (see `unrolled`).
//
// 2 blocks of 64 threads, 4 warps; lane l of a warp goes round l times: 31 requests, the k-th by
// the lanes above it.
// EXPECT by_lane: 4*31 4*sum(k=0..30:4-int((k+1)/8)) 4 16
//
// Lane l takes 100003 - 101 l steps through 64 elements.
// EXPECT long_uneven: 100003 sum(l=0..31:(l<31?101:100003-101*31)*(1+int(l/8))) 1 4
// EXPECT grid_stride: 3*4+1 13*4 3*4+1 13*4
// SPDX-License-Identifier: MIT
#include "check.h"

enum { STEPS = 100003 };

// Lane l reads elements of its column, l of them.
__global__ void by_lane(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < lane; k++)
        sum += in[32 * k + lane];
    out[i] = sum;
}

// by_lane, as most would write it: nvcc unrolls it by four, and then the lanes of a request are
// those whose count is above the next multiple of four.
__global__ void unrolled(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
    for (unsigned k = 0; k < lane; k++)
        sum += in[32 * k + lane];
    out[i] = sum;
}

__global__ void skips(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 12; k++) {
        if ((k + lane) % 3 == 0)
            continue;
        sum += in[32 * k + lane];
        if (k > 7 && lane % 4 == 1)
            break;
        if (k % 4 == lane % 4)
            sum += in[32 * k];
    }
    out[i] = sum;
}

__global__ void nested(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned j = 0; j < lane % 5; j++) {
        float part = in[j + lane];
#pragma unroll 1
        for (unsigned k = 0; k <= j; k++) {
            if (k == 3 && lane > 20)
                break;
            part += in[32 * k + lane];
        }
        sum += part;
    }
    out[i] = sum;
}

// Out of the loop and the kernel at once.
__global__ void return_inside(float *out, const float *in) {
    unsigned i = thread_number();
#pragma unroll 1
    for (unsigned k = 0; k < 10; k++) {
        float x = in[i + 32 * k];
        if (x > 40) {
            out[i] = x;
            return;
        }
        if (k == i % 7)
            break;
    }
    out[i] = in[i] / 2;
}

// Stores inside, too; and a loop after a loop.
__global__ void fill_rows(float *out, const float *in, unsigned width) {
    unsigned row = thread_number();
#pragma unroll 1
    for (unsigned k = 0; k < row % width; k++)
        out[row * width + k] = in[k];
#pragma unroll 1
    for (unsigned k = row % width; k < width; k++)
        out[row * width + k] = in[row];
}

// Long, and lanes leave it one by one. Where a step leads, only memory knows: 32 elements on, then
// back.
__global__ void long_uneven(unsigned *out, const unsigned *link, unsigned steps) {
    unsigned at = threadIdx.x;
#pragma unroll 1
    for (unsigned k = 0; k < steps - 101 * threadIdx.x; k++)
        at = link[at];
    out[threadIdx.x] = at;
}

__global__ void grid_stride(float *out, const float *in, unsigned n) {
    for (unsigned i = thread_number(); i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + 1;
}

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(8 * N);
    unsigned *out_int = output<unsigned>(N), h_link[64];
    for (unsigned k = 0; k < 64; k++)
        h_link[k] = (k + 32) % 64;
    unsigned *link = copy_of(h_link, 64);

    RUN(by_lane, out, in);
    RUN(unrolled, out, in);
    RUN(skips, out, in);
    RUN(nested, out, in);
    RUN(return_inside, out, in);
    RUN_AS(fill_rows, 1, THREADS, 0, out, in, 9);
    RUN_AS(long_uneven, 1, 32, 0, out_int, link, STEPS);
    RUN(grid_stride, out, in, 3 * N + 32);
    check_digest(0x28d733c9u);
    return end();
}
