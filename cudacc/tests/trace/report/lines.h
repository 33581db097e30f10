// SPDX-License-Identifier: MIT
// The access is here, wherever the function is called from.
static __device__ float load(const float *p, int i) {
    return p[i]; // -> ld 4
}
static __device__ __noinline__ float load_out_of_line(const float *p, int i) {
    return p[i]; // -> ld 4
}
