// Barriers and warp functions that not all of their threads come to
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// ---- barrier_branch: Only half of the threads come to the barrier.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_branch.cu
// EXPECT: block (0,0,0): 32 threads wait there, thread (1,0,0) first; 32 have returned, thread (0,0,0) first
__global__ void half_of_all(int *out) {
    out[threadIdx.x] = 0;
    if (threadIdx.x % 2)
        __syncthreads(); // ERROR barrier not reached by all threads
}
PROGRAM(barrier_branch) {
    ARRAY(int, d_out, 64);
    half_of_all<<<1, 64>>>(d_out);
}

// ---- barrier_loop: A barrier in a loop that some threads leave earlier than others.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_loop.cu
__global__ void steps(int *out) {
    int i = threadIdx.x;
    for (int k = 0; k < 1 + i / 32; k++)
        __syncthreads(); // ERROR barrier not reached by all threads
    out[i] = i;
}
PROGRAM(barrier_loop) {
    ARRAY(int, d_out, 64);
    steps<<<1, 64>>>(d_out);
}

// ---- barrier_return: Threads past the end of the array return before the barrier.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_return.cu
// EXPECT: kernel shift, launch 0, block (3,0,0): 8 threads wait there, thread (0,0,0) first; 56 have returned, thread (8,0,0) first
__global__ void shift(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    tile[threadIdx.x] = in[i];
    __syncthreads(); // ERROR barrier not reached by all threads
    out[i] = tile[threadIdx.x ^ 1];
}
PROGRAM(barrier_return) {
    ZEROES(int, d_in, 200);
    ARRAY(int, d_out, 200);
    shift<<<4, 64>>>(d_in, d_out, 200);
}

// ---- barrier_two: Each branch has its own barrier: the threads wait at different ones.
// EXPECT: barrier not reached by all threads: __syncthreads() at barrier_two.cu
// EXPECT: block (0,0,0): 16 threads wait there, thread (0,0,0) first; 48 wait at barrier_two.cu:12, thread (16,0,0) first
__global__ void both(int *out) {
    int i = threadIdx.x;
    if (i < 16) {
        out[i] = 1;
        __syncthreads(); // ERROR barrier not reached by all threads
    } else {
        out[i] = 2;
        out[i] += 1;
        __syncthreads(); // ERROR barrier not reached by all threads
    }
    out[i] += i;
}
PROGRAM(barrier_two) {
    ARRAY(int, d_out, 64);
    both<<<1, 64>>>(d_out);
}

// ---- group_half: Groups of which only some threads come to what all must do together
// EXPECT: misused warp function: __syncwarp() at group_half.cu:7
// EXPECT: misused warp function: __shfl_down_sync() at group_half.cu:15
// EXPECT: threads (0,0,0) and (16,0,0): its mask, or group, has the second one, too, which did not come here, but went on to group_half.cu:8
__global__ void half_of_a_tile(int *out) {
    if (threadIdx.x < 16)
        cg::tiled_partition<32>(cg::this_thread_block()).sync(); // ERROR misused warp function
    out[threadIdx.x] = 1;
}
__global__ void some_of_those_here(int *out) {
    cg::coalesced_group here = cg::coalesced_threads();
    int v = threadIdx.x;
    if (here.thread_rank() < 8) {
        cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
        v += tile.shfl_down(v, 4); // ERROR misused warp function
    }
    out[threadIdx.x] = v;
}
PROGRAM(group_half) {
    ARRAY(int, d_out, 32);
    half_of_a_tile<<<1, 32>>>(d_out);
    some_of_those_here<<<1, 32>>>(d_out);
}

// ---- shuffle_in_branch: The full mask in a branch; the lanes that do not take it end without
// another warp function.
// EXPECT: misused warp function: __shfl_down_sync() at shuffle_in_branch.cu:8
// EXPECT: threads (0,0,0) and (24,0,0): its mask, or group, has the second one, too, which did not come here, but went on to shuffle_in_branch.cu:9
__global__ void differences(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 24)
        v = __shfl_down_sync(0xffffffff, v, 1) - v; // ERROR misused warp function
    out[threadIdx.x] = v;
}
PROGRAM(shuffle_in_branch) {
    ZEROES(int, d_in, 32);
    ARRAY(int, d_out, 32);
    differences<<<1, 32>>>(d_in, d_out);
}

// ---- shuffles_one_off: Some lanes make one shuffle more than the others, whose next one it
// meets
// EXPECT: misused warp function: __shfl_down_sync() at shuffles_one_off.cu:9
// EXPECT: threads (0,0,0) and (16,0,0): the second one was here before, and met the first one's call at shuffles_one_off.cu:8
__global__ void sum(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 16)
        v -= __shfl_down_sync(0xffffffff, v, 1);
    v += __shfl_down_sync(0xffffffff, v, 2); // ERROR misused warp function
    out[threadIdx.x] = v;
}
__global__ void sums(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x >= 16)
        for (int step = 8; step > 0; step /= 2)
            v += __shfl_xor_sync(0xffffffff, v, step);
    for (int step = 8; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step); // ERROR misused warp function
    out[threadIdx.x] = v;
}
PROGRAM(shuffles_one_off) {
    ZEROES(int, d_in, 32);
    ARRAY(int, d_out, 32);
    sum<<<1, 32>>>(d_in, d_out);
    sums<<<1, 32>>>(d_in, d_out);
}

// ---- warp_misused: Warp functions whose masks do not say who calls them
// EXPECT: misused warp function: __shfl_down_sync() at warp_misused.cu:10, __shfl_xor_sync() at warp_misused.cu:13
// EXPECT: block (0,0,0), threads (0,0,0) and (16,0,0): all threads that a mask names must call the same function
// EXPECT: misused warp function: __shfl_sync() at warp_misused.cu:25
// EXPECT: block (0,0,0), thread (0,0,0): it reads from lane 20, which does not take part: it gets anything
// EXPECT: block (0,0,0), thread (16,0,0): its mask lacks the thread itself
__global__ void in_a_branch(int *sum) {
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v += __shfl_down_sync(0xffffffff, v, 8); // ERROR misused warp function
    else
        v *= 2;
    v += __shfl_xor_sync(0xffffffff, v, 1); // its partner
    sum[threadIdx.x] = v;
}
__global__ void syncwarp_for_a_vote(int *sum) {
    if (threadIdx.x < 16)
        __syncwarp(); // ERROR misused warp function
    else
        sum[threadIdx.x] = __any_sync(0xffffffff, 1);
}
__global__ void source_absent(int *first) {
    int v = first[threadIdx.x];
    if (threadIdx.x < 16)
        first[threadIdx.x] = __shfl_sync(0xffff, v, 20); // ERROR misused warp function
}
__global__ void not_in_mask(int *next) {
    int v = threadIdx.x;
    next[v] = __shfl_down_sync(0xffff, v, 1); // ERROR misused warp function
}
PROGRAM(warp_misused) {
    ZEROES(int, d_a, 32);
    in_a_branch<<<1, 32>>>(d_a);
    syncwarp_for_a_vote<<<1, 32>>>(d_a);
    not_in_mask<<<1, 32>>>(d_a);
    source_absent<<<1, 32>>>(d_a);
}

// ---- warp_tail: The sum of a warp inside of the guard for the end of the array: the lanes past
// the end, which the mask names, have left, and what is read from them goes into the sum.
// EXPECT: thread (224,0,0): it reads from lane 16, which does not take part: it gets anything
// EXPECT: thread (192,0,0): it reads from lane 24, which does not take part: it gets anything
__global__ void sum_in_guard(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int s = in[i];
        for (int step = 16; step > 0; step /= 2)
            s += __shfl_down_sync(0xffffffff, s, step); // ERROR misused warp function
        if (threadIdx.x % 32 == 0)
            atomicAdd(out, s);
    }
}
__global__ void greatest(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int s = in[i];
    for (int step = 16; step > 0; step /= 2)
        s = max(s, __shfl_xor_sync(0xffffffff, s, step)); // ERROR misused warp function
    if (threadIdx.x % 32 == 0)
        atomicMax(out, s);
}
PROGRAM(warp_tail, ANY_RESULT) {
    ZEROES(int, d_in, 1000);
    ZEROES(int, d_out, 1);
    sum_in_guard<<<4, 256>>>(d_in, d_out, 1000);
    greatest<<<1, 256>>>(d_in, d_out, 216);
}

// ---- warp_tail_named: The mask names the lanes that take part, and what is read from the others
// goes into the sum all the same; where it does not, nothing is said.
// EXPECT: thread (0,0,0): it reads from lane 24, which does not take part: it gets anything
// EXPECT: thread (0,0,0): it reads from lane 28, which does not take part: it gets anything
__global__ void sum_of_active(int *out, int n) {
    if ((int)threadIdx.x >= n)
        return;
    unsigned mask = __activemask();
    int s = 1;
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_down_sync(mask, s, step); // ERROR misused warp function
    out[threadIdx.x] = s;
}
__global__ void sum_of_voters(int *out, int n) {
    unsigned mask = __ballot_sync(~0u, (int)threadIdx.x < n);
    int s = 1, inside = 1;
    if ((int)threadIdx.x < n) {
        for (int step = 16; step > 0; step /= 2) {
            int other = __shfl_down_sync(mask, inside, step);
            inside += (int)threadIdx.x + step < n ? other : 0;
        }
        for (int step = 16; step > 0; step /= 2)
            s += __shfl_down_sync(mask, s, step); // ERROR misused warp function
        if (threadIdx.x == 0)
            atomicAdd(out, s + inside);
    }
}
PROGRAM(warp_tail_named) {
    ZEROES(int, d_out, 32);
    sum_of_active<<<1, 32>>>(d_out, 20);
    sum_of_voters<<<1, 32>>>(d_out, 28);
}
