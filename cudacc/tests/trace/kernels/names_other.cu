// names.cu's other file: what is a kernel there is a function here, and the other way around.
//
// SPDX-License-Identifier: MIT
int triple(int x);
int square(int x);
double quarter(double x);
static __device__ int scale(int x) { return 2 * x; }
static __global__ void element(int *out, const int *in, int shift) {
    out[threadIdx.x] = scale(in[threadIdx.x + shift]);
}

void launch_other(int *out, const int *in, int shift) { element<<<1, 64>>>(out, in, shift); }

int call_host_functions(int x) { return triple(x) + square(x) + (int)quarter(8.0); }
