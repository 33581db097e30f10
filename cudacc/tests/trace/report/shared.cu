// Shared memory is called by its variable's name. `-> NAME`: what the line must be said to touch.
// With an argument N, the N-th variable is overrun: that must not land in another one.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

enum { N = 32 };
struct pair {
    int a, b;
};
__shared__ int of_file[N];

__global__ void touch_of_file(int over) { of_file[threadIdx.x + over] = 1; } // -> of_file
__global__ void several(int over_array, int over_row, int over_pairs) {
    __shared__ int scalar, array[N], rows[4][8], *pointer;
    __shared__ pair pairs[N];
    if (threadIdx.x == 0) {
        scalar = 1;          // -> scalar
        pointer = &array[0]; // -> pointer
    }
    array[threadIdx.x + over_array] = 1;                   // -> array
    rows[threadIdx.x / 8 + over_row][threadIdx.x % 8] = 1; // -> rows
    pairs[threadIdx.x + over_pairs].b = 1;                 // -> pairs
}
template <typename T, int M> __global__ void of_template(int over) {
    __shared__ T dependent[M], after;
    dependent[threadIdx.x + over] = 1; // -> dependent
    if (threadIdx.x == 0)
        after = 2; // -> after
}
__device__ void function(int over) {
    __shared__ double of_function[N];
    of_function[threadIdx.x + over] = 1; // -> of_function
}
__global__ void calls(int over) { function(over); }
__global__ void dynamic(int over) {
    extern __shared__ float words[];
    words[threadIdx.x + over] = 1; // -> words
}
__global__ void dynamic_too(int over) {
    extern __shared__ double other_words[];
    other_words[threadIdx.x + over] = 1; // -> other_words
}
template <typename T> __global__ void dynamic_template(int over) {
    extern __shared__ T of_any[];
    of_any[threadIdx.x + over] = 1; // -> of_any
}

int main(int argc, char **argv) {
    int which = argc > 1 ? atoi(argv[1]) : 0, k = 0;
#define OVER (which == ++k)
    touch_of_file<<<1, N>>>(OVER);
    int array = OVER, row = OVER, pairs = OVER;
    several<<<1, N>>>(array, row, pairs);
    of_template<float, N><<<1, N>>>(OVER);
    of_template<double, N><<<1, N>>>(OVER);
    calls<<<1, N>>>(OVER);
    dynamic<<<1, N, N * sizeof(float)>>>(OVER);
    dynamic_too<<<1, N, N * sizeof(double)>>>(OVER);
    dynamic_template<short><<<1, N, N * sizeof(short)>>>(OVER);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return 0;
}
