// Device functions: called from both ways of a branch, recursive, through pointers.
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT called_both_ways: 8 24 4 16
//
// Lane l calls itself l % 4 times, so a warp is 4 levels deep; each level reads on the way down and
// writes on the way up.
// EXPECT recursive: 16 64 16 64
// SPDX-License-Identifier: MIT
#include "check.h"

// One function, two calls: each is a request of its own lanes.
__device__ static __noinline__ float element_at(const float *in, unsigned i) { return in[i]; }

__global__ void called_both_ways(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    float x;
    if (i % 2)
        x = element_at(a, i) + 1;
    else
        x = element_at(b, i / 2) * 2;
    out[i] = x;
}

// A function with a branch and a loop inside, called by some.
__device__ static __noinline__ float polynomial(const float *in, unsigned from, unsigned count) {
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < count; k++) {
        if (k % 2)
            continue;
        sum += in[from + k];
    }
    return sum;
}

__global__ void called_by_some(float *out, const float *in) {
    unsigned i = thread_number();
    float x = in[i];
    if (i % 32 < 20)
        x += polynomial(in, i, i % 4);
    if (i % 3 == 0)
        x += polynomial(in, i / 2, 3);
    out[i] = x;
}

__device__ static __noinline__ float recurse(float *out, const float *in, unsigned depth,
                                             unsigned n) {
    unsigned i = thread_number();
    float x = in[i + depth * n];
    if (depth < i % 4)
        x += recurse(out, in, depth + 1, n);
    out[i + depth * n] = x;
    return x;
}

__global__ void recursive(float *out, const float *in, unsigned n) { recurse(out, in, 0, n); }

typedef float (*operation)(const float *in, unsigned i);

__device__ static float plain(const float *in, unsigned i) { return in[i]; }
__device__ static float next_one(const float *in, unsigned i) { return in[i + 1]; }
__device__ static float two(const float *in, unsigned i) { return in[i] + in[2 * i]; }

__device__ static const operation operations[] = {plain, next_one, two};

__global__ void by_pointer(float *out, const float *in, unsigned which) {
    unsigned i = thread_number();
    operation f = which == 0 ? plain : which == 1 ? next_one : two;
    out[i] = f(in, i);
}

// The table itself is read from memory, by each lane its own entry.
EACH(by_table, (float *out, const float *in), out[i] = operations[i % 3](in, i));

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(4 * N);

    RUN(called_both_ways, out, in, in + N);
    RUN(called_by_some, out, in);
    RUN(recursive, out, in, N);
    for (unsigned which = 0; which < 3; which++)
        RUN(by_pointer, out, in, which);
    RUN(by_table, out, in);
    check_digest(0x53b41ef5u);
    return end();
}
