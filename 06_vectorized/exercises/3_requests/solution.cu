// 6.3 How many requests?
//
//     make check EX=6.3       make hint EX=6.3       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "given.h"

// ==== yours, from here ====
// Requests with which all warps of a kernel read the floats, and the sectors of one.
void predict_loads(struct loads loads[KERNELS]) {
    loads[COPY_FLOAT].requests = FLOATS / 32, loads[COPY_FLOAT].sectors = 4;
    loads[COPY_FLOAT2].requests = FLOATS / 64, loads[COPY_FLOAT2].sectors = 8;
    loads[COPY_FLOAT3].requests = FLOATS / 32, loads[COPY_FLOAT3].sectors = 12;
    loads[COPY_FLOAT4].requests = FLOATS / 128, loads[COPY_FLOAT4].sectors = 16;
    loads[COPY_FOUR].requests = FLOATS / 32, loads[COPY_FOUR].sectors = 16;
    loads[COPY_ALIGNED].requests = FLOATS / 128, loads[COPY_ALIGNED].sectors = 16;
}
// ==== to here ====
