// SPDX-License-Identifier: MIT
// What the exercise gives you: kernels, in blocks of 256 threads. All arrays come from cudaMalloc,
// so their addresses are multiples of 256. What counts is what each of them reads; what it writes
// is the same for all.
#include "../../../common/common.h"

#define INDEX ((size_t)blockIdx.x * blockDim.x + threadIdx.x)

static __global__ void plain(float *out, const float *a) { out[INDEX] = a[INDEX]; }

#define SHIFT 1

static __global__ void shifted(float *out, const float *a) { out[INDEX] = a[INDEX + SHIFT]; }

// The threads of a warp in reverse order.
static __global__ void backwards(float *out, const float *a) { out[INDEX] = a[INDEX ^ 31]; }

#define NEAR 2

static __global__ void spread(float *out, const float *a) { out[INDEX] = a[NEAR * INDEX]; }

#define FAR 10

static __global__ void far_apart(float *out, const float *a) { out[INDEX] = a[FAR * INDEX]; }

static __global__ void all_the_same(float *out, const float *a) { out[INDEX] = a[blockIdx.x]; }

#define GROUP 2

static __global__ void shared_by_some(float *out, const float *a) { out[INDEX] = a[INDEX / GROUP]; }

static __global__ void doubles(float *out, const double *a) { out[INDEX] = (float)a[INDEX]; }

#define FIELDS 3

struct point {
    float field[FIELDS];
};

static __global__ void one_field(float *out, const struct point *a) {
    out[INDEX] = a[INDEX].field[1];
}

#define READERS 16

// The other threads of each warp read nothing.
static __global__ void some_read(float *out, const float *a) {
    out[INDEX] = INDEX % 32 < READERS ? a[INDEX] : 0;
}

enum kernel {
    PLAIN,
    SHIFTED,
    BACKWARDS,
    SPREAD,
    FAR_APART,
    ALL_THE_SAME,
    SHARED_BY_SOME,
    DOUBLES,
    ONE_FIELD,
    SOME_READ,
    KERNELS
};

enum { UNKNOWN = -1 };
