// 2.5 Copies that overlap
//
//     make check EX=2.5       make hint EX=2.5       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
__global__ void twice(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

// Where the caller keeps its n floats on the host: pinned, so that the device gets at them itself.
float *host_array(size_t n) {
    float *h;
    CUDA_CHECK(cudaMallocHost((void **)&h, n * sizeof(float)));
    return h;
}
void host_array_free(float *h) { CUDA_CHECK(cudaFreeHost(h)); }

// h_out = 2 * h_in, by way of the device. Both are host_array()s of n floats, n is even; d_in and
// d_out are as large. Half of the work is for stream s0, half for s1, so that copies and kernels
// overlap. Does not wait: the caller does.
void process(float *h_out, const float *h_in, float *d_out, float *d_in, size_t n, cudaStream_t s0,
             cudaStream_t s1) {
    for (int half = 0; half <= 1; half++) {
        cudaStream_t s = half ? s1 : s0;
        size_t first = half * (n / 2), count = n / 2, bytes = count * sizeof(float);
        CUDA_CHECK(cudaMemcpyAsync(d_in + first, h_in + first, bytes, cudaMemcpyHostToDevice, s));
        twice<<<(unsigned)((count + 255) / 256), 256, 0, s>>>(d_out + first, d_in + first, count);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(h_out + first, d_out + first, bytes, cudaMemcpyDeviceToHost, s));
    }
}
// ==== to here ====
