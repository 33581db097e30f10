// An `if` and its `else` that end in a store to one place, or load the same. A compiler may make
// one store or load of the two; nvcc does so only in some places, which these kernels are about.
//
//     nvcc -O3 -lineinfo arms.cu -o arms && ./arms
//
// 2 blocks of 64 threads, 4 warps. The counts are those of nvcc's machine code.
// EXPECT alike: 8 32 4 16
// EXPECT not_alike: 12 59 4 16
// EXPECT not_alike_by_index: 12 55 8 32
// EXPECT below_guard: 8 32 8 32
// EXPECT behind_guard: 4 16 8 32
// EXPECT before_more: 4 16 8 32
// EXPECT known_address: 12 51 4 16
// EXPECT known_and_constant: 8 32 8 32
// EXPECT constants: 4 16 4 16
// EXPECT chain_of_loads: 12 48 12 48
// EXPECT changed: 16 64 8 32
// EXPECT changed_by_constants: 4 16 4 16
// EXPECT edge_of_tile: 3 10 4 16
// EXPECT tile_of_two: 8 32 4 16
// EXPECT same_load_first: 8 33 8 32
// EXPECT same_load_later: 16 71 8 32
// EXPECT same_load_behind_guard: 12 36 8 20
// EXPECT one_return: 8 32 4 16
// EXPECT several_returns: 4 16 12 48
// EXPECT_SHARED edge_of_tile: 4 5
// EXPECT_SHARED tile_of_two: 4 4
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- The arms meet each other alone ------------------------------------------------------------
__global__ void alike(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    if (i % 3)
        out[i] = a[i] + 1;
    else
        out[i] = b[i] * 2;
}

__global__ void not_alike(int *out, const int *in) {
    unsigned i = index_of_thread();
    if (i % 3)
        out[i] = in[i + 1] + in[i + 2] + 5;
    else
        out[i] = in[i + 3];
}

__global__ void not_alike_by_index(int *out, const int *in) {
    unsigned i = index_of_thread();
    if (i % 3)
        out[i] = in[i + 1] + in[i + 2] + 5;
    else
        out[i] = in[i];
}

// ---- Another way meets them in the same place --------------------------------------------------
__global__ void below_guard(int *out, const int *a, const int *b, unsigned n) {
    unsigned i = index_of_thread();
    if (i < n) {
        if (i % 3)
            out[i] = a[i] + 1;
        else
            out[i] = b[i] * 2;
    }
}

__global__ void behind_guard(int *out, const int *in, unsigned n) {
    unsigned i = index_of_thread();
    if (i >= n)
        return;
    int x = in[i];
    if (x > 30) {
        out[i] = x - 30;
    } else {
        out[i] = x + 30;
    }
}

// What follows is where these arms meet; the guard's way does not come there.
__global__ void before_more(int *out, const int *in, unsigned n) {
    unsigned i = index_of_thread();
    if (i >= n)
        return;
    if (in[i] > 30)
        out[i] = 1;
    else
        out[i] = 2;
    out[i + N] = 3;
}

// ---- The address is known before ---------------------------------------------------------------
__global__ void known_address(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    int x = a[i];
    if (x > 30)
        out[i] = x + b[i] * b[i + 1];
    else
        out[i] = x + 7;
}

__global__ void known_and_constant(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    if (a[i] > 30)
        out[i] = b[i];
    else
        out[i] = 0;
}

__global__ void constants(int *out, const int *in) {
    unsigned i = index_of_thread();
    if (in[i] > 30)
        out[i] = 1;
    else
        out[i] = 0;
}

__global__ void chain_of_loads(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    if (i % 3 == 0)
        out[i] = a[i];
    else if (i % 3 == 1)
        out[i] = b[i];
    else
        out[i] = a[i + N] * 2;
}

// ---- Changed in place --------------------------------------------------------------------------
__global__ void changed(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    if (i % 3)
        out[i] += a[i];
    else
        out[i] -= b[i];
}

__global__ void changed_by_constants(int *out) {
    unsigned i = index_of_thread();
    if (i % 3)
        out[i] += 5;
    else
        out[i] -= 3;
}

// ---- Shared memory -----------------------------------------------------------------------------
__global__ void edge_of_tile(int *out, const int *in, unsigned n) {
    __shared__ int tile[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    if (i < n)
        tile[t] = in[i];
    else
        tile[t] = 0;
    __syncthreads();
    out[i] = tile[THREADS - 1 - t];
}

__global__ void tile_of_two(int *out, const int *a, const int *b) {
    __shared__ int tile[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    if (t % 2)
        tile[t] = a[i] + 1;
    else
        tile[t] = b[i] * 2;
    __syncthreads();
    out[i] = tile[THREADS - 1 - t];
}

// ---- Both arms load the same -------------------------------------------------------------------
__global__ void same_load_first(int *out, const int *in, unsigned n) {
    unsigned i = index_of_thread();
    if (i >= n)
        return;
    if (i % 3)
        out[i] = in[i] * 3;
    else
        out[i] = in[i] - in[i + 1];
}

__global__ void same_load_later(int *out, const int *in, unsigned n) {
    unsigned i = index_of_thread();
    if (i >= n)
        return;
    if (i % 3)
        out[i] = in[i + 1] + in[i] * 3 + in[i + 2];
    else
        out[i] = in[i];
}

__global__ void same_load_behind_guard(int *out, const int *in, unsigned n) {
    unsigned i = index_of_thread();
    if (i < n) {
        if (i % 64 == 0 || i % 64 == 63)
            out[i] = in[i];
        else
            out[i] = in[i + N] + in[i];
    }
}

// ---- Arms that return --------------------------------------------------------------------------
__global__ void one_return(int *out, const int *a, const int *b) {
    unsigned i = index_of_thread();
    if (a[i] > 30) {
        out[i] = 1;
        return;
    }
    out[i] = b[i];
}

__global__ void several_returns(int *out, const int *in) {
    unsigned i = index_of_thread();
    if (in[i] > 40) {
        out[i] = 1;
        return;
    }
    if (in[i] < 20) {
        out[i] = 2;
        return;
    }
    out[i] = 3;
}

__global__ void search_behind_guard(int *out, const int *in, unsigned n, int most) {
    unsigned i = index_of_thread();
    if (i >= n)
        return;
    for (int k = 0; k < most; k++)
        if (in[i + k] % 5 == 2) {
            out[i] = k;
            return;
        }
    out[i] = -1;
}

#define RUN(kernel, ...)                                                                           \
    do {                                                                                           \
        kernel<<<BLOCKS, THREADS>>>(__VA_ARGS__);                                                  \
        digest(out, 4 * N * sizeof *out);                                                          \
    } while (0)

int main() {
    begin();
    int *in = input<int>(4 * N), *out = output<int>(4 * N);
    RUN(alike, out, in, in + N);
    RUN(not_alike, out, in);
    RUN(not_alike_by_index, out, in);
    RUN(below_guard, out, in, in + N, N);
    RUN(behind_guard, out, in, N);
    RUN(before_more, out, in, N);
    RUN(known_address, out, in, in + N);
    RUN(known_and_constant, out, in, in + N);
    RUN(constants, out, in);
    RUN(chain_of_loads, out, in, in + N);
    RUN(changed, out, in, in + N);
    RUN(changed_by_constants, out);
    RUN(edge_of_tile, out, in, N / 2 + 16);
    RUN(tile_of_two, out, in, in + N);
    RUN(same_load_first, out, in, N);
    RUN(same_load_later, out, in, N);
    RUN(same_load_behind_guard, out, in, N);
    RUN(one_return, out, in, in + N);
    RUN(several_returns, out, in);
    RUN(search_behind_guard, out, in, N, 6);
    check_digest(0x772328d8u);
    return end();
}
