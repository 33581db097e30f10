// Branches that not all lanes of a warp take, and warps that are not full.
//
//     nvcc -O3 -lineinfo branches.cu -o branches && ./branches
//
// 2 blocks of 64 threads, 4 warps, unless a launch says otherwise. Only lanes that take part touch
// sectors; a request none of whose lanes takes part is none.
// EXPECT even_lanes: 4 16 4 16
// EXPECT half_warps: 4 8 4 8
// EXPECT one_lane: 4 4 4 4
// EXPECT some_warps: 2 8 2 8
// EXPECT two_ways: 8 32 8 32
// EXPECT early_return: 4 13 4 13
// EXPECT settle: 0 0 4 13
// EXPECT by_value: 8 32 4 16
//
// The k-th of these is of 1, 31, 32, 33, 48, 63 threads.
// EXPECT partial k=0..5: (1,1,1,2,2,2)[k] (1,4,4,5,6,8)[k] (1,1,1,2,2,2)[k] (1,4,4,5,6,8)[k]
// EXPECT partial_bytes k=0..5: (1,1,1,2,2,2)[k] (1,1,1,2,2,2)[k] (1,1,1,2,2,2)[k] (1,1,1,2,2,2)[k]
// EXPECT one_place: 8 32 8 32
// EXPECT chosen: 8 32 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

__device__ static unsigned thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void even_lanes(float *out, const float *in) {
    unsigned i = thread_number();
    if (i % 2 == 0)
        out[i] = in[i] + 1;
}

__global__ void half_warps(float *out, const float *in) {
    unsigned i = thread_number();
    if (i % 32 < 16)
        out[i] = in[i] + 1;
}

__global__ void one_lane(float *out, const float *in) {
    unsigned i = thread_number();
    if (i % 32 == 13)
        out[i] = in[i] + 1;
}

__global__ void some_warps(float *out, const float *in) {
    unsigned i = thread_number();
    if (i / 32 % 2)
        out[i] = in[i] + 1;
}

// Both ways load and store, each in places of its own.
__global__ void two_ways(float *out, float *other, const float *a, const float *b) {
    unsigned i = thread_number();
    if (i % 2)
        out[i] = a[i] + 1;
    else
        other[i] = b[i] * 2;
}

// The same place is written on both ways.
__global__ void one_place(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    if (i % 3)
        out[i] = a[i] + 1;
    else
        out[i] = b[i] * 2;
}

__global__ void chosen(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    out[i] = i % 4 < 2 ? a[i] : b[i];
}

// Neighbours where there are any, 0 beyond the ends.
__global__ void guarded(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
    if (i < n)
        out[i] = left + right;
}

// A loop without memory that lanes leave at different times, and all store behind it.
__global__ void settle(unsigned *out, unsigned n) {
    unsigned i = thread_number(), x = i + 1, steps = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        steps++;
    }
    if (i < n)
        out[i] = steps;
}

__global__ void early_return(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    if (i >= n)
        return;
    out[i] = in[i] + 1;
}

// What one array holds decides whether the other is read.
__global__ void by_value(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    float x = a[i];
    if (x > 30)
        x += b[i];
    out[i] = x;
}

__global__ void both_conditions(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    if (a[i] > 10 && b[i + 1] > 20)
        out[i] = 1;
}

__global__ void either_condition(float *out, const float *a, const float *b) {
    unsigned i = thread_number();
    if (a[i] > 50 || b[i + 1] > 40)
        out[i] = 1;
}

__global__ void nested_ways(float *out, const float *in) {
    unsigned i = thread_number();
    if (i % 2) {
        if (i % 4 == 1)
            out[i] = in[i] + 1;
        else if (i % 8 == 3)
            out[i] = in[2 * i] + 2;
    } else {
        out[i] = in[i + 3];
        if (i % 16 == 0)
            out[i + 7] = in[i + 5];
    }
}

__global__ void many_ways(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    switch (i % 5) {
    case 0:
        out[i] = in[i];
        break;
    case 1:
        out[i + n] = in[i + 1] * 2;
        break;
    case 2:
        out[i + 2 * n] = in[2 * i] + 3;
        [[fallthrough]];
    case 3:
        out[i + 3 * n] = in[i / 2] + 4;
        break;
    default:
        break;
    }
}

__global__ void return_by_lane(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    float x = in[i];
    if (x < 20)
        return;
    out[i] = x;
    if (i % 32 > 20)
        return;
    out[i + n] = in[i + n] + x;
}

__global__ void partial(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x] + 1; }

__global__ void partial_bytes(char *out, const char *in) {
    out[threadIdx.x] = (char)(in[threadIdx.x] + 1);
}

static unsigned steps_from(unsigned x) {
    unsigned steps = 0;
    for (; x != 1; steps++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return steps;
}

int main(void) {
    begin();
    unsigned *out_int = output<unsigned>(N);
    float *in = input<float>(4 * N), *out = output<float>(4 * N), *other = output<float>(N);
    char *in_char = input<char>(N), *out_char = output<char>(N);

    even_lanes<<<BLOCKS, THREADS>>>(out, in);
    CHECK("even_lanes", out, N, i % 2 ? clear_[i] : (float)element(i) + 1);
    half_warps<<<BLOCKS, THREADS>>>(out, in);
    CHECK("half_warps", out, N, i % 32 < 16 ? (float)element(i) + 1 : clear_[i]);
    one_lane<<<BLOCKS, THREADS>>>(out, in);
    CHECK("one_lane", out, N, i % 32 == 13 ? (float)element(i) + 1 : clear_[i]);
    some_warps<<<BLOCKS, THREADS>>>(out, in);
    CHECK("some_warps", out, N, i / 32 % 2 ? (float)element(i) + 1 : clear_[i]);
    two_ways<<<BLOCKS, THREADS>>>(out, other, in, in + N);
    CHECK("two_ways", out, N, i % 2 ? (float)element(i) + 1 : clear_[i]);
    CHECK("two_ways, other", other, N, i % 2 ? clear_[i] : (float)element(i + N) * 2);
    one_place<<<BLOCKS, THREADS>>>(out, in, in + N);
    CHECK("one_place", out, N, i % 3 ? (float)element(i) + 1 : (float)element(i + N) * 2);
    chosen<<<BLOCKS, THREADS>>>(out, in, in + N);
    CHECK("chosen", out, N, (float)element(i % 4 < 2 ? i : i + N));
    guarded<<<BLOCKS, THREADS>>>(out, in, 100);
    CHECK("guarded", out, N,
          i < 100 ? (float)((i > 0 ? element(i - 1) : 0) + (i < 99 ? element(i + 1) : 0))
                  : clear_[i]);
    settle<<<BLOCKS, THREADS>>>(out_int, 100);
    CHECK("settle", out_int, N, i < 100 ? steps_from((unsigned)i + 1) : clear_[i]);
    early_return<<<BLOCKS, THREADS>>>(out, in, 100);
    CHECK("early_return", out, N, i < 100 ? (float)element(i) + 1 : clear_[i]);
    by_value<<<BLOCKS, THREADS>>>(out, in, in + N);
    CHECK("by_value", out, N, (float)(element(i) + (element(i) > 30 ? element(i + N) : 0)));
    both_conditions<<<BLOCKS, THREADS>>>(out, in, in + N);
    CHECK("both_conditions", out, N, element(i) > 10 && element(i + N + 1) > 20 ? 1 : clear_[i]);
    either_condition<<<BLOCKS, THREADS>>>(out, in, in + N);
    CHECK("either_condition", out, N, element(i) > 50 || element(i + N + 1) > 40 ? 1 : clear_[i]);
    nested_ways<<<BLOCKS, THREADS>>>(out, in);
    CHECK("nested_ways", out, N,
          i % 16 == 7  ? (float)element(i - 2)
          : i % 2 == 0 ? (float)element(i + 3)
          : i % 4 == 1 ? (float)element(i) + 1
          : i % 8 == 3 ? (float)element(2 * i) + 2
                       : clear_[i]);
    many_ways<<<BLOCKS, THREADS>>>(out, in, N);
    CHECK("many_ways", out, 4 * N,
          i / N == 0 && i % N % 5 == 0                       ? (float)element(i)
          : i / N == 1 && i % N % 5 == 1                     ? (float)element(i % N + 1) * 2
          : i / N == 2 && i % N % 5 == 2                     ? (float)element(i % N * 2) + 3
          : i / N == 3 && (i % N % 5 == 2 || i % N % 5 == 3) ? (float)element(i % N / 2) + 4
                                                             : clear_[i]);
    return_by_lane<<<BLOCKS, THREADS>>>(out, in, N);
    CHECK("return_by_lane", out, 2 * N,
          element(i % N) < 20 || (i >= N && i % 32 > 20)
              ? clear_[i]
              : (float)(element(i % N) + (i < N ? 0 : element(i))));
    const unsigned threads[] = {1, 31, 32, 33, 48, 63};
    for (int k = 0; k < 6; k++) {
        partial<<<1, threads[k]>>>(out, in);
        CHECK("partial", out, N, i < threads[k] ? (float)element(i) + 1 : clear_[i]);
        partial_bytes<<<1, threads[k]>>>(out_char, in_char);
        CHECK("partial_bytes", out_char, N, i < threads[k] ? (char)(element(i) + 1) : clear_[i]);
    }

    void *all[] = {in, out, out_int, other, in_char, out_char};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
