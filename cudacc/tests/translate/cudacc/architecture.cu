// __CUDA_ARCH__ is defined in device code, and there alone: a number like nvcc's -arch.
// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>

#ifdef __CUDA_ARCH__
#define PLACE 'd'
#else
#define PLACE 'h'
#endif

static void check(const char *what, bool right) {
    printf("%s: %s\n", what, right ? "ok" : "WRONG");
}

__device__ int modern() {
#if __CUDA_ARCH__ >= 700
    return __CUDA_ARCH__ % 10 == 0 && PLACE == 'd';
#else
    return 0;
#endif
}

// Of the two bodies the one for where it runs.
__host__ __device__ char place() {
#ifndef __CUDA_ARCH__
    if (getenv("NEVER_SET"))
        throw std::runtime_error("not for device code");
#endif
    return PLACE;
}
struct place_of {
    char made;
    __host__ __device__ place_of() : made('?') {
#ifdef __CUDA_ARCH__
        made = 'd';
#else
        made = 'h';
#endif
    }
    __host__ __device__ char operator()(char *p) const { return *p = PLACE; }
    static constexpr __host__ __device__ int two() { return PLACE ? 2 : 3; }
};
template <class T> __host__ __device__ inline T plus(T a, T b) {
#if defined __CUDA_ARCH__
    return a + b + 1000;
#else
    return a + b;
#endif
}

// The host's list of functions and variables holds for both.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__device__ int table[4] = {1, 2, 3, 4};
#endif

__global__ void ask(int *out, place_of f) {
    char c;
    out[0] = modern();
    out[1] = place();
    out[2] = place_of().made;
    out[3] = plus(1, 2);
    out[4] = f(&c);
    out[5] = table[3];
    out[6] = place_of::two();
#ifdef __CUDA_ARCH__
    out[7] = __LINE__;
}
#else
}
#endif
static int line_after() { return __LINE__; }

int main() {
    int *out, lines_before = __LINE__;
    cudaMallocManaged(&out, 8 * sizeof *out);
    ask<<<1, 1>>>(out, place_of());
    cudaDeviceSynchronize();
#ifdef __NVCC__
    check("nvcc's own name", true);
#else
    check("nvcc's own name", false);
#endif
    check("a __device__ function", out[0]);
    check("a __host__ __device__ function in a kernel", out[1] == 'd' && place() == 'h');
    check("a constructor", out[2] == 'd' && place_of().made == 'h');
    check("a template", out[3] == 1003 && plus(1, 2) == 3);
    check("an operator", out[4] == 'd');
    check("a variable", out[5] == 4);
    check("a constant", out[6] == 2 && place_of::two() == 2);
    check("lines", out[7] == line_after() - 5 && lines_before == line_after() + 3);
#ifdef __CUDA_ARCH__
    check("host code", false);
#endif
    return cudaGetLastError();
}
