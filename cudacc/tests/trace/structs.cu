// Structs: one field of many, and several.
//
//     nvcc -O3 -lineinfo structs.cu -o structs && ./structs
//
// 2 blocks of 64 threads, 4 warps. A field of 4 bytes in every 16 touches 16 sectors, in every 32
// (and more) 32; of 8 bytes in every 16, 16.
// EXPECT one_field: 4 64 4 16
// EXPECT some_fields: 8 128 4 64
// EXPECT wide_field: 4 128 4 16
// EXPECT second_double: 4 64 4 32
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

struct four {
    float x, y, z, w;
};
struct eight {
    float f[8];
};
struct two_doubles {
    double x, y;
};
struct bytes3 {
    unsigned char r, g, b;
};

__global__ void one_field(float *out, const struct four *in) {
    unsigned i = thread_number();
    out[i] = in[i].y;
}

__global__ void some_fields(struct four *out, const struct four *in) {
    unsigned i = thread_number();
    out[i].z = in[i].x + in[i].w;
}

__global__ void wide_field(float *out, const struct eight *in) {
    unsigned i = thread_number();
    out[i] = in[i].f[5];
}

__global__ void second_double(double *out, const struct two_doubles *in) {
    unsigned i = thread_number();
    out[i] = in[i].y;
}

__global__ void grey(unsigned char *out, const struct bytes3 *in) {
    unsigned i = thread_number();
    out[i] = (unsigned char)((in[i].r + in[i].g + in[i].b) / 3);
}

// A struct that is a kernel's argument is in no global memory.
__global__ void argument(float *out, struct eight weights) {
    unsigned i = thread_number();
    out[i] = weights.f[2] + weights.f[7];
}

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(8 * N);
    double *in_double = input<double>(4 * N), *out_double = output<double>(4 * N);
    unsigned char *in_char = input<unsigned char>(3 * N), *out_char = output<unsigned char>(3 * N);
    struct eight weights = {{1, 2, 3, 4, 5, 6, 7, 8}};

    RUN(one_field, out, (struct four *)in);
    RUN(some_fields, (struct four *)out, (struct four *)in);
    RUN(wide_field, out, (struct eight *)in);
    RUN(second_double, out_double, (struct two_doubles *)in_double);
    RUN(grey, out_char, (struct bytes3 *)in_char);
    RUN(argument, out, weights);
    check_digest(0x14513eb6u);
    return end();
}
