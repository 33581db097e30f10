// Structs: one field of many, several, whole ones copied; what their alignment allows decides how
// wide an access can be.
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
struct __align__(16) aligned_four {
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

__global__ void all_fields(struct four *out, const struct four *in) {
    unsigned i = thread_number();
    struct four v = in[i], sum = {v.x + 1, v.y + 2, v.z + 3, v.w + 4};
    out[i] = sum;
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

// The sum of two structs that a function made.
__device__ static struct four sum(struct four a, struct four b) {
    struct four s = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    return s;
}

__global__ void sums(struct four *out, const struct four *in) {
    unsigned i = thread_number();
    out[i] = sum(in[i], in[i]);
}

__global__ void aligned_sums(struct aligned_four *out, const struct aligned_four *in, unsigned n) {
    unsigned i = thread_number();
    struct aligned_four a = in[i], b = in[n - 1 - i];
    struct aligned_four s = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    out[i] = s;
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
    RUN(all_fields, (struct four *)out, (struct four *)in);
    RUN(wide_field, out, (struct eight *)in);
    RUN(second_double, out_double, (struct two_doubles *)in_double);
    RUN(grey, out_char, (struct bytes3 *)in_char);
    RUN(sums, (struct four *)out, (struct four *)in);
    RUN(aligned_sums, (struct aligned_four *)out, (struct aligned_four *)in, N);
    RUN(argument, out, weights);
    check_digest(0x0f5bcaeau);
    return end();
}
