// What a compiler does to loops, to accesses that each arm of a condition has, to calls, and to
// loads: repeated ones, hoisted ones, unused ones.
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT same_in_each_arm: 12 48 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

// ---- Control flow ------------------------------------------------------------------------------
__global__ void same_in_each_arm(int *out, const int *in) {
    unsigned i = thread_number();
    int v;
    if (i % 4 == 0)
        v = in[i] + 1;
    else if (i % 4 == 1)
        v = in[i] * 2;
    else
        v = in[i] - 3;
    out[i] = v;
}

// ---- Loads ------------------------------------------------------------------------------------
__global__ void unused_load(int *out, const int *in) {
    unsigned i = thread_number();
    int v = in[i];
    (void)in[i + N];
    out[i] = v;
}

__global__ void used_in_one_arm(int *out, const int *in) {
    unsigned i = thread_number();
    int v = in[i + N];
    out[i] = i % 8 == 3 ? v : (int)i;
}

EACH(repeated, (int *out, const int *in), out[i] = in[i] * in[i] + in[i]);

__global__ void repeated_after_store(int *out, const int *in) {
    unsigned i = thread_number();
    out[i] = in[i];
    out[i + N] = in[i];
}

__global__ void repeated_restrict(int *__restrict__ out, const int *__restrict__ in) {
    unsigned i = thread_number();
    out[i] = in[i];
    out[i + N] = in[i];
}

__global__ void in_place(int *data) {
    unsigned i = thread_number();
    data[i] += 1;
    data[i] *= 2;
    data[i + N] = data[i];
}

__global__ void scale_by_first(float *out, const float *in, const float *factor, int n) {
    unsigned i = thread_number();
    for (int k = 0; k < n; k++)
        out[i + k * N] = in[i + k * N] * factor[0];
}

__global__ void sum_into_memory(int *out, const int *in, int n) {
    unsigned i = thread_number();
    out[i] = 0;
    for (int k = 0; k < n; k++)
        out[i] += in[i + k * N];
}

int main() {
    begin();
    int *in = input<int>(8 * N), *in2 = input<int>(8 * N), *out = output<int>(4 * N);
    float *f = input<float>(8 * N), *f_out = output<float>(4 * N);

    RUN(same_in_each_arm, out, in);
    RUN(unused_load, out, in);
    RUN(used_in_one_arm, out, in);
    RUN(repeated, out, in);
    RUN(repeated_after_store, out, in);
    RUN(repeated_restrict, out, in);
    RUN(in_place, in2);
    digest(in2, 16 * N);
    RUN(scale_by_first, f_out, f, f + 5, 4);
    RUN(sum_into_memory, out, in, 6);
    check_digest(0x414ce4aau);
    return end();
}
