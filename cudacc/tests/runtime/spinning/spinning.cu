// Threads that wait for each other in loops: locks, tickets, flags between blocks, a list. Each
// kernel is right on a GPU and in any order of blocks and threads, and main checks what it does.
// How often a loop goes around differs from run to run. What a line marked SAME asks of memory does
// not, nor how many useful bytes one marked BYTES asks for. spinning.t beside the folder runs it.
//
// SPDX-License-Identifier: MIT
#include <stdio.h>

enum { BLOCK = 128, BLOCKS = 24, THREADS = BLOCK * BLOCKS, N = THREADS - 36, BUCKETS = 4 };

// A lock for each bucket; each thread for itself, at its own pace.
__global__ void locks(const int *in, int *taken, int *sums, int *seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    int b = in[i] % BUCKETS; // SAME
    bool done = false;
    while (!done) {
        if (atomicCAS(&taken[b], 0, 1) == 0) {
            __threadfence();
            int before = sums[b]++;
            seen[i] = before; // BYTES
            __threadfence();
            atomicExch(&taken[b], 0);
            done = true;
        }
    }
}

// A door for each bucket, which opens at two of five knocks.
__global__ void doors(const int *in, int *knocks, int *seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, knock;
    if (i >= N)
        return;
    int b = in[i] % BUCKETS; // SAME
    do
        knock = atomicAdd(&knocks[b], 1);
    while (knock % 5 > 1);
    __threadfence();
    seen[i] = knock; // SAME
}

// First come, first served.
__global__ void tickets(int *next, int *serving, int *sum, int *seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    int mine = atomicAdd(next, 1); // SAME
    while (atomicMax(serving, 0) != mine)
        ;
    __threadfence();
    int before = (*sum)++;
    seen[i] = before; // BYTES
    __threadfence();
    atomicAdd(serving, 1);
}

// Each block waits for the one that began before it. Its threads poll, each at its own pace.
__global__ void look_back(int *next, int *ready, int *sums) {
    __shared__ int turn;
    if (threadIdx.x == 0)
        turn = atomicAdd(next, 1); // SAME
    __syncthreads();
    while (turn > 0 && atomicAnd(&ready[turn - 1], ~0) == 0)
        ;
    __threadfence();
    int *mine = &sums[turn * BLOCK + threadIdx.x];
    *mine = (turn ? mine[-BLOCK] : 0) + 1; // SAME
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&ready[turn], 1); // SAME
}

// The same with flags that are only volatile; one thread polls.
__global__ void flags(int *next, volatile int *ready, int *sums) {
    __shared__ int turn;
    if (threadIdx.x == 0) {
        turn = atomicAdd(next, 1); // SAME
        while (turn > 0 && ready[turn - 1] == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    int *mine = &sums[turn * BLOCK + threadIdx.x];
    *mine = (turn ? mine[-BLOCK] : 0) + 1; // SAME
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        ready[turn] = 1; // SAME
}

// Warps that stay together until each of their lanes has had the lock; some left before that.
__global__ void warps(int *taken, int *sum, int *seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool done = i % 3 == 0;
    unsigned lanes = __ballot_sync(~0u, !done);
    if (done)
        return;
    while (!__all_sync(lanes, done)) {
        if (!done && atomicCAS(taken, 0, 1) == 0) {
            __threadfence();
            int before = (*sum)++;
            seen[i] = before; // BYTES
            __threadfence();
            atomicExch(taken, 0);
            done = true;
        }
        __syncwarp(lanes);
    }
}

// All threads push to one list.
__global__ void push(int *head, int *next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = atomicAdd(head, 0), found; // SAME
    for (;;) {
        next[i] = first;
        __threadfence();
        found = atomicCAS(head, first, i + 1);
        if (found == first)
            break;
        first = found;
    }
}

// ---- Host ---------------------------------------------------------------------------------------
// As small as each may be, so that what a kernel does not use is out of bounds.
static int *few, *sums, *ready, *many, h_sums[BUCKETS], h_many[THREADS], wrong;

static void check(const char *kernel, bool right) {
    cudaError_t error = cudaGetLastError();
    if (!right || error)
        printf("%s: wrong (%s)\n", kernel, cudaGetErrorString(error));
    wrong |= !right || error;
    cudaMemset(few, 0, sizeof h_sums);
    cudaMemset(sums, 0, sizeof h_sums);
    cudaMemset(ready, 0, BLOCKS * sizeof *ready);
    cudaMemset(many, 0, sizeof h_many);
}

static void copy_back(void) {
    cudaMemcpy(h_sums, sums, sizeof h_sums, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_many, many, sizeof h_many, cudaMemcpyDeviceToHost);
}

// Have `all` threads counted in the sums, and has each seen another count?
static bool counted(int all) {
    copy_back();
    long expected = 0, is = 0;
    for (int i = 0; i < BUCKETS; i++) {
        all -= h_sums[i];
        expected += h_sums[i] * (h_sums[i] - 1L) / 2;
    }
    for (int i = 0; i < THREADS; i++)
        is += h_many[i];
    return all == 0 && is == expected;
}

// Has each door let in as many threads as there were knocks that open it?
static bool opened(const int *in) {
    int threads[BUCKETS] = {};
    copy_back();
    for (int i = 0; i < N; i++)
        threads[in[i] % BUCKETS] += h_many[i] % 5 < 2;
    for (int i = 0; i < BUCKETS; i++) {
        if (threads[i] != (h_sums[i] + 4) / 5 + (h_sums[i] + 3) / 5)
            return false;
    }
    return true;
}

// Each thread takes what the next block wrote before all blocks had come to a barrier.
__global__ void meet(int *arrived, int *many) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, taken = 0;
    many[i] = i; // SAME
    for (int meeting = 1; meeting <= 2; meeting++) {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1); // SAME
            while (atomicAdd(arrived, 0) < meeting * BLOCKS)
                ;
            __threadfence();
        }
        __syncthreads();
        if (meeting == 1)
            taken = many[(i + BLOCK) % THREADS]; // SAME
    }
    many[i] = taken + 1; // SAME
}

static bool all_are(int (*expected)(int)) {
    copy_back();
    for (int i = 0; i < THREADS; i++) {
        if (h_many[i] != expected(i))
            return false;
    }
    return true;
}

// What each thread has taken; and the sums, when each block has added 1 to those of the one before.
static int taken(int i) { return (i + BLOCK) % THREADS + 1; }
static int in_turn(int i) { return i / BLOCK + 1; }

// Is each thread in the list?
static bool complete(void) {
    copy_back();
    int count = 0;
    for (int i = h_sums[0]; i > 0 && count <= THREADS; i = h_many[i - 1])
        count++;
    return count == THREADS;
}

int main(void) {
    static int h_in[THREADS], *in;
    for (int i = 0; i < THREADS; i++)
        h_in[i] = i * 91 % 777;
    cudaMalloc(&in, sizeof h_in);
    cudaMalloc(&few, sizeof h_sums);
    cudaMalloc(&sums, sizeof h_sums);
    cudaMalloc(&ready, BLOCKS * sizeof *ready);
    cudaMalloc(&many, sizeof h_many);
    cudaMemcpy(in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    check("start", true);

    locks<<<BLOCKS, BLOCK>>>(in, few, sums, many);
    check("locks", counted(N));
    doors<<<BLOCKS, BLOCK>>>(in, sums, many);
    check("doors", opened(h_in));
    tickets<<<BLOCKS, BLOCK>>>(few, few + 1, sums, many);
    check("tickets", counted(N));
    look_back<<<BLOCKS, BLOCK>>>(few, ready, many);
    check("look_back", all_are(in_turn));
    flags<<<BLOCKS, BLOCK>>>(few, ready, many);
    check("flags", all_are(in_turn));
    warps<<<BLOCKS, BLOCK>>>(few, sums, many);
    check("warps", counted(THREADS * 2 / 3));
    push<<<BLOCKS, BLOCK>>>(sums, many);
    check("push", complete());
    meet<<<BLOCKS, BLOCK>>>(few, many);
    check("meet", all_are(taken));
    for (int *p : {in, few, sums, ready, many})
        cudaFree(p);
    return wrong;
}
