// Vector types: copied, computed on, made, seen through a cast, used in part; and float3, which has
// no access of its own.
//
// All launches are 2 blocks of 64 threads, 4 warps. A warp's access of w bytes to each lane covers
// w sectors.
// EXPECT copy k=0..7: 4 4*(2**k>16?16:2**k) 4 4*(2**k>16?16:2**k)
// EXPECT made4: 16 64 4 64
// EXPECT cast4: 4 64 4 64
//
// Every lane reads a float3 field by field: 4 bytes in every 12.
// EXPECT scaled3: 12 144 12 144
// SPDX-License-Identifier: MIT
#include "check.h"

// By type: 1, 2, 4, 8, 16 bytes, then more of 16.
template <typename T> EACH(copy, (T out[], const T *in), out[i] = in[i]);

// Four loads of 4 bytes, a store of 16.
EACH(made4, (float4 out[], const float *in, unsigned n),
     out[i] = make_float4(in[i], in[i + n], in[i + 2 * n], in[i + 3 * n]));

__global__ void cast4(float *out, const float *in) {
    unsigned i = thread_number();
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x += v.w;
    *(float4 *)(out + 4 * i) = v;
}

// One field of a vector that was loaded whole, then of one that was not.
__global__ void part_of_copy(float *out, const float4 *in) {
    unsigned i = thread_number();
    float4 v = in[i];
    out[i] = v.x + v.z;
}

__global__ void scaled3(float3 *out, const float3 *in) {
    unsigned i = thread_number();
    float3 v = in[i];
    out[i] = make_float3(2 * v.x, 3 * v.y, 4 * v.z);
}

// A vector that an array of vectors in registers is made of.
__global__ void rows_of4(float4 *out, const float4 *in) {
    unsigned i = thread_number();
    float4 row[2];
    row[0] = in[2 * i];
    row[1] = in[2 * i + 1];
    out[2 * i] = row[1];
    out[2 * i + 1] = row[0];
}

int main(void) {
    begin();
    float *in = input<float>(4 * N), *out = output<float>(4 * N);
    int *in_int = input<int>(4 * N), *out_int = output<int>(4 * N);
    short *in_short = input<short>(4 * N), *out_short = output<short>(4 * N);
    unsigned char *in_char = input<unsigned char>(4 * N), *out_char = output<unsigned char>(4 * N);
    double *in_double = input<double>(2 * N), *out_double = output<double>(2 * N);

    RUN(copy, out_char, in_char);
    RUN(copy, out_short, in_short);
    RUN(copy, out_int, in_int);
    RUN(copy, (float2 *)out, (float2 *)in);
    RUN(copy, (float4 *)out, (float4 *)in);
    RUN(copy, (int4 *)out_int, (int4 *)in_int);
    RUN(copy, (double2 *)out_double, (double2 *)in_double);
    RUN(copy, (uint4 *)out_int, (uint4 *)in_int);
    RUN(made4, (float4 *)out, in, N);
    RUN(cast4, out, in);
    RUN(part_of_copy, out, (float4 *)in);
    RUN(scaled3, (float3 *)out, (float3 *)in);
    RUN_AS(rows_of4, BLOCKS / 2, THREADS, 0, (float4 *)out, (float4 *)in);
    check_digest(0x97fa07beu);
    return end();
}
