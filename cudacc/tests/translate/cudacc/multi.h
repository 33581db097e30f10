// What the files of one program share: multi_main.cu, multi_kernels.cu, multi_host.c.
// SPDX-License-Identifier: MIT
#ifndef MULTI_H
#define MULTI_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif
int *device_numbers(int n); /* in C: on the device, 0, 1, 2 ... */
int sum_of(const int *device, int n);
#ifdef __CUDACC__
__global__ void c_linkage(int *out);
#endif
#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
__global__ void doubles(int *out, int n);
// Each file may have its own of these.
static __device__ int in_header(int i) { return i + 1; }
__constant__ int header_constant = 3;
#endif
#endif
