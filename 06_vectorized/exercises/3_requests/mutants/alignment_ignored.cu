// SPDX-License-Identifier: MIT
// With __align__(16) it is one.
//   rejected: prediction: copy_aligned, requests: predicted 96, not so
void predict_loads(struct loads loads[KERNELS]) {
    loads[COPY_FLOAT].requests = 96, loads[COPY_FLOAT].sectors = 4;
    loads[COPY_FLOAT2].requests = 48, loads[COPY_FLOAT2].sectors = 8;
    loads[COPY_FLOAT3].requests = 96, loads[COPY_FLOAT3].sectors = 12;
    loads[COPY_FLOAT4].requests = 24, loads[COPY_FLOAT4].sectors = 16;
    loads[COPY_FOUR].requests = 96, loads[COPY_FOUR].sectors = 16;
    loads[COPY_ALIGNED].requests = 96, loads[COPY_ALIGNED].sectors = 16;
}
