// Every stride from 1 to 33 and every offset from 0 to 32, for elements of 1 to 16 bytes.
//
//     nvcc -O3 -lineinfo steps.cu -o steps && ./steps
//
// A lane that starts w s bytes behind its neighbor: 32 lanes touch min(32, 1 + 31 w s / 32)
// sectors, and a warp's first byte begins a sector. A warp of w-byte elements that starts o
// elements late covers the sectors from byte o w on.
//
// EXPECT stride k=0..32: 2 2*min(32,int(31*4*(k+1)/32)+1) 2 2*min(32,int(31*4*(k+1)/32)+1)
// EXPECT offset k=0..32: 2 2*(int((4*k%32+127)/32)+1) 2 2*(int((4*k%32+127)/32)+1)
//
// In the k-th launch of these an element has 2^k bytes; blockIdx.y is the stride, the offset.
// EXPECT every_stride k=0..4: 33 sum(s=1..33:min(32,int(31*2**k*s/32)+1)) 33 sum(s=1..33:min(32,int(31*2**k*s/32)+1))
// EXPECT every_offset k=0..4: 33 sum(o=0..32:int((o*2**k%32+32*2**k-1)/32)+1) 33 sum(o=0..32:int((o*2**k%32+32*2**k-1)/32)+1)
//
// Neighbours change places, and all lanes go backwards: the same sectors.
// EXPECT backwards: 4 16 4 16
// EXPECT swapped: 4 16 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

enum { LANES = 32, MOST = 33, N = 64 * MOST };

__global__ void stride(float *out, const float *in, unsigned s) {
    unsigned i = threadIdx.x * s;
    out[i] = in[i] + 1;
}

__global__ void offset(float *out, const float *in, unsigned o) {
    unsigned i = threadIdx.x + o;
    out[i] = in[i] + 1;
}

// Each stride has its own part of the array, so that no two blocks write one element.
template <typename T> __global__ void every_stride(T *out, const T *in) {
    unsigned i = blockIdx.y * LANES * (MOST + 1) + threadIdx.x * (blockIdx.y + 1);
    out[i] = in[i];
}

template <typename T> __global__ void every_offset(T *out, const T *in) {
    unsigned i = blockIdx.y * LANES * (MOST + 1) + threadIdx.x + blockIdx.y;
    out[i] = in[i];
}

__global__ void backwards(float *out, const float *in, unsigned n) {
    unsigned i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = in[i] * 2;
}

__global__ void swapped(float *out, const float *in) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) ^ 1;
    out[i] = in[i] * 2;
}

template <typename T> static void every(const char *type) {
    const unsigned part = LANES * (MOST + 1), n = part * MOST;
    T *in = input<T>(n), *out = output<T>(n);
    every_stride<<<dim3(1, MOST), LANES>>>(out, in);
    CHECK(type, out, n,
          i % part % (i / part + 1) == 0 && i % part / (i / part + 1) < LANES ? (T)element(i)
                                                                              : clear_[i]);
    every_offset<<<dim3(1, MOST), LANES>>>(out, in);
    CHECK(type, out, n, i % part - i / part < LANES ? (T)element(i) : clear_[i]);
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

// The widest type: an element of 16 bytes is four floats.
static void every_float4(void) {
    const unsigned part = LANES * (MOST + 1), n = part * MOST;
    float *in = input<float>(4 * n), *out = output<float>(4 * n);
    every_stride<<<dim3(1, MOST), LANES>>>((float4 *)out, (const float4 *)in);
    CHECK("float4", out, 4 * n,
          i / 4 % part % (i / 4 / part + 1) == 0 && i / 4 % part / (i / 4 / part + 1) < LANES
              ? (float)element(i)
              : clear_[i]);
    every_offset<<<dim3(1, MOST), LANES>>>((float4 *)out, (const float4 *)in);
    CHECK("float4", out, 4 * n,
          i / 4 % part - i / 4 / part < LANES ? (float)element(i) : clear_[i]);
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

int main(void) {
    begin();
    float *in = input<float>(N), *out = output<float>(N);
    for (unsigned s = 1; s <= MOST; s++) {
        stride<<<1, 64>>>(out, in, s);
        CHECK("stride", out, N, i % s == 0 && i / s < 64 ? (float)element(i) + 1 : clear_[i]);
    }
    for (unsigned o = 0; o <= 32; o++) {
        offset<<<1, 64>>>(out, in, o);
        CHECK("offset", out, N, i - o < 64 ? (float)element(i) + 1 : clear_[i]);
    }
    backwards<<<2, 64>>>(out, in, 128);
    CHECK("backwards", out, 128, 2 * (float)element(i));
    swapped<<<2, 64>>>(out, in);
    CHECK("swapped", out, 128, 2 * (float)element(i));
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
    every<signed char>("char");
    every<short>("short");
    every<int>("int");
    every<double>("double");
    every_float4();
    return end();
}
