// SPDX-License-Identifier: MIT
// What the exercise gives you: kernels, each launched with one thread for each of n elements.
#include "../../../common/common.h"

#define INDEX ((size_t)blockIdx.x * blockDim.x + threadIdx.x)

static __global__ void copy(float *out, const float *a) { out[INDEX] = a[INDEX]; }

static __global__ void saxpy(float *y, const float *x, float a) {
    y[INDEX] = a * x[INDEX] + y[INDEX];
}

static __global__ void scale(float *x, float a) { x[INDEX] *= a; }

static __global__ void add_doubles(double *out, const double *a, const double *b) {
    out[INDEX] = a[INDEX] + b[INDEX];
}

// index is a permutation.
static __global__ void gather(float *out, const float *a, const int *index) {
    out[INDEX] = a[index[INDEX]];
}

// 1 where a pixel is brighter than `limit`.
static __global__ void threshold(unsigned char *out, const unsigned char *in, unsigned char limit) {
    out[INDEX] = in[INDEX] > limit;
}

// Every second element only.
static __global__ void clear_even(float *x) {
    if (INDEX % 2 == 0)
        x[INDEX] = 0;
}

enum kernel { COPY, SAXPY, SCALE, ADD_DOUBLES, GATHER, THRESHOLD, CLEAR_EVEN, KERNELS };

enum { UNKNOWN = -1 };
