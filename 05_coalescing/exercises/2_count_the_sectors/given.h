// SPDX-License-Identifier: MIT
// What the exercise gives you: kernels, in blocks of 256 threads. All arrays come from cudaMalloc,
// so their addresses are multiples of 256. What counts is what each of them reads; what it writes
// is the same for all.
#include "../../../common/common.h"

#define INDEX ((size_t)blockIdx.x * blockDim.x + threadIdx.x)

static __global__ void plain(float *out, const float *a) { out[INDEX] = a[INDEX]; }

static __global__ void one_on(float *out, const float *a) { out[INDEX] = a[INDEX + 1]; }

// The threads of a warp in reverse order.
static __global__ void backwards(float *out, const float *a) { out[INDEX] = a[INDEX ^ 31]; }

static __global__ void every_second(float *out, const float *a) { out[INDEX] = a[2 * INDEX]; }

static __global__ void every_tenth(float *out, const float *a) { out[INDEX] = a[10 * INDEX]; }

static __global__ void all_the_same(float *out, const float *a) { out[INDEX] = a[blockIdx.x]; }

static __global__ void two_by_two(float *out, const float *a) { out[INDEX] = a[INDEX / 2]; }

static __global__ void doubles(float *out, const double *a) { out[INDEX] = (float)a[INDEX]; }

struct point {
    float x, y, z;
};

static __global__ void one_field(float *out, const struct point *a) { out[INDEX] = a[INDEX].y; }

// Half of the threads of each warp read nothing.
static __global__ void lower_half(float *out, const float *a) {
    out[INDEX] = INDEX % 32 < 16 ? a[INDEX] : 0;
}

enum kernel {
    PLAIN,
    ONE_ON,
    BACKWARDS,
    EVERY_SECOND,
    EVERY_TENTH,
    ALL_THE_SAME,
    TWO_BY_TWO,
    DOUBLES,
    ONE_FIELD,
    LOWER_HALF,
    KERNELS
};

enum { UNKNOWN = -1 };
