// Kernels that end in the middle
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cassert>
#include <cooperative_groups.h>
#include <stdlib.h>

// ---- dies_deadlock: Two threads of a warp wait for each other, each with another mask.
// EXPECT: kernel died: deadlock, 2 of 32 threads wait in a warp function near dies_deadlock.cu
// EXPECT: kernel swap, launch 0, block (0,0,0), thread (0,0,0): error 702, the launch timed out
__global__ void swap(int *a) {
    int i = threadIdx.x;
    if (i < 2) {
        unsigned mask = i == 0 ? 3 : 7;
        a[i] = __shfl_xor_sync(mask, a[i], 1); // ERROR kernel died
    } else {
        a[i] = 0;
    }
}
PROGRAM(dies_deadlock, ANY_ERROR) {
    ZEROES(int, d_a, 32);
    swap<<<1, 32>>>(d_a);
}

// ---- dies_division: The mean of a group that may be empty: a GPU computes any value there, and
// nothing says so.
// EXPECT: kernel died: integer division by zero, or overflow (a GPU continues with an unspecified value) at dies_division.cu
// EXPECT: kernel mean, launch 0, block (0,0,0), thread (37,0,0): error 719, unspecified launch failure
// ONLY: x86_64, where an integer division by zero is a fault
__global__ void mean(int *out, const int *sum, const int *count) {
    int i = threadIdx.x;
    out[i] = sum[i] / count[i]; // ERROR kernel died
}
PROGRAM(dies_division, cudaErrorLaunchFailure) {
    int h_sum[64], h_count[64];
    for (int i = 0; i < 64; i++) {
        h_sum[i] = i;
        h_count[i] = i != 37;
    }
    COPY_OF(int, d_sum, h_sum);
    COPY_OF(int, d_count, h_count);
    ARRAY(int, d_out, 64);
    mean<<<1, 64>>>(d_out, d_sum, d_count);
}

// ---- dies_free: A kernel frees what the host has allocated.
__global__ void done(int *list) {
    if (threadIdx.x == 5)
        free(list); // ERROR kernel died
}
PROGRAM(dies_free, ANY_RESULT) {
    ARRAY(int, d_list, 64);
    done<<<1, 32>>>(d_list);
}

// ---- dies_function: A table of functions, one of which was never filled in.
// EXPECT: kernel died: call of a null function pointer at dies_function.cu
// EXPECT: kernel apply, launch 1, block (0,0,0), thread (1,0,0): error 700, an illegal memory access
typedef float (*operation)(float);
__device__ operation operations[2];
__device__ float negate(float x) { return -x; }
__global__ void fill(void) { operations[0] = negate; }
__global__ void apply(float *a) {
    int i = threadIdx.x;
    float x = a[i];
    a[i] = operations[i % 2](x); // ERROR kernel died
}
PROGRAM(dies_function, ANY_ERROR) {
    ZEROES(float, d_a, 32);
    fill<<<1, 1>>>();
    apply<<<1, 32>>>(d_a);
}

// ---- dies_grid_barrier: A block returns before a barrier over the grid, and the others wait for
// it forever.
// EXPECT: kernel died: waits at a barrier over the grid for blocks that have returned
// EXPECT: error 702, the launch timed out
__global__ void leaves(int *a, int count) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if ((int)(blockIdx.x * blockDim.x) >= count)
        return;
    a[i] = i;
    cooperative_groups::this_grid().sync(); // ERROR kernel died
}
PROGRAM(dies_grid_barrier, ANY_ERROR) {
    int count = 192;
    ARRAY(int, d_a, 256);
    void *arguments[] = {&d_a, &count};
    cudaLaunchCooperativeKernel((void *)leaves, dim3(4), dim3(64), arguments, 0, 0);
}

// ---- dies_local_misaligned: 16 bytes at once into a thread's own array, which is aligned for
// pairs only.
// EXPECT: kernel died: misaligned address (a local variable, 8 bytes past a multiple of 16) at dies_local_misaligned.cu
// EXPECT: kernel take, launch 0, block (0,0,0), thread (0,0,0): error 716, misaligned address
// ONLY: x86_64
__device__ void copy16(void *to, const void *from) {
    *(int4 *)to = *(const int4 *)from; // ERROR kernel died
}
__global__ void take(float *out, const float *in, int which) {
    float2 mine[5];
    for (int k = 0; k < 5; k++)
        mine[k] = make_float2(0, 0);
    copy16(mine + which, in + 4 * threadIdx.x);
    out[threadIdx.x] = mine[which].x + mine[which + 1].y;
}
PROGRAM(dies_local_misaligned, cudaErrorMisalignedAddress) {
    ZEROES(float, d_in, 128);
    ARRAY(float, d_out, 32);
    take<<<1, 32>>>(d_out, d_in, 1);
}

// ---- dies_not_written: An assertion fails because of what was read before it.
// EXPECT: read of memory never written: load of 4 bytes at dies_not_written.cu
// EXPECT: kernel died: assertion `left > 0` failed at dies_not_written.cu
__global__ void take_stock(int *out, const int *stock) {
    int left = stock[threadIdx.x]; // ERROR read of memory never written
    __syncthreads();
    assert(left > 0); // ERROR kernel died
    out[threadIdx.x] = left - 1;
}
PROGRAM(dies_not_written, cudaErrorAssert) {
    ARRAY(int, d_stock, 64);
    ARRAY(int, d_out, 64);
    take_stock<<<1, 64>>>(d_out, d_stock);
}

// ---- dies_past_end: A store past the end, and an assertion that sees what it did; the first one
// ends the kernel.
// EXPECT: out of bounds: store of 4 bytes at dies_past_end.cu
// EXPECT: it would be d_a[63], the last one is d_a[62]
__global__ void shift(int *a, int n) {
    int i = threadIdx.x;
    a[i + 1] = 1; // ERROR out of bounds
    assert(i + 1 < n);
}
PROGRAM(dies_past_end, ANY_ERROR) {
    ZEROES(int, d_a, 63);
    shift<<<1, 63>>>(d_a, 63);
}

// ---- dies_stack: A list with a cycle, walked by recursion: the stack overflows.
// EXPECT: kernel died: stack overflow (a GPU's thread has 512 KiB at most) at dies_stack.cu
// EXPECT: kernel find, launch 0, block (0,0,0), thread (0,0,0): error 700, an illegal memory access
__device__ int largest(const int *value, const int *next, int i) { // ERROR kernel died
    int rest = next[i] < 0 ? value[i] : largest(value, next, next[i]);
    return rest > value[i] ? rest : value[i];
}
__global__ void find(int *out, const int *value, const int *next) {
    *out = largest(value, next, 0);
}
PROGRAM(dies_stack, ANY_ERROR) {
    int h_value[4] = {3, 1, 4, 1}, h_next[4] = {1, 2, 3, 1};
    COPY_OF(int, d_value, h_value);
    COPY_OF(int, d_next, h_next);
    ARRAY(int, d_out, 1);
    find<<<1, 1>>>(d_out, d_value, d_next);
}

// ---- dies_texture_destroyed: A texture object is destroyed before the kernel that reads through
// it is launched.
// EXPECT: kernel died: use of a texture or surface object that has been destroyed at dies_texture_destroyed.cu:5
__global__ void sample(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); // ERROR kernel died
}
PROGRAM(dies_texture_destroyed, ANY_RESULT) {
    ZEROES(float, d_in, 32);
    ARRAY(float, d_out, 32);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 32 * sizeof(float);
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, 0);
    cudaDestroyTextureObject(texture);
    sample<<<1, 32>>>(texture, d_out);
}

// ---- dies_trap: A kernel gives up by __trap(), in one of two places.
// EXPECT: kernel died: __trap() at dies_trap.cu
// EXPECT: kernel pop, launch 0, block (0,0,0), thread (33,0,0): error 719, unspecified launch failure
__global__ void pop(int *out, const int *fill, int room) {
    int n = fill[threadIdx.x];
    if (n > room)
        __trap();
    if (n == 0)
        __trap(); // ERROR kernel died
    out[threadIdx.x] = n - 1;
}
PROGRAM(dies_trap, cudaErrorLaunchFailure) {
    int h_fill[64];
    for (int i = 0; i < 64; i++)
        h_fill[i] = (i + 31) % 64;
    COPY_OF(int, d_fill, h_fill);
    ARRAY(int, d_out, 64);
    pop<<<1, 64>>>(d_out, d_fill, 64);
}
