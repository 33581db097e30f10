// Races of threads of one block
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

// ---- race_after_rounds: The same line stores again in a later round, but the barriers that
// ended the first round do not end that one.
// EXPECT: threads (7,0,0) and (40,0,0): d_tile[7], byte 28 of 128
__global__ void rounds(int *tile, int *out) {
    int t = threadIdx.x, x = 0;
    for (int round = 0; round < 2; round++) {
        if (t < 32)
            tile[t] = t + round; // ERROR data race
        if (round == 1)
            break;
        for (int warp = 1; warp < 4; warp++) {
            __syncthreads();
            if (t / 32 == warp && t % 32 < 32 >> warp)
                x += tile[t % 32];
        }
        __syncthreads();
    }
    if (t == 3)
        tile[t]++;
    if (t == 40)
        x += tile[7]; // ERROR data race
    out[t] = x;
}
PROGRAM(race_after_rounds) {
    ARRAY(int, d_tile, 32);
    ARRAY(int, d_out, 128);
    rounds<<<1, 128>>>(d_tile, d_out);
}

// ---- race_broadcast: One thread stores a result that all read, but no thread waits for it.
// EXPECT: of shared total, 4 bytes
__global__ void scale(float *a) {
    __shared__ float total;
    float v = a[threadIdx.x];
    if (threadIdx.x == 0)
        total = v;              // ERROR data race
    a[threadIdx.x] = v * total; // ERROR data race
}
PROGRAM(race_broadcast) {
    ZEROES(float, d_a, 96);
    scale<<<1, 96>>>(d_a);
}

// ---- race_bytes: Neighboring bytes do not race, the same byte does: each thread stores two
// bytes, one of which is its neighbor's.
// EXPECT: data race: store of 1 byte at race_bytes.cu
// EXPECT: thread
__global__ void write_pairs(unsigned char *a) {
    a[threadIdx.x] = 1; // ERROR data race
    if (threadIdx.x == 40)
        a[threadIdx.x + 1] = 2; // ERROR data race
}
PROGRAM(race_bytes) {
    ARRAY(unsigned char, d_a, 65);
    write_pairs<<<1, 64>>>(d_a);
}

// ---- race_half_warp: __syncwarp() of half a warp orders that half only.
// EXPECT: the same warp
__global__ void swap(int *a) {
    __shared__ int part[32];
    int i = threadIdx.x;
    part[i] = a[i]; // ERROR data race
    __syncwarp(i < 16 ? 0x0000ffff : 0xffff0000);
    a[i] = part[(i + 16) % 32]; // ERROR data race
}
PROGRAM(race_half_warp) {
    ZEROES(int, d_a, 32);
    swap<<<1, 32>>>(d_a);
}

// ---- race_histogram: A histogram without atomics, whose bins are shared by the threads of a
// block, then of all blocks.
// EXPECT: shared local[0], byte 0 of 64
// EXPECT: d_bins[0], byte 0 of 64
__global__ void histogram(const int *in, int *bins) {
    __shared__ int local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    local[in[blockIdx.x * 64 + threadIdx.x] % 16]++; // ERROR data race
    __syncthreads();
    if (threadIdx.x < 16)
        bins[threadIdx.x] += local[threadIdx.x]; // ERROR data race (global memory)
}
PROGRAM(race_histogram) {
    static int h_in[256];
    for (int i = 0; i < 256; i++)
        h_in[i] = i * i;
    COPY_OF(int, d_in, h_in);
    ZEROES(int, d_bins, 16);
    histogram<<<4, 64>>>(d_in, d_bins);
}

// ---- race_neighbor: Each thread reads what its neighbor has stored, with no barrier: most
// neighbors are of one warp, where __syncwarp() would be enough, and some are not. These are
// reported.
// EXPECT: threads (0,0,0) and (63,0,0): shared tile[0], byte 0 of 256; no __syncthreads() lies between
__global__ void shift(const int *in, int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];             // ERROR data race
    out[i] = tile[(i + 1) % 64]; // ERROR data race
}
PROGRAM(race_neighbor) {
    ZEROES(int, d_in, 64);
    ARRAY(int, d_out, 64);
    shift<<<1, 64>>>(d_in, d_out);
}

// ---- race_same_value: Every thread that finds a zero sets the flag: a race, but of the same
// constant.
// EXPECT: note: data race: store of 4 bytes at race_same_value.cu:8 and store
// EXPECT: :12; both store the same constant; let one thread do it, or use atomicOr()
// ONLY: x86_64
__global__ void find_zero(const int *in, int *found) {
    if (in[threadIdx.x] == 0)
        *found = 1; // NOTE data race
}
PROGRAM(race_same_value) {
    ZEROES(int, d_in, 64);
    ZEROES(int, d_found, 1);
    find_zero<<<1, 64>>>(d_in, d_found);
}

// ---- race_warp: The last steps of a reduction without barriers, as one wrote them when the
// threads of a warp ran in lock-step: since Volta they need __syncwarp().
// EXPECT: the same warp: no __syncwarp() or __syncthreads() lies between
__global__ void sum(const int *in, int *out) {
    __shared__ volatile int part[64];
    int i = threadIdx.x;
    part[i] = in[i];
    __syncthreads();
    if (i < 32) {
        part[i] += part[i + 32];
        __syncwarp();
        if (i < 16)
            part[i] += part[i + 16]; // ERROR data race
        if (i < 8)
            part[i] += part[i + 8]; // ERROR data race
    }
    if (i < 1)
        *out = part[0];
}
PROGRAM(race_warp) {
    ZEROES(int, d_in, 64);
    ARRAY(int, d_out, 1);
    sum<<<1, 64>>>(d_in, d_out);
}

// ---- race_constants: Many threads store a constant to one place. Where all store the same one
// that is a note; not where one of them stores another one, or a thread reads meanwhile.
// EXPECT: CPU device: 4 errors, 3 notes
// ONLY: x86_64
__global__ void flag_of_all(bool *flag) {
    flag[0] = true;                  // NOTE data race
    flag[1 + blockIdx.x % 2] = true; // NOTE data race
}
__global__ void set_anew(int *flag) {
    if (threadIdx.x == 0)
        *flag = 0;
    __syncthreads();
    if (threadIdx.x == 5)
        *flag = 1; // ERROR data race
}
__global__ void two_constants(int *flag) {
    if (blockIdx.x == 5 && threadIdx.x == 0)
        *flag = 2; // ERROR data race
    else if (threadIdx.x == 0)
        *flag = 1; // ERROR data race
}
__global__ void read_by_one(int *flag, int *out) {
    if (blockIdx.x != 5 && threadIdx.x == 0)
        *flag = 1; // ERROR data race // NOTE data race
    else if (blockIdx.x == 5)
        out[threadIdx.x] = *flag; // ERROR data race
}
__global__ void other_memory(int *out) {
    out[threadIdx.x] = blockIdx.x; // ERROR data race
}
PROGRAM(race_constants) {
    ARRAY(bool, d_flags, 64);
    ARRAY(int, d_flag, 1);
    ARRAY(int, d_out, 64);
    flag_of_all<<<8, 64>>>(d_flags);
    set_anew<<<8, 64>>>(d_flag);
    two_constants<<<8, 64>>>(d_flag);
    read_by_one<<<8, 64>>>(d_flag, d_out);
    other_memory<<<8, 64>>>(d_out);
}

// ---- copy_no_wait: Asynchronous copies to shared memory: never waited for; waited for all but
// the last one, with which the last turn works; committed by no one; waited for, but not by all
// threads.
// EXPECT: shared tile[63], byte 252 of 256; the copy that begins at copy_no_wait.cu:9 has not been committed and waited for
// EXPECT: shared tile[1][63], byte 508 of 512; the copy that begins at copy_no_wait.cu:22 has not been committed and waited for
// EXPECT: store of 4 bytes at copy_no_wait.cu:41 and load of 4 bytes at copy_no_wait.cu:46
__global__ void no_wait(const int *in, int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // ERROR read of memory never written
}
__global__ void last_turn(const int *in, int *out) {
    __shared__ int tile[2][64];
    int i = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&tile[0][i], &in[i], 4);
    __pipeline_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            int *next = &tile[(k + 1) % 2][i];
            __pipeline_memcpy_async(next, &in[64 * (k + 1) + i], 4);
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[k % 2][63 - i]; // ERROR read of memory never written
        __syncthreads();
    }
    out[i] = sum;
}
__global__ void no_commit(const int *in, int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x]; // ERROR read of memory never written
}
__global__ void no_barrier(const int *in, int *out) {
    __shared__ int tile[64], later[64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], 4); // ERROR data race
    __pipeline_memcpy_async(&later[i], &in[i], 4);
    __pipeline_commit();
    out[i] = 0;
    __pipeline_wait_prior(0);
    out[i] = tile[63 - i]; // ERROR data race
    __syncthreads();
    out[i] += later[63 - i];
}
__global__ void group(const int *in, int *out) {
    __shared__ int tile[64];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, tile, in, sizeof tile);
    block.sync();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // ERROR read of memory never written
}
PROGRAM(copy_no_wait, ANY_RESULT) {
    ZEROES(int, d_in, 256);
    ARRAY(int, d_out, 64);
    no_wait<<<1, 64>>>(d_in, d_out);
    last_turn<<<1, 64>>>(d_in, d_out);
    no_commit<<<1, 64>>>(d_in, d_out);
    no_barrier<<<1, 64>>>(d_in, d_out);
    group<<<1, 64>>>(d_in, d_out);
}

// ---- copy_overtaken: A thread stores to what its own asynchronous copy will write, or may still
// read, before it has waited; so does another thread, two barriers before the wait.
// EXPECT: store of 4 bytes at copy_overtaken.cu:10 and store of 4 bytes at copy_overtaken.cu:12
// EXPECT: block (0,0,0), thread (0,0,0): shared tile[0], byte 0 of 256; the copy that begins at copy_overtaken.cu:10 has not been committed and waited for
// EXPECT: store of 4 bytes at copy_overtaken.cu:21 and load of 4 bytes at copy_overtaken.cu:19
// EXPECT: thread (0,0,0): d_in[0], byte 0 of 256, allocated at copy_overtaken.cu:37; the copy that begins at copy_overtaken.cu:19 has not been
// EXPECT: ; the copy that begins at copy_overtaken.cu:28 has not been
__global__ void to_target(const int *in, int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4); // ERROR data race
    __pipeline_commit();
    tile[threadIdx.x] = -1; // ERROR data race
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void to_source(int *in, int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], 4); // ERROR data race
    __pipeline_commit();
    in[i]++; // ERROR data race
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}
__global__ void by_another(const int *in, int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], 4); // ERROR data race
    __pipeline_commit();
    __syncthreads();
    tile[63 - i] = -1; // ERROR data race
    __syncthreads();
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}
PROGRAM(copy_overtaken, ANY_RESULT) {
    ZEROES(int, d_in, 64);
    ARRAY(int, d_out, 64);
    to_target<<<1, 64>>>(d_in, d_out);
    to_source<<<1, 64>>>(d_in, d_out);
    by_another<<<1, 64>>>(d_in, d_out);
}
