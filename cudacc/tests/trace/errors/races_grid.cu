// Races of blocks
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cooperative_groups.h>

// ---- race_atomic_block: Two blocks add to one counter with an atomic that is one for a block
// alone
// EXPECT: kernel count, launch 0, block (0,0,0), thread (0,0,0), and block (1,0,0), thread (0,0,0): d_sum[0], byte 0 of 4
// EXPECT: an atomic function whose name ends in _block is one for the threads of a block
__global__ void count(int *sum) {
    atomicAdd_block(sum, 1); // ERROR data race
}
PROGRAM(race_atomic_block) {
    ZEROES(int, d_sum, 1);
    count<<<2, 64>>>(d_sum);
}

// ---- race_atomic_plain: Some threads count with an atomic, one reads the count as if they were
// done.
// EXPECT: data race: atomic of 4 bytes at race_atomic_plain.cu
__global__ void count_and_read(int *counter, int *out) {
    atomicAdd(counter, 1); // ERROR data race
    if (threadIdx.x == 0)
        out[blockIdx.x] = *counter; // ERROR data race
}
PROGRAM(race_atomic_plain) {
    ZEROES(int, d_counter, 1);
    ARRAY(int, d_out, 4);
    count_and_read<<<4, 64>>>(d_counter, d_out);
}

// ---- race_blocks: Blocks that only meet at their borders: the last element of one is the first
// of the next.
// EXPECT: nothing orders two blocks of a launch
// EXPECT: block (0,0,0), thread (64,0,0), and block (1,0,0), thread (0,0,0): d_border[64], byte 256 of 1028
__global__ void write_border(int *border) {
    border[64 * blockIdx.x + threadIdx.x] = (int)threadIdx.x; // ERROR data race
}
PROGRAM(race_blocks) {
    ARRAY(int, d_border, 257);
    write_border<<<4, 65>>>(d_border);
}

// ---- race_compare_plain: A maximum by compare-and-swap is read before all threads are done. The
// plain read that the swaps begin with is right.
// EXPECT: data race: atomic of 4 bytes at race_compare_plain.cu
// LUCK: which of the blocks comes first
__device__ void atomic_max_if_more(int *address, int value) {
    int old = *address, assumed;
    while (old < value) {
        assumed = old;
        old = atomicCAS(address, assumed, value); // ERROR data race
        if (old == assumed)
            break;
    }
}
__global__ void maximum(int *most, int *out) {
    atomic_max_if_more(most, blockIdx.x * blockDim.x + threadIdx.x);
    __threadfence();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *most; // ERROR data race
}
PROGRAM(race_compare_plain) {
    ZEROES(int, d_most, 1);
    ARRAY(int, d_out, 4);
    maximum<<<4, 1>>>(d_most, d_out);
}

// ---- race_fence_no_barrier: All threads store, one of them takes the ticket for the block, with
// a fence: but no __syncthreads() makes it wait for the others.
// LUCK: which block is the last
// EXPECT: nothing orders two blocks of a launch but atomics with __threadfence()
__global__ void sum(int *part, unsigned *ticket, int *out) {
    __shared__ int is_last;
    part[64 * blockIdx.x + threadIdx.x] = (int)threadIdx.x; // ERROR data race
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int s = 0;
        for (unsigned i = 0; i < 64 * gridDim.x; i++)
            s += part[i]; // ERROR data race
        *out = s;
    }
}
PROGRAM(race_fence_no_barrier) {
    ARRAY(int, d_part, 512);
    ARRAY(int, d_out, 1);
    ZEROES(unsigned, d_ticket, 1);
    sum<<<8, 64>>>(d_part, d_ticket, d_out);
}

// ---- race_fence_of_block: The flag of one block tells another that a sum is there, after a
// fence for the threads of the block alone.
// EXPECT: data race: store of 4 bytes at race_fence_of_block.cu
// EXPECT: nothing orders two blocks of a launch but atomics with __threadfence()
__global__ void hand_on(int *sum, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *sum = 42; // ERROR data race
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *sum; // ERROR data race
    }
}
PROGRAM(race_fence_of_block) {
    ARRAY(int, d_sum, 1);
    ZEROES(int, d_flag, 1);
    ARRAY(int, d_out, 1);
    hand_on<<<2, 1>>>(d_sum, d_flag, d_out);
}

// ---- race_grid_barrier: A barrier over the grid orders what is before it, not what comes after
// it: the next phase needs another one.
// EXPECT: nothing orders two blocks of a launch
__global__ void two_phases(int *from, int *to, int count) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    from[i] = i;
    cooperative_groups::this_grid().sync();
    to[i] = from[count - 1 - i]; // ERROR data race
    from[i] = 0;                 // ERROR data race
}
PROGRAM(race_grid_barrier) {
    int count = 4 * 64;
    ARRAY(int, d_from, count);
    ARRAY(int, d_to, count);
    void *arguments[] = {&d_from, &d_to, &count};
    cudaLaunchCooperativeKernel((void *)two_phases, dim3(4), dim3(64), arguments, 0, 0);
}

// ---- race_in_place: Each element becomes the sum of itself and its right neighbor, in place:
// the neighbor may have been changed already. Within a block as well as between blocks.
// EXPECT: data race: store of 4 bytes at race_in_place.cu
// EXPECT: kernel smooth, launch 0
__global__ void smooth(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) {
        float right = a[i + 1]; // ERROR data race
        a[i] += right;          // ERROR data race
    }
}
PROGRAM(race_in_place) {
    ZEROES(float, d_a, 1000);
    smooth<<<4, 256>>>(d_a, 1000);
}

// ---- race_lock_no_fence: A lock made of atomics keeps the others out, but without a fence
// before it is given back the sum may not have arrived.
// EXPECT: data race: store of 4 bytes at race_lock_no_fence.cu
__global__ void add(int *lock, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *sum += 1; // ERROR data race
        atomicExch(lock, 0);
    }
}
PROGRAM(race_lock_no_fence) {
    ZEROES(int, d_lock, 1);
    ZEROES(int, d_sum, 1);
    add<<<8, 32>>>(d_lock, d_sum);
}

// ---- race_no_fence: The last block adds up what all have stored, but no fence stands before the
// ticket: the count may be seen before the sums.
// LUCK: which block is the last
// EXPECT: data race: store of 4 bytes at race_no_fence.cu
// EXPECT: nothing orders two blocks of a launch but atomics with __threadfence()
__global__ void sum_no_fence(const int *in, int *part, unsigned *ticket, int *out) {
    __shared__ int is_last;
    if (threadIdx.x == 0) {
        int s = 0;
        for (int i = 0; i < 32; i++)
            s += in[32 * blockIdx.x + i];
        part[blockIdx.x] = s; // ERROR data race
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int s = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            s += part[i]; // ERROR data race
        *out = s;
    }
}
PROGRAM(race_no_fence) {
    ZEROES(int, d_in, 512);
    ARRAY(int, d_part, 16);
    ARRAY(int, d_out, 1);
    ZEROES(unsigned, d_ticket, 1);
    sum_no_fence<<<16, 32>>>(d_in, d_part, d_ticket, d_out);
}

// ---- race_scatter: A scatter whose indices were meant to be a permutation, and are not.
// EXPECT: data race: store of 4 bytes at race_scatter.cu
// EXPECT: d_out[37], byte 148 of 4096
__global__ void scatter(const int *index, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = (float)i; // ERROR data race
}
PROGRAM(race_scatter) {
    static int h_index[1024];
    for (int i = 0; i < 1024; i++)
        h_index[i] = i * 37 % 1024;
    h_index[900] = 37;
    COPY_OF(int, d_index, h_index);
    ARRAY(float, d_out, sizeof h_index / sizeof *h_index);
    scatter<<<8, 128>>>(d_index, d_out);
}

// ---- race_sum: All threads of all blocks add to one number, without an atomic.
// EXPECT: data race: store of 4 bytes at race_sum.cu
// EXPECT: d_sum[0], byte 0 of 4
// EXPECT: if both should count, use atomicAdd()
__global__ void sum_plain(const int *in, int *total) {
    *total += in[blockIdx.x * blockDim.x + threadIdx.x]; // ERROR data race
}
PROGRAM(race_sum) {
    ZEROES(int, d_in, 1024);
    ZEROES(int, d_sum, 1);
    sum_plain<<<4, 256>>>(d_in, d_sum);
}

// ---- race_before_ticket: A block reads what another one stores, and then takes the ticket which
// would have put that in order, had it come first
__device__ int tickets, parts[8];
__global__ void peek(int *sum) {
    int first = parts[0];  // ERROR data race
    parts[blockIdx.x] = 1; // ERROR data race
    __threadfence();
    if (atomicAdd(&tickets, 1) == (int)gridDim.x - 1)
        sum[0] = first;
    sum[1 + blockIdx.x] = first;
}
PROGRAM(race_before_ticket) {
    ZEROES(int, d_sum, 9);
    peek<<<8, 1>>>(d_sum);
}

// ---- race_before_flag: Blocks read what one of them stores and flags, and look at the flag only
// afterwards, or whatever it says
// LUCK: which of the blocks come before the flag
__device__ int flag_of_data, data, flag_of_more, more;
__global__ void look_afterwards(int *out) {
    if (blockIdx.x == 3) {
        data = 1; // ERROR data race
        __threadfence();
        atomicExch(&flag_of_data, 1);
    } else {
        out[blockIdx.x] = data; // ERROR data race
        if (atomicAdd(&flag_of_data, 0) == 5)
            out[8] = 1;
    }
}
__global__ void look_in_vain(int *out) {
    if (blockIdx.x == 3) {
        more = 1; // ERROR data race
        __threadfence();
        atomicExch(&flag_of_more, 1);
    } else {
        int f = atomicAdd(&flag_of_more, 0);
        out[blockIdx.x] = more + f; // ERROR data race
    }
}
PROGRAM(race_before_flag) {
    ZEROES(int, d_out, 9);
    look_afterwards<<<8, 1>>>(d_out);
    look_in_vain<<<8, 1>>>(d_out);
}
