// Whole objects: how many accesses does nvcc make of a struct that is copied, changed or built, of
// some fields of a vector, of bit-fields, of memcpy?
//
// 2 blocks of 64 threads, 4 warps. No type here has gaps, so that every byte can be checked. The
// k-th launch is of the k-th struct below: each moves in pieces of its alignment, at most 16 bytes,
// whether it is copied, changed or built. Where numbers of 1 and 2 bytes share a word, as in the
// first one, its halves are loaded one by one, and its neighbor by itself.
// EXPECT copy k=0..0: 16 256 12 192
// EXPECT built_by_two: 4 16 8 128
// EXPECT built_vectors: 4 16 8 256
// memcpy moves single bytes of what is only a pointer.
// EXPECT memcpy_floats: 64 1024 64 1024
// EXPECT memcpy_some: 48 768 48 768
// SPDX-License-Identifier: MIT
#include "check.h"

enum { BYTES = N * 32 };

struct mixed {
    unsigned char a, b;
    short s;
    int mixed; // as C++ allows
    double d;
};
struct number_and_two {
    long long l;
    int a, b;
};
struct three_doubles {
    double x, y, z;
};
struct __align__(8) four_by_two {
    float x, y, z, w;
};
struct two_vectors {
    float4 p, v;
};
struct __align__(16) eight_by_four {
    float x, y, z, w, f[4];
};
struct color {
    unsigned char r, g, b, a;
};
struct vertex {
    float x, y, z, u, v;
};
struct bits {
    unsigned low : 5, middle : 11, high : 16;
};

template <typename T> EACH(copy, (T out[], const T *in), out[i] = in[i]);

// Two elements change places.
template <typename T> __global__ void exchange(T *data) {
    unsigned i = thread_number();
    T v = data[2 * i];
    data[2 * i] = data[2 * i + 1];
    data[2 * i + 1] = v;
}

// One member is changed, the others are not looked at.
__device__ static void touch(struct mixed &v) { v.mixed += 1; }
__device__ static void touch(struct number_and_two &v) { v.a += 1; }
__device__ static void touch(struct three_doubles &v) { v.y += 1; }
__device__ static void touch(struct four_by_two &v) { v.y += 1; }
__device__ static void touch(struct two_vectors &v) { v.p.x += v.v.x; }
__device__ static void touch(struct eight_by_four &v) { v.y += 1; }
__device__ static void touch(struct color &v) { v.g += 1; }
__device__ static void touch(struct vertex &v) { v.u += v.v; }
template <typename T> __global__ void touched(T *out, const T *in) {
    unsigned i = thread_number();
    T v = in[i];
    touch(v);
    out[i] = v;
}

__global__ void built_by_two(struct four_by_two *out, const float *in) {
    unsigned i = thread_number();
    struct four_by_two v = {in[i], 1, 2, 3};
    out[i] = v;
}
__global__ void built_mixed(struct mixed *out, const float *in) {
    unsigned i = thread_number();
    struct mixed v = {1, 2, 3, 4, in[i]};
    out[i] = v;
}
__global__ void built_vectors(struct two_vectors *out, const float *in) {
    unsigned i = thread_number();
    struct two_vectors v;
    v.p = make_float4(in[i], 1, 2, 3);
    v.v = make_float4(4, 5, 6, 7);
    out[i] = v;
}
__global__ void cleared(struct eight_by_four *out) {
    struct eight_by_four v = {};
    out[thread_number()] = v;
}

// Fields one by one.
__global__ void all_by_two(struct four_by_two *out, const struct four_by_two *in) {
    unsigned i = thread_number();
    out[i].x = in[i].x;
    out[i].y = in[i].y;
    out[i].z = in[i].z;
    out[i].w = in[i].w;
}
EACH(first_two, (float *out, const float4 *in), out[i] = in[i].x + in[i].y);
EACH(middle_two, (float *out, const float4 *in), out[i] = in[i].y + in[i].z);
EACH(first_three, (float *out, const float4 *in), out[i] = in[i].x + in[i].y + in[i].z);
EACH(pixel, (unsigned char *out, const uchar4 *in),
     out[i] = (unsigned char)((in[i].x + in[i].y + in[i].z) / 3));
__global__ void moved(float4 *position, const float4 *velocity) {
    unsigned i = thread_number();
    position[i].x += velocity[i].x;
    position[i].y += velocity[i].y;
    position[i].z += velocity[i].z;
}
__global__ void pair_written(float2 *out, const float *in) {
    unsigned i = thread_number();
    float x = in[i];
    out[i].x = x;
    out[i].y = 2 * x;
}
__global__ void two_written(float4 *out, const float *in) {
    unsigned i = thread_number();
    float x = in[i];
    out[i].x = x;
    out[i].z = 2 * x;
}

// Bit-fields.
EACH(one_bit_field, (unsigned *out, const struct bits in[]), out[i] = in[i].middle);
EACH(bit_fields, (unsigned *out, const struct bits in[]),
     out[i] = in[i].low + in[i].middle + in[i].high);
__global__ void bit_field_written(struct bits *data) { data[thread_number()].middle = 5; }
__global__ void bit_fields_written(struct bits *out, const unsigned *in) {
    unsigned i = thread_number(), x = in[i];
    out[i].low = x;
    out[i].middle = x + 1;
    out[i].high = x + 2;
}

// What is only an address to memcpy may be aligned to nothing.
EACH(memcpy_floats, (float *out, const float *in), memcpy(out + 4 * i, in + 4 * i, 16));
__global__ void memcpy_one(unsigned *out, const float *in) {
    unsigned i = thread_number(), x;
    memcpy(&x, in + i, sizeof x);
    out[i] = x;
}
EACH(memcpy_some, (float *out, const float *in, size_t bytes),
     memcpy(out + 4 * i, in + 4 * i, bytes));
__global__ void memset_vector(float4 *out) { memset(out + thread_number(), 0, sizeof *out); }

template <typename T> static void copies(unsigned char *out, unsigned char *in) {
    RUN(copy, (T *)out, (const T *)in);
    RUN_AS(exchange, BLOCKS, THREADS / 2, 0, (T *)in);
    RUN_AS(exchange, BLOCKS, THREADS / 2, 0, (T *)in);
    RUN(touched, (T *)out, (const T *)in);
}

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(8 * N);
    unsigned *in_word = input<unsigned>(N), *out_word = output<unsigned>(4 * N);
    unsigned char *in_char = input<unsigned char>(BYTES), *out_char = output<unsigned char>(BYTES);

    copies<struct mixed>(out_char, in_char);
    copies<struct number_and_two>(out_char, in_char);
    copies<struct three_doubles>(out_char, in_char);
    copies<struct four_by_two>(out_char, in_char);
    copies<struct two_vectors>(out_char, in_char);
    copies<struct eight_by_four>(out_char, in_char);
    copies<struct color>(out_char, in_char);
    copies<struct vertex>(out_char, in_char);

    RUN(built_by_two, (struct four_by_two *)out, in);
    RUN(built_mixed, (struct mixed *)out_char, in);
    RUN(built_vectors, (struct two_vectors *)out, in);
    RUN(cleared, (struct eight_by_four *)out);
    RUN(all_by_two, (struct four_by_two *)out, (struct four_by_two *)in);
    RUN(first_two, out, (float4 *)in);
    RUN(middle_two, out, (float4 *)in);
    RUN(first_three, out, (float4 *)in);
    RUN(pixel, out_char, (uchar4 *)in_char);
    CUDA_CHECK(cudaMemset(out, 0, 4 * N * sizeof *out));
    RUN(moved, (float4 *)out, (float4 *)in);
    RUN(pair_written, (float2 *)out, in);
    RUN(two_written, (float4 *)out, in);
    RUN(one_bit_field, out_word, (struct bits *)in_word);
    RUN(bit_fields, out_word, (struct bits *)in_word);
    RUN(bit_field_written, (struct bits *)out_word);
    RUN(bit_fields_written, (struct bits *)out_word, in_word);
    RUN(memcpy_floats, out, in);
    RUN(memcpy_one, out_word, in);
    RUN(memcpy_some, out, in, 12);
    RUN(memset_vector, (float4 *)out);
    check_digest(0x91330c18u);
    return end();
}
