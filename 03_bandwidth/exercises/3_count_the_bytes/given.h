// SPDX-License-Identifier: MIT
// What the exercise gives you: kernels, each launched with one thread for each of n elements.
#include "../../../common/common.h"

#define INDEX ((size_t)blockIdx.x * blockDim.x + threadIdx.x)

static __global__ void copy(float *out, const float *a) { out[INDEX] = a[INDEX]; }

static __global__ void saxpy(float *y, const float *x, float a) {
    y[INDEX] = a * x[INDEX] + y[INDEX];
}

static __global__ void scale(float *x, float a) { x[INDEX] *= a; }

#define REAL double

static __global__ void add(REAL *out, const REAL *a, const REAL *b) {
    out[INDEX] = a[INDEX] + b[INDEX];
}

#define PLACE int

// index is a permutation, of each 65536 elements.
static __global__ void gather(float *out, const float *a, const PLACE *index) {
    out[INDEX] = a[index[INDEX]];
}

#define PIXEL unsigned char

// 1 where a pixel is brighter than `limit`.
static __global__ void threshold(PIXEL *out, const PIXEL *in, PIXEL limit) {
    out[INDEX] = in[INDEX] > limit;
}

#define EVERY 2

// One element of so many only.
static __global__ void clear_some(float *x) {
    if (INDEX % EVERY == 0)
        x[INDEX] = 0;
}

enum kernel { COPY, SAXPY, SCALE, ADD, GATHER, THRESHOLD, CLEAR_SOME, KERNELS };

enum { UNKNOWN = -1 };
