// SPDX-License-Identifier: MIT
// What the exercise gives you: kernels that copy FLOATS floats, in one block each. They differ in
// what a thread takes at a time.
#include "../../../common/common.h"

#define FLOATS 3072

struct four { // not CUDA's: a compiler may not assume more than the alignment of a float
    float a, b, c, d;
};

struct __align__(16) aligned_four {
    float a, b, c, d;
};

// With `count` things of this type; threads take every blockDim.x-th.
#define COPY_KERNEL(name, type)                                                                    \
    static __global__ void name(type *out, const type *in, int count) {                            \
        for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)                            \
            out[i] = in[i];                                                                        \
    }

COPY_KERNEL(copy_float, float)                 // count = FLOATS
COPY_KERNEL(copy_float2, float2)               // count = FLOATS / 2
COPY_KERNEL(copy_float3, float3)               // count = FLOATS / 3; 12 bytes, aligned to 4
COPY_KERNEL(copy_float4, float4)               // count = FLOATS / 4
COPY_KERNEL(copy_four, struct four)            // count = FLOATS / 4
COPY_KERNEL(copy_aligned, struct aligned_four) // count = FLOATS / 4

enum kernel { COPY_FLOAT, COPY_FLOAT2, COPY_FLOAT3, COPY_FLOAT4, COPY_FOUR, COPY_ALIGNED, KERNELS };

enum { UNKNOWN = -1 };

struct loads {
    double requests; // of all warps together
    double sectors;  // that one of these requests touches
};
