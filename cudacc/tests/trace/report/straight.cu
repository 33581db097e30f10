// Kernels that certainly have no loops, `yes_...`, and those that may, `no_...`: in the former the
// tracer need not follow the jumps. One that calls a function of the program's is no 'yes'.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <assert.h>
#include <stdio.h>
__device__ float twice(float x) { return 2 * x; }
__device__ float sum(const float *p, int n) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
__device__ float through(const float *p) { return sum(p, 3); }
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ float other_file(float x);
struct functor {
    __device__ float operator()(float x) const { return x + 1; }
};
struct method {
    __device__ float get(float x) const { return x; }
};

__global__ void yes_saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
__global__ void yes_calls(float *y) {
    y[threadIdx.x] = sqrtf(y[threadIdx.x]) + (float)(threadIdx.x) + float(3) + __ldg(y);
}
__global__ void no_function(float *y) { y[threadIdx.x] = twice(y[threadIdx.x]); }
__global__ void yes_barrier(float *y) {
    __shared__ float s[32];
    s[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void yes_vector(float4 *y) { y[threadIdx.x] = make_float4(1, 2, 3, 4); }
__global__ void yes_min(int *y) { y[threadIdx.x] = min(y[threadIdx.x], 3) + max(2, y[1]); }
__global__ void yes_printf(int *y) {
    if (y[0])
        printf("%d\n", y[0]);
    assert(y[0] == 0);
}
__global__ void yes_switch(int *y) {
    switch (y[0]) {
    case 0:
        y[1] = 2;
        break;
    default:
        y[2] = 3;
    }
}
__global__ void no_method(float *y, method m) { y[0] = m.get(y[0]); }
template <typename T> __global__ void yes_template(T *y) {
    y[threadIdx.x] = T(0) + static_cast<T>(3);
}
__global__ void yes_shuffle(int *y) { y[threadIdx.x] = __shfl_down_sync(~0u, y[threadIdx.x], 1); }
__global__ void yes_atomic(int *y) { atomicAdd(y, 1); }
__global__ void no_for(int *y) {
    for (int i = 0; i < 3; i++)
        y[i] = i;
}
__global__ void no_while(int *y) {
    while (*y)
        y++;
}
__global__ void no_do(int *y) {
    do
        y++;
    while (*y);
}
__global__ void no_goto(int *y) {
again:
    if (*y++)
        goto again;
}
__global__ void no_call(float *y) { y[0] = through(y); }
__global__ void no_recursion(int *y) { y[0] = factorial(y[0]); }
__global__ void no_other_file(float *y) { y[0] = other_file(y[0]); }
__global__ void no_pointer(float *y, float (*f)(float)) { y[0] = f(y[0]) + (*f)(y[1]); }
__global__ void no_pointer_2(float *y, float (*f)(float)) { y[0] = (*f)(y[1]); }
__global__ void no_functor(float *y, functor f) { y[0] = f(y[0]); }
template <typename F> __global__ void no_generic(float *y, F f) { y[0] = f(y[0]); }
__global__ void no_lambda(float *y) {
    auto f = [](float x) {
        for (int i = 0; i < 3; i++)
            x *= x;
        return x;
    };
    y[0] = f(y[0]);
}
template <int N> __global__ void no_template_loop(float *y) {
#pragma unroll
    for (int i = 0; i < N; i++)
        y[i] = i;
}
int main() { return 0; }
