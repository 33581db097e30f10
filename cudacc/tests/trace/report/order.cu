// In which order findings are said, and how many: causes first, and each once. `./order NAME` runs
// one. SAYS: the report has these texts in this order, {A} being the number of the line marked so;
// NOT: and not these.
// SPDX-License-Identifier: MIT
#include "../errors/program.h"

// ---- last_warp: A warp reads without a barrier what all have stored, then goes on in lock-step:
// the missing __syncthreads() comes before the missing __syncwarp(), and each is one report.
// SAYS: store of 4 bytes at order.cu:{S} and load of 4 bytes at order.cu:{A}
// SAYS: no __syncthreads() lies between
// SAYS: likewise the pairs of lines ({S}, {B})
// SAYS: the same warp: no __syncwarp() or __syncthreads() lies between
// SAYS: likewise the pairs of lines
// SAYS: CPU device: 2 errors
__device__ void last(volatile int *s, int i) {
    s[i] += s[i + 32]; // {A}
    s[i] += s[i + 16]; // {B}
    s[i] += s[i + 8];
    s[i] += s[i + 4];
    s[i] += s[i + 2];
    s[i] += s[i + 1];
}
__global__ void sum(const int *in, int *out) {
    __shared__ int s[256];
    int i = threadIdx.x;
    s[i] = in[i];
    for (int d = 128; d > 32; d /= 2) {
        __syncthreads();
        if (i < d)
            s[i] += s[i + d]; // {S}
    }
    if (i < 32)
        last(s, i);
    if (i == 0)
        *out = s[0];
}
PROGRAM(last_warp) {
    ZEROES(int, d_in, 256);
    ARRAY(int, d_out, 1);
    sum<<<1, 256>>>(d_in, d_out);
}

// ---- two_tiles: One barrier is missing after two stores, and it is one report; another one is
// missing later, and is another report.
// SAYS: store of 4 bytes at order.cu:{B} and load of 4 bytes at order.cu:{C}
// SAYS: likewise the pairs of lines ({A}, {C})
// SAYS: store of 4 bytes at order.cu:{D} and load of 4 bytes at order.cu:{E}
// SAYS: CPU device: 2 errors
__global__ void tiles(const int *in, int *out) {
    __shared__ int a[128], b[128], c[128];
    int i = threadIdx.x;
    a[i] = in[i];                  // {A}
    b[i] = in[i + 128];            // {B}
    c[i] = a[127 - i] + b[i ^ 64]; // {C} {D}
    out[i] = c[127 - i];           // {E}
}
PROGRAM(two_tiles) {
    ZEROES(int, d_in, 256);
    ARRAY(int, d_out, 128);
    tiles<<<1, 128>>>(d_in, d_out);
}

// ---- flag_of_a_loop: A flag is cleared for the next turn while others still read it. So some
// leave the loop, and the barriers in it are not reached: that is a consequence, and said once.
// SAYS: CPU device: data race: store of 4 bytes at order.cu:{A} and load of 4 bytes at order.cu:{D}
// SAYS: barrier not reached by all threads: __syncthreads() at order.cu:{B}
// SAYS: 1 thread waits there
// SAYS: likewise at order.cu:{C}
// SAYS: CPU device: 2 errors
__global__ void relax(int *a) {
    __shared__ int changed;
    int i = threadIdx.x, turn = 0;
    do {
        if (i == 0)
            changed = 0; // {A}
        __syncthreads(); // {B}
        if (i == 40 && turn++ < 3)
            changed = 1;
        __syncthreads(); // {C}
    } while (changed);   // {D}
    a[i] = turn;
}
PROGRAM(flag_of_a_loop) {
    ARRAY(int, d_a, 64);
    relax<<<1, 64>>>(d_a);
}

// ---- barrier_first: A barrier in a branch, and later a race: what comes first in time is first.
// SAYS: barrier not reached by all threads: __syncthreads() at order.cu:{A}
// SAYS: data race: store of 4 bytes at order.cu:{B} and load of 4 bytes at order.cu:{C}
__global__ void in_a_branch(int *out) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i < 32)
        __syncthreads(); // {A}
    else
        __syncthreads();
    s[i] = i;           // {B}
    out[i] = s[63 - i]; // {C}
}
PROGRAM(barrier_first, ANY_RESULT) {
    ARRAY(int, d_out, 64);
    in_a_branch<<<1, 64>>>(d_out);
}

// ---- blocks_first: Of a sum that all threads add to without an atomic, blocks come first; a note
// comes after the errors.
// SAYS: store of 4 bytes at order.cu:{A} and store of 4 bytes at order.cu:{A}
// SAYS: nothing orders two blocks of a launch but atomics with __threadfence()
// SAYS: if both should count, use atomicAdd()
// SAYS: store of 4 bytes at order.cu:{B} and load of 4 bytes at order.cu:{C}
// SAYS: CPU device: 2 errors
__global__ void add(int *sum, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;                                       // {B}
    *sum += 1;                                                // {A}
    out[threadIdx.x + 64 * blockIdx.x] = s[63 - threadIdx.x]; // {C}
}
PROGRAM(blocks_first) {
    ZEROES(int, d_sum, 1);
    ARRAY(int, d_out, 256);
    add<<<4, 64>>>(d_sum, d_out);
}

// ---- same_store: All threads store what they have computed, and it is the same: no advice to add.
// SAYS: one of the two is lost; if they are the same, let one thread do it
// NOT: no __sync
// SAYS: CPU device: 1 error
__global__ void normalize(const float *a, float *scale) { *scale = a[0] * 2; }
PROGRAM(same_store) {
    ZEROES(float, d_a, 128);
    ARRAY(float, d_scale, 1);
    normalize<<<1, 64>>>(d_a, d_scale);
}

// ---- lock_of_a_block: A lock without a fence orders nothing: it is told the fence, no barrier.
// SAYS: a lock orders nothing without __threadfence() after it is taken and before it is given back
// NOT: lies between
// SAYS: CPU device: 1 error
__device__ int taken;
__global__ void locked(int *sum) {
    while (atomicCAS(&taken, 0, 1) != 0)
        ;
    *sum += 2;
    atomicExch(&taken, 0);
}
PROGRAM(lock_of_a_block) {
    ZEROES(int, d_sum, 1);
    locked<<<1, 128>>>(d_sum);
}

// ---- each_kernel: A kernel with more errors than are printed, and two with the same function:
// each kernel is named, and what is not printed is counted for it.
// SAYS: kernel many, launch 0
// SAYS: kernel one, launch 1
// SAYS: kernel two, launch 2
// SAYS: CPU device: read of memory never written in kernel many: 2 more
// SAYS: CPU device: 14 errors
__device__ int first(const int *a) { return a[100]; }
__global__ void many(const int *a, int *out) {
    int sum = a[0];
    sum += a[1];
    sum += a[2];
    sum += a[3];
    sum += a[4];
    sum += a[5];
    sum += a[6];
    sum += a[7];
    sum += a[8];
    sum += a[9];
    sum += a[10];
    sum += a[11];
    *out = sum;
}
__global__ void one(const int *a, int *out) { *out = first(a); }
__global__ void two(const int *a, int *out) { *out = first(a); }
PROGRAM(each_kernel) {
    ARRAY(int, d_a, 128);
    ARRAY(int, d_out, 1);
    many<<<1, 1>>>(d_a, d_out);
    one<<<1, 1>>>(d_a, d_out);
    two<<<1, 1>>>(d_a, d_out);
}

// ---- counter_overflows: A loop's counter passes INT_MAX before it can reach n, so the index is
// small again, and just past the end.
// SAYS: out of bounds: store of 1 byte at order.cu:{A}
// SAYS: it would be d_a[1024], the last one is d_a[999]
// SAYS: far from the thread's number, 0: what computes it goes too far, or overflows
__global__ void to_the_last(char *a, int from, int n) {
    for (int i = from + threadIdx.x; i < n; i += blockDim.x)
        a[i - from] = 1; // {A}
}
PROGRAM(counter_overflows, ANY_RESULT) {
    ARRAY(char, d_a, 1000);
    to_the_last<<<1, 256>>>(d_a, 2147482637, 2147483637);
}

// ---- below_zero: No word of an overflow where a guard lacks; one where the index is negative.
// SAYS: it would be d_a[-1]; an index below 0: a subtraction, or an overflow
// NOT: far from
__global__ void left(const int *a, int *out) { out[threadIdx.x] = a[(int)threadIdx.x - 1]; }
PROGRAM(below_zero, ANY_RESULT) {
    ZEROES(int, d_a, 64);
    ARRAY(int, d_out, 64);
    left<<<1, 64>>>(d_a, d_out);
}

// ---- barrier_in_a_branch: A barrier that half of the block does not come to, and what that half
// then reads: no value leads it past the barrier, so that comes first.
// SAYS: barrier not reached by all threads: __syncthreads() at order.cu:{A}
// SAYS: store of 4 bytes at order.cu:{B} and load of 4 bytes at order.cu:{C}
__global__ void guarded(const int *a, int *out) {
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i < 32) {
        s[i] = a[i];     // {B}
        __syncthreads(); // {A}
    }
    out[i] = s[i % 32]; // {C}
}
PROGRAM(barrier_in_a_branch, ANY_RESULT) {
    ZEROES(int, d_a, 64);
    ARRAY(int, d_out, 64);
    guarded<<<1, 64>>>(d_a, d_out);
}

// ---- histogram: Threads of several warps, and of one, add to one bin: no barrier helps.
// SAYS: store of 4 bytes at order.cu:{A} and store of 4 bytes at order.cu:{A}
// SAYS: if both should count, use atomicAdd() or a related function
// NOT: no __sync
// SAYS: CPU device: 1 error
__global__ void histogram(int *out) {
    __shared__ int bins[16];
    int i = threadIdx.x;
    if (i < 16)
        bins[i] = 0;
    __syncthreads();
    bins[i % 16]++; // {A}
    __syncthreads();
    if (i < 16)
        out[i] = bins[i];
}
PROGRAM(histogram) {
    ARRAY(int, d_out, 16);
    histogram<<<1, 256>>>(d_out);
}

// ---- product_of_tiles: Two tiles are loaded anew while others still read them. In one of the two
// the threads are of one warp: one barrier does for both.
// SAYS: then store of 4 bytes at order.cu:
// SAYS: no __syncthreads() lies between
// SAYS: likewise the pairs of lines
// SAYS: CPU device: 1 error
__global__ void product(const float *a, const float *b, float *c) {
    __shared__ float s[8][8], t[8][8];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 32; k += 8) {
        s[y][x] = a[y * 32 + k + x];
        t[y][x] = b[(k + y) * 8 + x];
        __syncthreads();
        for (int i = 0; i < 8; i++)
            sum += s[y][i] * t[i][x];
    }
    c[y * 8 + x] = sum;
}
PROGRAM(product_of_tiles) {
    ZEROES(float, d_a, 256);
    ZEROES(float, d_b, 256);
    ARRAY(float, d_c, 64);
    product<<<1, dim3(8, 8)>>>(d_a, d_b, d_c);
}
