// Blocks that wait for each other and are right
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdio.h>

// ---- clean_atomic_block: Atomics for a block alone: on shared memory and on a sum of the
// block's own, which the last block adds to the others' sums
__device__ unsigned ticket;
__global__ void count(int *sums, int *total) {
    __shared__ int bins[4];
    __shared__ bool last;
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd_block(&bins[threadIdx.x % 4], 1);
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd_block(&sums[blockIdx.x], bins[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            *total += ((volatile int *)sums)[i];
}
PROGRAM(clean_atomic_block) {
    const int blocks = 4, threads = 64;
    int total;
    ZEROES(int, d_sums, blocks);
    ZEROES(int, d_total, 1);
    count<<<blocks, threads>>>(d_sums, d_total);
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    exit_code = total != blocks * threads;
}

// ---- clean_compare_and_swap: An atomic maximum of floats out of atomicCAS, as the CUDA C++
// Programming Guide builds others: it starts with a plain read, which the swap confirms. Another
// one only swaps where what it has read is less: a thread that does not has nothing that would
// confirm it, and needs nothing.
__device__ void atomic_max(float *address, float value) {
    int *bits = (int *)address, old = *bits, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value)
            value = __int_as_float(assumed);
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (assumed != old);
}
__device__ void atomic_max_if_more(float *address, float value) {
    int *bits = (int *)address, old = *bits, assumed;
    while (__int_as_float(old) < value) {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed)
            break;
    }
}
__global__ void maximum_if_more(float *out) {
    __shared__ float most;
    if (threadIdx.x == 0)
        most = 0;
    for (int k = 1; k <= 7; k++) {
        __syncthreads();
        atomic_max_if_more(&most, (float)(threadIdx.x * k % 128));
    }
    atomic_max_if_more(out, (float)(blockIdx.x * blockDim.x + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0)
        atomic_max_if_more(out, most);
}
__global__ void maximum(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomic_max(out, in[i]);
}
PROGRAM(clean_compare_and_swap) {
    static float h_in[1000];
    float h_out = 0;
    for (int i = 0; i < 1000; i++)
        h_in[i] = (float)(i * 7 % 1000);
    COPY_OF(float, d_in, h_in);
    ZEROES(float, d_out, 1);
    maximum<<<8, 128>>>(d_in, d_out, 1000);
    cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    maximum_if_more<<<8, 128>>>(d_out);
    float h_more;
    cudaMemcpy(&h_more, d_out, sizeof h_more, cudaMemcpyDeviceToHost);
    exit_code = h_out != 999 || h_more != 1023;
}

// ---- clean_compare_and_swap_few: Two maxima, to which few threads of the grid have to add: all of
// a warp look, or its odd lanes, and those that swap are neither the first nor the last of them.
__device__ void atomic_max_or_leave(float *address, float value) {
    int *bits = (int *)address, old = *bits, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value)
            break;
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (assumed != old);
}
__global__ void maximum_of_few(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomic_max_or_leave(&out[0], in[i]);
    if (i % 2)
        atomic_max_if_more(&out[32], i == 5 ? 1 : 0);
}
PROGRAM(clean_compare_and_swap_few) {
    static float h_in[1024];
    float h_out[33];
    for (int i = 0; i < 1024; i++)
        h_in[i] = (float)(i * 37 % 101);
    COPY_OF(float, d_in, h_in);
    ZEROES(float, d_out, 33);
    maximum_of_few<<<16, 64>>>(d_in, d_out);
    cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    exit_code = h_out[0] != 100 || h_out[32] != 1;
}

// ---- clean_fence_all_threads: As clean_fence_reduction, but every thread stores and fences, and
// the ticket is taken after the barrier. Also not volatile, and with the order made by an
// atomicAdd of 0 on the reader's side.
__global__ void gather(int *slot, int *ticket, int *out) {
    __shared__ int is_last;
    int i = threadIdx.x, n = blockDim.x * gridDim.x;
    slot[blockIdx.x * blockDim.x + i] = i;
    __threadfence();
    __syncthreads();
    if (i == 0)
        is_last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    int s = 0;
    for (int k = i; k < n; k += blockDim.x)
        s += slot[k];
    out[i] = s;
}
PROGRAM(clean_fence_all_threads) {
    ARRAY(int, d_slot, 16 * 96);
    ZEROES(int, d_ticket, 1);
    ARRAY(int, d_out, 96);
    gather<<<16, 96>>>(d_slot, d_ticket, d_out);
}

// ---- clean_fence_reduction: The sum of all blocks in one launch, as the CUDA C++ Programming
// Guide does it (the sample threadFenceReduction): the last block to take a ticket adds up what
// the others have stored.
__device__ unsigned int tickets = 0;
__global__ void sum(const int *in, volatile int *part, int *out, int n) {
    __shared__ int tile[128];
    __shared__ bool is_last;
    int i = threadIdx.x, s = 0;
    for (int k = blockIdx.x * blockDim.x + i; k < n; k += gridDim.x * blockDim.x)
        s += in[k];
    tile[i] = s;
    for (int step = 64; step > 0; step /= 2) {
        __syncthreads();
        if (i < step)
            tile[i] += tile[i + step];
    }
    if (i == 0) {
        part[blockIdx.x] = tile[0];
        __threadfence();
        is_last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        tile[i] = 0;
        for (unsigned k = i; k < gridDim.x; k += blockDim.x)
            tile[i] += part[k];
        for (int step = 64; step > 0; step /= 2) {
            __syncthreads();
            if (i < step)
                tile[i] += tile[i + step];
        }
        if (i == 0) {
            *out = tile[0];
            tickets = 0;
        }
    }
}
PROGRAM(clean_fence_reduction) {
    static int h_in[10000];
    int h_out = 0, expected = 0;
    for (int i = 0; i < 10000; i++)
        expected += h_in[i] = i % 7;
    COPY_OF(int, d_in, h_in);
    ARRAY(int, d_part, 32);
    ARRAY(int, d_out, 1);
    for (int k = 0; k < 3; k++)
        sum<<<32, 128>>>(d_in, d_part, d_out, 10000);
    cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h_out, expected);
    exit_code = h_out != expected;
}

// ---- clean_first_block: The first block to run sets up what the others add to, by a plain
// store, and gives out numbers by volatile stores after a fence: none of that memory was written
// before.
__device__ int next_block;
__global__ void add(int *sum, volatile int *number, int *ready) {
    __threadfence(); // so that the last block may set next_block plainly: it comes after all these
    int block = atomicAdd(&next_block, 1);
    if (block == 0) {
        *sum = 0;
        __threadfence();
        atomicExch(ready, 1);
    }
    while (atomicAdd(ready, 0) == 0)
        ;
    __threadfence();
    number[block] = block;
    atomicAdd(sum, number[block]);
    if (block == (int)gridDim.x - 1)
        next_block = 0;
}
PROGRAM(clean_first_block) {
    int sum = 0;
    ARRAY(int, d_sum, 1);
    ARRAY(int, d_number, 8);
    ZEROES(int, d_ready, 1);
    add<<<8, 1>>>(d_sum, d_number, d_ready);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    exit_code = sum != 28;
}

// ---- clean_flags: Each block waits for its predecessor (blocks are numbered by a ticket, so
// that the predecessor runs already), through a volatile flag and fences, and continues from its
// sum: a chained scan.
__device__ int flags_next_block;
__global__ void scan(const int *in, int *sums, volatile int *flag, int blocks) {
    __shared__ int block;
    if (threadIdx.x == 0)
        block = atomicAdd(&flags_next_block, 1);
    __syncthreads();
    int s = in[block * 32 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    if (threadIdx.x == 0) {
        if (block > 0) {
            while (flag[block - 1] == 0)
                ;
            __threadfence();
            s += sums[block - 1];
        }
        sums[block] = s;
        __threadfence();
        flag[block] = 1;
    }
    if (threadIdx.x == 0 && block == blocks - 1)
        flags_next_block = 0;
    if (block == 0) // it ends long after the next one has read what it wrote
        for (long long start = clock64(); clock64() - start < 20000000;)
            ;
}
PROGRAM(clean_flags) {
    static int h_in[32 * 24];
    int sum = 0;
    for (int i = 0; i < 32 * 24; i++)
        h_in[i] = 1;
    COPY_OF(int, d_in, h_in);
    ARRAY(int, d_sums, 24);
    ZEROES(int, d_flag, 24);
    scan<<<24, 32>>>(d_in, d_sums, d_flag, 24);
    cudaMemcpy(&sum, d_sums + 23, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
    exit_code = sum != 32 * 24;
}

// ---- clean_grid_barrier: Each phase reads what other blocks have written in the one before; two
// buffers, so that one barrier for each phase is enough.
__global__ void smooth(int *from, int *to, int count, int phases) {
    namespace cg = cooperative_groups;
    cg::grid_group grid = cg::this_grid();
    __shared__ int last_of_warp[4];
    for (int phase = 0; phase < phases; phase++) {
        for (int i = (int)grid.thread_rank(); i < count; i += (int)grid.size())
            to[i] = from[i ? i - 1 : count - 1] + from[i + 1 < count ? i + 1 : 0];
        grid.sync();
        int *t = from;
        from = to;
        to = t;
    }
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(tile, from[grid.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0)
        last_of_warp[tile.meta_group_rank()] = sum;
    cg::this_thread_block().sync();
    if (grid.thread_rank() < 4)
        to[grid.thread_rank()] = last_of_warp[3 - threadIdx.x];
}
PROGRAM(clean_grid_barrier) {
    int count = 1000, phases = 4;
    ZEROES(int, d_from, count);
    ARRAY(int, d_to, count);
    void *arguments[] = {&d_from, &d_to, &count, &phases};
    cudaLaunchCooperativeKernel((void *)smooth, dim3(4), dim3(128), arguments, 0, 0);
}

// ---- clean_histogram: A histogram by atomics in shared memory, then in global memory;
// grid-stride loops; the bins are read in a separate launch.
__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], local[i]);
}
__global__ void scale(const unsigned *bins, float *out, float factor) {
    out[threadIdx.x] = factor * bins[threadIdx.x];
}
PROGRAM(clean_histogram) {
    static unsigned char h_in[5000];
    float h_out[256], sum = 0;
    for (int i = 0; i < 5000; i++)
        h_in[i] = (unsigned char)(i * i);
    COPY_OF(unsigned char, d_in, h_in);
    ZEROES(unsigned, d_bins, 256);
    ARRAY(float, d_out, 256);
    histogram<<<7, 96>>>(d_in, d_bins, 5000);
    scale<<<1, 256>>>(d_bins, d_out, 1);
    cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++)
        sum += h_out[i];
    exit_code = sum != 5000;
}

// ---- clean_lock: A lock for one thread of each block: taken by compare-and-swap, given back by
// an exchange, with fences on both sides. The sum it guards is plain memory.
__device__ int lock_word;
__device__ void lock(void) {
    while (atomicCAS(&lock_word, 0, 1) != 0)
        ;
    __threadfence();
}
__device__ void unlock(void) {
    __threadfence();
    atomicExch(&lock_word, 0);
}
__global__ void lock_add(int *sum) {
    __shared__ int in_block;
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    atomicAdd(&in_block, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        lock();
        *sum += in_block;
        unlock();
    }
}
PROGRAM(clean_lock) {
    int sum = 0;
    ZEROES(int, d_sum, 1);
    lock_add<<<20, 64>>>(d_sum);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    exit_code = sum != 20 * 64;
}

// ---- clean_conditions: A loop reads variables under conditions, which some threads never meet
__global__ void first_of_block(int *out, int n) {
    __shared__ long long sums[64];
    __shared__ int limit;
    int t = (int)threadIdx.x, result = 0;
    sums[t] = 1;
    if (t < 32 && n > 100)
        limit = n;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (t == 0)
            result += (int)sums[0];
        if (n > 100)
            result += limit;
    }
    sums[t] = t;
    __syncthreads();
    out[t] = result + (int)sums[63 - t];
}
PROGRAM(clean_conditions) {
    ARRAY(int, d_out, 64);
    first_of_block<<<1, 64>>>(d_out, 2);
}

// ---- clean_older_flags: A block waits for one flag after another, of which later ones are older.
__global__ void collect(volatile int *flag, int *parts) {
    if (blockIdx.x) {
        parts[blockIdx.x] = 1;
        __threadfence();
        flag[blockIdx.x] = 1;
    }
    for (int b = blockIdx.x ? 0 : 7; b > 0; parts[0] += parts[b], b--) {
        while (!flag[b])
            ;
        __threadfence();
    }
}
PROGRAM(clean_older_flags) {
    ZEROES(int, d_flag, 8);
    ZEROES(int, d_parts, 8);
    collect<<<8, 1>>>(d_flag, d_parts);
}
