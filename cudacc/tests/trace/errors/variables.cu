// Accesses past variables, and variables of the device that the host takes for its own
// SPDX-License-Identifier: MIT
#include "program.h"
#include <stdio.h>

// ---- past_end_constant: Past the end of a __constant__ variable, with another one on either
// side.
// EXPECT: out of bounds: load of 4 bytes at past_end_constant.cu
// EXPECT: kernel polynomial, launch 0, block (0,0,0), thread (16,0,0): just past the end of factors, 64 bytes
__constant__ float before[16];
__constant__ float factors[16], after[16];
__global__ void polynomial(float *out) {
    out[threadIdx.x] = before[threadIdx.x % 16] + after[threadIdx.x % 16];
    out[threadIdx.x] *= factors[threadIdx.x]; // ERROR out of bounds
}
PROGRAM(past_end_constant, cudaErrorIllegalAddress) {
    ARRAY(float, d_out, 32);
    polynomial<<<1, 17>>>(d_out);
}

// ---- past_end_local: One past the end of a thread's own array, which a function walks through;
// a float is read as a long. As on a GPU the kernel continues, with what it finds there.
// EXPECT BY GCC: out of bounds: load at past_end_local.cu
// EXPECT BY GCC: thread (0,0,0): past an end of a local variable
__device__ int sum(const int *a, int n) {
    int total = 0;
    for (int i = 0; i <= n; i++)
        total += a[i]; // ERROR out of bounds, by gcc
    return total;
}
__global__ void squares(int *out, int n) {
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = i * i;
    out[threadIdx.x] = sum(a, n);
}
#pragma GCC diagnostic ignored "-Warray-bounds" // gcc says one of the two
#pragma GCC diagnostic ignored "-Wuninitialized"
__global__ void bits(long *out) {
    float f = (float)threadIdx.x;
    out[threadIdx.x] = *(long *)&f; // ERROR out of bounds, by gcc
}
PROGRAM(past_end_local) {
    ARRAY(int, d_out, 32);
    squares<<<1, 32>>>(d_out, 8);
    ARRAY(long, d_bits, 32);
    bits<<<1, 32>>>(d_bits);
}

// ---- past_end_next: Past the end of an array, by an atomic, where another variable is declared
// next to it.
// EXPECT: just past the end of counts, 64 bytes, declared at past_end_next.cu
__device__ int counts[16], limits[16] = {4, 4, 4, 4};
__global__ void count(const int *in) {
    atomicAdd(&counts[in[threadIdx.x]], limits[threadIdx.x % 16]); // ERROR out of bounds
}
PROGRAM(past_end_next, cudaErrorIllegalAddress) {
    int in[32];
    for (int i = 0; i < 32; i++)
        in[i] = i % 17;
    COPY_OF(int, d_in, in);
    count<<<1, 32>>>(d_in);
}

// ---- past_end_table: A table of squares up to 15, looked up for a value of 16; another table
// follows it.
// EXPECT BY GCC: just past the end of squares_to_15, 64 bytes, declared at past_end_table.cu
__device__ const int squares_to_15[16] = {0,  1,  4,   9,   16,  25,  36,  49,
                                          64, 81, 100, 121, 144, 169, 196, 225};
__device__ const int cubes[16] = {0, 1, 8, 27};
__global__ void look_up(const int *in, int *out) {
    int i = threadIdx.x;
    out[i] = cubes[i % 4] + squares_to_15[in[i]]; // ERROR out of bounds, by gcc
}
PROGRAM(past_end_table, cudaErrorIllegalAddress) {
    int in[32];
    for (int i = 0; i < 32; i++)
        in[i] = i % 17;
    COPY_OF(int, d_in, in);
    ARRAY(int, d_out, 32);
    look_up<<<1, 32>>>(d_in, d_out);
}

// ---- past_end_table_handed_on: The same through a pointer, in a function that does not know
// what it points to.
// EXPECT BY GCC: out of bounds: load of 4 bytes at past_end_table_handed_on.cu:9
// EXPECT BY GCC: just past the end of few_squares, 64 bytes, declared at past_end_table_handed_on.cu:6
__device__ const int primes[16] = {2, 3, 5, 7};
__device__ const int few_squares[16] = {0, 1, 4, 9};
__device__ const int few_cubes[16] = {0, 1, 8, 27};
__device__ __noinline__ int entry(const int *table, int i) {
    return table[i]; // ERROR out of bounds, by gcc
}
__global__ void look_up_by_function(const int *in, int *out) {
    int i = threadIdx.x;
    out[i] = entry(few_cubes, i % 16) + entry(primes, i % 16) + entry(few_squares, in[i]);
}
PROGRAM(past_end_table_handed_on, cudaErrorIllegalAddress) {
    int in[32];
    for (int i = 0; i < 32; i++)
        in[i] = i % 17;
    COPY_OF(int, d_in, in);
    ARRAY(int, d_out, 32);
    look_up_by_function<<<1, 32>>>(d_in, d_out);
}

// ---- past_end_table_struct: A filter of five weights in a constant struct, used as if it had
// six; another filter follows it.
// EXPECT BY GCC: just past the end of blur, 24 bytes, declared at past_end_table_struct.cu
struct filter {
    int width;
    float weight[5];
};
__device__ const struct filter blur = {5, {1, 4, 6, 4, 1}}, edge = {3, {-1, 0, 1}};
__global__ void apply(float *out, int width) {
    int i = threadIdx.x;
    out[i] = edge.weight[i % 3] + blur.weight[i % width]; // ERROR out of bounds, by gcc
}
PROGRAM(past_end_table_struct, cudaErrorIllegalAddress) {
    ARRAY(float, d_out, 32);
    apply<<<1, 32>>>(d_out, 6);
}

// ---- past_end_variable: Past the end of a __device__ variable.
// EXPECT BY GCC: out of bounds: load of 4 bytes at past_end_variable.cu
// EXPECT BY GCC: just past the end of table, 64 bytes
__device__ float table[16];
__global__ void look_up_variable(float *out) {
    out[threadIdx.x] = table[threadIdx.x]; // ERROR out of bounds, by gcc
}
PROGRAM(past_end_variable, cudaErrorIllegalAddress) {
    ARRAY(float, d_out, 32);
    look_up_variable<<<1, 17>>>(d_out);
}

// ---- host_variable_small: Variables of the host that are smaller than what is copied to or from
// a variable of the device.
// EXPECT BY GCC: cudaMemcpyToSymbol at host_variable_small.cu:9: its source ends 28 bytes past
// EXPECT BY GCC: cudaMemcpyFromSymbol at host_variable_small.cu:12: its destination ends 8 bytes
__constant__ float weights[8];
__device__ int totals[4];
PROGRAM(host_variable_small, ANY_RESULT) {
    float one = 1;
    cudaMemcpyToSymbol(weights, &one, sizeof weights); // ERROR out of bounds, by gcc
    int two[2] = {0}, four[4] = {0};
    cudaMemcpyToSymbol(totals, four, sizeof totals);
    cudaMemcpyFromSymbol(two, totals, sizeof totals); // ERROR out of bounds, by gcc
}

// ---- variable_argument: A kernel is handed the address of a __device__ variable, as the host
// sees it.
// EXPECT: host pointer in a kernel: launch at variable_argument.cu:11: argument 2 is points, a variable of the device, whose address the host does not have
__device__ float points[64];
__global__ void copy(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x]; }
PROGRAM(variable_argument, ANY_RESULT) {
    void *d_table;
    ARRAY(float, d_out, 64);
    // The variable's own name works in kernels only. What cudaGetSymbolAddress tells works here,
    // too, see below.
    copy<<<1, 64>>>(d_out, points); // ERROR host pointer in a kernel
    cudaGetSymbolAddress(&d_table, points);
    copy<<<1, 64>>>(d_out, (float *)d_table);
}

// ---- variable_malloc: A pointer that kernels know by its name: cudaMalloc fills in the host's
// copy of it.
// EXPECT: wrong argument: cudaMalloc at variable_malloc.cu:11: its result is d_list, a variable of the device, whose address the host does not have: use a variable of the host and cudaMemcpyToSymbol
// EXPECT: device pointer on the host: store of 4 bytes at variable_malloc.cu:12: byte 4 of pair, 8 bytes
__device__ float *d_list;
__constant__ float pair[2];
__global__ void fill(void) {
    d_list[threadIdx.x] = pair[0] + pair[1]; // on a GPU d_list is a null pointer
}
PROGRAM(variable_malloc, ANY_RESULT) {
    cudaMalloc(&d_list, 64 * sizeof *d_list); // ERROR wrong argument
    pair[1] = 2;                              // ERROR device pointer on the host
    fill<<<1, 64>>>();
    cudaError_t e = cudaDeviceSynchronize();
    cudaDeviceReset();
    exit_code = e != cudaSuccess;
}

// ---- device_variable: The host reads a __device__ variable by its name: that is a copy of its
// own, which no kernel sees.
// EXPECT: device pointer on the host: load of 4 bytes at device_variable.cu
// EXPECT: byte 0 of total, 4 bytes
// EXPECT: CPU device: 1 error
__device__ int total;
__global__ void count_total(void) { atomicAdd(&total, 1); }
PROGRAM(device_variable, ANY_RESULT) {
    int right = 0;
    count_total<<<1, 32>>>();
    cudaMemcpyFromSymbol(&right, total, sizeof right);
    for (int i = 0; i < 3; i++)
        printf("%d %d\n", right, total); // ERROR device pointer on the host
}
