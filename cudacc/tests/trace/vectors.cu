// Vector types: copied, computed on, made, seen through a cast, used in part; and float3, which has
// no access of its own.
//
//     nvcc -O3 -lineinfo vectors.cu -o vectors && ./vectors
//
// All launches are 2 blocks of 64 threads, 4 warps. A warp's access of w bytes to each lane covers
// w sectors.
// EXPECT copy k=0..7: 4 4*(2**k>16?16:2**k) 4 4*(2**k>16?16:2**k)
// EXPECT scaled2: 4 32 4 32
// EXPECT scaled4: 4 64 4 64
// EXPECT scaled_double2: 4 64 4 64
// EXPECT scaled_int4: 4 64 4 64
// EXPECT made4: 16 64 4 64
// EXPECT cast4: 4 64 4 64
//
// Every lane reads a float3 field by field: 4 bytes in every 12.
// EXPECT scaled3: 12 144 12 144
// EXPECT copy3: 12 144 12 144
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

// By type: 1, 2, 4, 8, 16 bytes, then more of 16.
template <typename T> __global__ void copy(T *out, const T *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void scaled2(float2 *out, const float2 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = in[i];
    v.x *= 2;
    v.y *= 3;
    out[i] = v;
}

__global__ void scaled4(float4 *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(2 * v.x, 3 * v.y, 4 * v.z, 5 * v.w);
}

__global__ void scaled_double2(double2 *out, const double2 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double2 v = in[i];
    out[i] = make_double2(v.x + v.y, v.x - v.y);
}

__global__ void scaled_int4(int4 *out, const int4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = in[i], w = {v.x + 1, v.y + 2, v.z + 3, v.w + 4};
    out[i] = w;
}

// Four loads of 4 bytes, a store of 16.
__global__ void made4(float4 *out, const float *in, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = make_float4(in[i], in[i + n], in[i + 2 * n], in[i + 3 * n]);
}

__global__ void cast4(float *out, const float *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x += v.w;
    *(float4 *)(out + 4 * i) = v;
}

__global__ void two_vectors(float4 *out, const float4 *a, const float4 *b) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = make_float4(a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w);
}

// One field of a vector that was loaded whole, then of one that was not.
__global__ void part_of_copy(float *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = v.x + v.z;
}

__global__ void part_in_place(float *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].y + in[i].w;
}

__global__ void first_half(float2 *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float2(v.x, v.y);
}

__global__ void three_of_four(float *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = v.x + v.y + v.z;
}

__global__ void one_field(float *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].z;
}

__global__ void field_by_field(float4 *out, const float *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    out[i].x = x;
    out[i].y = x + 1;
    out[i].z = x + 2;
    out[i].w = x + 3;
}

// The same, read field by field.
__global__ void sum_of_fields(float *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].x + in[i].y + in[i].z + in[i].w;
}

__global__ void one_field_written(float4 *out, const float *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].y = in[i];
}

__global__ void scaled3(float3 *out, const float3 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 v = in[i];
    out[i] = make_float3(2 * v.x, 3 * v.y, 4 * v.z);
}

__global__ void copy3(float3 *out, const float3 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// The same with elements that are bytes and shorts.
__global__ void scaled_uchar4(uchar4 *out, const uchar4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 v = in[i];
    out[i] = make_uchar4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

__global__ void scaled_short2(short2 *out, const short2 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    short2 v = in[i];
    out[i] = make_short2(v.x + 1, v.y + 2);
}

// A vector that an array of vectors in registers is made of.
__global__ void rows_of4(float4 *out, const float4 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
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

    copy<<<BLOCKS, THREADS>>>(out_char, in_char);
    CHECK("char", out_char, N, (unsigned char)element(i));
    copy<<<BLOCKS, THREADS>>>(out_short, in_short);
    CHECK("short", out_short, N, (short)element(i));
    copy<<<BLOCKS, THREADS>>>(out_int, in_int);
    CHECK("int", out_int, N, element(i));
    copy<<<BLOCKS, THREADS>>>((float2 *)out, (float2 *)in);
    CHECK("float2", out, 2 * N, (float)element(i));
    copy<<<BLOCKS, THREADS>>>((float4 *)out, (float4 *)in);
    CHECK("float4", out, 4 * N, (float)element(i));
    copy<<<BLOCKS, THREADS>>>((int4 *)out_int, (int4 *)in_int);
    CHECK("int4", out_int, 4 * N, element(i));
    copy<<<BLOCKS, THREADS>>>((double2 *)out_double, (double2 *)in_double);
    CHECK("double2", out_double, 2 * N, (double)element(i));
    copy<<<BLOCKS, THREADS>>>((uint4 *)out_int, (uint4 *)in_int);
    CHECK("uint4", out_int, 4 * N, element(i));

    scaled2<<<BLOCKS, THREADS>>>((float2 *)out, (float2 *)in);
    CHECK("scaled2", out, 2 * N, (float)element(i) * (float)(2 + i % 2));
    scaled4<<<BLOCKS, THREADS>>>((float4 *)out, (float4 *)in);
    CHECK("scaled4", out, 4 * N, (float)element(i) * (float)(2 + i % 4));
    scaled_double2<<<BLOCKS, THREADS>>>((double2 *)out_double, (double2 *)in_double);
    CHECK("scaled_double2", out_double, 2 * N,
          (double)(i % 2 ? element(i - 1) - element(i) : element(i) + element(i + 1)));
    scaled_int4<<<BLOCKS, THREADS>>>((int4 *)out_int, (int4 *)in_int);
    CHECK("scaled_int4", out_int, 4 * N, element(i) + (int)(i % 4) + 1);
    made4<<<BLOCKS, THREADS>>>((float4 *)out, in, N);
    CHECK("made4", out, 4 * N, (float)element(i / 4 + i % 4 * N));
    cast4<<<BLOCKS, THREADS>>>(out, in);
    CHECK("cast4", out, 4 * N, (float)(element(i) + (i % 4 ? 0 : element(i + 3))));
    two_vectors<<<BLOCKS, THREADS>>>((float4 *)out, (float4 *)in, (float4 *)in);
    CHECK("two_vectors", out, 4 * N, 2 * (float)element(i));
    part_of_copy<<<BLOCKS, THREADS>>>(out, (float4 *)in);
    CHECK("part_of_copy", out, N, (float)(element(4 * i) + element(4 * i + 2)));
    part_in_place<<<BLOCKS, THREADS>>>(out, (float4 *)in);
    CHECK("part_in_place", out, N, (float)(element(4 * i + 1) + element(4 * i + 3)));
    first_half<<<BLOCKS, THREADS>>>((float2 *)out, (float4 *)in);
    CHECK("first_half", out, 2 * N, (float)element(i / 2 * 4 + i % 2));
    three_of_four<<<BLOCKS, THREADS>>>(out, (float4 *)in);
    CHECK("three_of_four", out, N,
          (float)(element(4 * i) + element(4 * i + 1) + element(4 * i + 2)));
    one_field<<<BLOCKS, THREADS>>>(out, (float4 *)in);
    CHECK("one_field", out, N, (float)element(4 * i + 2));
    field_by_field<<<BLOCKS, THREADS>>>((float4 *)out, in);
    CHECK("field_by_field", out, 4 * N, (float)(element(i / 4) + (int)(i % 4)));
    sum_of_fields<<<BLOCKS, THREADS>>>(out, (float4 *)in);
    CHECK("sum_of_fields", out, N,
          (float)(element(4 * i) + element(4 * i + 1) + element(4 * i + 2) + element(4 * i + 3)));
    one_field_written<<<BLOCKS, THREADS>>>((float4 *)out, in);
    CHECK("one_field_written", out, 4 * N, i % 4 == 1 ? (float)element(i / 4) : clear_[i]);
    scaled3<<<BLOCKS, THREADS>>>((float3 *)out, (float3 *)in);
    CHECK("scaled3", out, 3 * N, (float)element(i) * (float)(2 + i % 3));
    copy3<<<BLOCKS, THREADS>>>((float3 *)out, (float3 *)in);
    CHECK("copy3", out, 3 * N, (float)element(i));
    scaled_uchar4<<<BLOCKS, THREADS>>>((uchar4 *)out_char, (uchar4 *)in_char);
    CHECK("scaled_uchar4", out_char, 4 * N, (unsigned char)(element(i) + 1));
    scaled_short2<<<BLOCKS, THREADS>>>((short2 *)out_short, (short2 *)in_short);
    CHECK("scaled_short2", out_short, 2 * N, (short)(element(i) + 1 + (int)(i % 2)));
    rows_of4<<<BLOCKS / 2, THREADS>>>((float4 *)out, (float4 *)in);
    CHECK("rows_of4", out, 4 * N, (float)element(i / 8 * 8 + (i + 4) % 8));

    void *all[] = {in,        out,     in_int,   out_int,   in_short,
                   out_short, in_char, out_char, in_double, out_double};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
