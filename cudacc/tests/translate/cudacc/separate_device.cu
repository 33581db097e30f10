// With -rdc=true: what separate_main.cu uses of another file.
// SPDX-License-Identifier: MIT
__device__ int counter;
__constant__ int factor = 7;
__device__ int scaled(int i) { return factor * i; }
