// Every stride from 1 to 33 and every offset from 0 to 32, for elements of 1 to 16 bytes.
//
// A lane that starts w s bytes behind its neighbor: 32 lanes touch min(32, 1 + 31 w s / 32)
// sectors, and a warp's first byte begins a sector. A warp of w-byte elements that starts o
// elements late covers the sectors from byte o w on.
//
// In the k-th launch an element has 2^k bytes; blockIdx.y is the stride, the offset.
// EXPECT every_stride k=0..4: 33 sum(s=1..33:min(32,int(31*2**k*s/32)+1)) 33 sum(s=1..33:min(32,int(31*2**k*s/32)+1))
// EXPECT every_offset k=0..4: 33 sum(o=0..32:int((o*2**k%32+32*2**k-1)/32)+1) 33 sum(o=0..32:int((o*2**k%32+32*2**k-1)/32)+1)
// SPDX-License-Identifier: MIT
#include "check.h"

enum { LANES = 32, MOST = 33 };

// Each stride has its own part of the array, so that no two blocks write one element.
template <typename T> __global__ void every_stride(T *out, const T *in) {
    unsigned i = blockIdx.y * LANES * (MOST + 1) + threadIdx.x * (blockIdx.y + 1);
    out[i] = in[i];
}

template <typename T> __global__ void every_offset(T *out, const T *in) {
    unsigned i = blockIdx.y * LANES * (MOST + 1) + threadIdx.x + blockIdx.y;
    out[i] = in[i];
}

template <typename T> static void every(void) {
    const unsigned n = LANES * (MOST + 1) * MOST;
    T *in = filled<T>(n), *out = output<T>(n);
    RUN_AS(every_stride, dim3(1, MOST), LANES, 0, out, in);
    RUN_AS(every_offset, dim3(1, MOST), LANES, 0, out, in);
}

int main(void) {
    begin();
    every<signed char>();
    every<short>();
    every<int>();
    every<double>();
    every<float4>();
    check_digest(0x359094b3u);
    return end();
}
