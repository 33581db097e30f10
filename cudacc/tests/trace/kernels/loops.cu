// What is called has a loop, what only has its name has none: a kernel must not be taken for one
// without loops. Neighbors take different ways, so in each of 4 steps a warp makes 2 requests.
//
//     loops [WHICH SHIFT]      all launches, or one, with that shift
//
// SPDX-License-Identifier: MIT
#include "loops.h"

__device__ int visit(int x) { return x + 1; }
template <class F> __global__ void by_parameter(int *out, F visit) {
    out[threadIdx.x] = visit(threadIdx.x);
}

// A pointer to a function, and what else is called pointed.
struct function {
    int (*pointed)(const int *, int, int);
};
__device__ int loop(const int *in, int i, int shift) { ZIGZAG(in, i, shift); }
__global__ void take_loop(function *p) { p->pointed = loop; }
__device__ int pointed(int x) { return x + 1; }
struct not_this {
    __device__ int pointed(int x) { return x + 2; }
};
__global__ void by_member(int *out, const int *in, int shift, function p) {
    out[threadIdx.x] = p.pointed(in, threadIdx.x, shift);
}

// An operator, which only its declaration says is for kernels.
struct row {
    const int *in;
    int shift;
    __device__ int operator*(int i) const;
};
int row::operator*(int i) const { ZIGZAG(in, i, shift); }
__global__ void by_operator(int *out, const int *in, int shift) {
    row r = {in, shift};
    out[threadIdx.x] = r * threadIdx.x;
}

int main(int argc, char **argv) {
    int *out, *in, shift = argc > 2 ? atoi(argv[2]) : 0;
    function *d_function, h_function = {};
    which = argc > 1 ? atoi(argv[1]) : -1;
    cudaMalloc(&out, THREADS * sizeof *out);
    cudaMalloc(&in, THREADS * sizeof *in);
    cudaMalloc(&d_function, sizeof *d_function);
    cudaMemset(in, 0, THREADS * sizeof *in);
    take_loop<<<1, 1>>>(d_function);
    cudaMemcpy(&h_function, d_function, sizeof h_function, cudaMemcpyDeviceToHost);
    auto looping = [=] __device__(int i) { ZIGZAG(in, i, shift); };

    LAUNCH(by_operator<<<1, THREADS>>>(out, in, shift));           // LOADS 16
    LAUNCH(by_parameter<<<1, THREADS>>>(out, looping));            // LOADS 16
    LAUNCH(by_member<<<1, THREADS>>>(out, in, shift, h_function)); // LOADS 16
    cudaDeviceSynchronize();
    cudaFree(out), cudaFree(in), cudaFree(d_function);
    return 0;
}
