// Loops that all lanes go through as often, loops that they do not, and long ones.
//
//     nvcc -O3 -lineinfo loops.cu -o loops && ./loops
//
// `#pragma unroll 1` where the trip count differs between lanes: an unrolled loop makes other
// requests than the source, and none of the two is wrong (see `unrolled`).
//
// 2 blocks of 64 threads, 4 warps; lane l of a warp goes round l times: 31 requests, the k-th by
// the lanes above it.
// EXPECT as_often: 40 160 4 16
// EXPECT by_lane: 4*31 4*sum(k=0..30:4-int((k+1)/8)) 4 16
// EXPECT by_lane_down: 4*31 4*sum(k=1..31:int((k-1)/8)+1) 4 16
//
// Every thread takes 100003 steps through 64 elements; the second time lane l takes 101 l fewer.
// EXPECT long_loop: 100003*2 100003*8 2 8
// EXPECT long_uneven: 100003 sum(l=0..31:(l<31?101:100003-101*31)*(1+int(l/8))) 1 4
// EXPECT grid_stride: 3*4+1 13*4 3*4+1 13*4
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64, STEPS = 100003 };

__device__ static unsigned thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void as_often(float *out, const float *in, unsigned rounds) {
    unsigned i = thread_number();
    float sum = 0;
    for (unsigned k = 0; k < rounds; k++)
        sum += in[i + 32 * k];
    out[i] = sum;
}

// Lane l reads elements of its column, l of them; then l of them from the other side.
__global__ void by_lane(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < lane; k++)
        sum += in[32 * k + lane];
    out[i] = sum;
}

__global__ void by_lane_down(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 31; k > lane; k--)
        sum += in[32 * k + lane];
    out[i] = sum;
}

// by_lane, as most would write it: nvcc unrolls it by four, and then the lanes of a request are
// those whose count is above the next multiple of four.
__global__ void unrolled(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
    for (unsigned k = 0; k < lane; k++)
        sum += in[32 * k + lane];
    out[i] = sum;
}

__global__ void skips(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 12; k++) {
        if ((k + lane) % 3 == 0)
            continue;
        sum += in[32 * k + lane];
        if (k > 7 && lane % 4 == 1)
            break;
        if (k % 4 == lane % 4)
            sum += in[32 * k];
    }
    out[i] = sum;
}

__global__ void nested(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned j = 0; j < lane % 5; j++) {
        float part = in[j + lane];
#pragma unroll 1
        for (unsigned k = 0; k <= j; k++) {
            if (k == 3 && lane > 20)
                break;
            part += in[32 * k + lane];
        }
        sum += part;
    }
    out[i] = sum;
}

__global__ void until_found(unsigned *out, const float *in, unsigned n) {
    unsigned i = thread_number(), k = i;
    while (k < n && in[k] < 55)
        k++;
    out[i] = k;
}

// Out of the loop and the kernel at once.
__global__ void return_inside(float *out, const float *in) {
    unsigned i = thread_number();
#pragma unroll 1
    for (unsigned k = 0; k < 10; k++) {
        float x = in[i + 32 * k];
        if (x > 40) {
            out[i] = x;
            return;
        }
        if (k == i % 7)
            break;
    }
    out[i] = in[i] / 2;
}

__global__ void at_least_once(float *out, const float *in) {
    unsigned i = thread_number(), k = i;
    float sum = 0;
#pragma unroll 1
    do {
        sum += in[k];
        k = k * 2 + 1;
    } while (k < 4 * N);
    out[i] = sum;
}

// A chain of links through memory: 3 k + 1 mod 128 from k = i on.
__global__ void chain(unsigned *out, const unsigned *next) {
    unsigned i = thread_number(), k = i;
#pragma unroll 1
    for (unsigned step = 0; step < i % 7; step++)
        k = next[k];
    out[i] = k;
}

// Stores inside, too; and a loop after a loop.
__global__ void fill_rows(float *out, const float *in, unsigned width) {
    unsigned row = thread_number();
#pragma unroll 1
    for (unsigned k = 0; k < row % width; k++)
        out[row * width + k] = in[k];
#pragma unroll 1
    for (unsigned k = row % width; k < width; k++)
        out[row * width + k] = in[row];
}

// Where the next step leads, only memory knows: 32 elements on, then back.
__global__ void long_loop(unsigned *out, const unsigned *link, unsigned steps) {
    unsigned at = threadIdx.x;
    for (unsigned k = 0; k < steps; k++)
        at = link[at];
    out[threadIdx.x] = at;
}

// Long, and lanes leave it one by one.
__global__ void long_uneven(unsigned *out, const unsigned *link, unsigned steps) {
    unsigned at = threadIdx.x;
#pragma unroll 1
    for (unsigned k = 0; k < steps - 101 * threadIdx.x; k++)
        at = link[at];
    out[threadIdx.x] = at;
}

__global__ void grid_stride(float *out, const float *in, unsigned n) {
    for (unsigned i = thread_number(); i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + 1;
}

static float column_sum(unsigned lane, unsigned from, unsigned to) {
    float sum = 0;
    for (unsigned k = from; k < to; k++)
        sum += (float)element(32 * k + lane);
    return sum;
}

static float skips_of(unsigned lane) {
    float sum = 0;
    for (unsigned k = 0; k < 12; k++) {
        if ((k + lane) % 3 == 0)
            continue;
        sum += (float)element(32 * k + lane);
        if (k > 7 && lane % 4 == 1)
            break;
        if (k % 4 == lane % 4)
            sum += (float)element(32 * k);
    }
    return sum;
}

static float nested_of(unsigned lane) {
    float sum = 0;
    for (unsigned j = 0; j < lane % 5; j++)
        sum += (float)element(j + lane) + column_sum(lane, 0, lane > 20 && j >= 3 ? 3 : j + 1);
    return sum;
}

static unsigned found_from(size_t k, unsigned n) {
    while (k < n && element(k) < 55)
        k++;
    return (unsigned)k;
}

static float first_large(size_t i) {
    for (size_t k = 0; k <= i % 7; k++)
        if (element(i + 32 * k) > 40)
            return (float)element(i + 32 * k);
    return (float)element(i) / 2;
}

static float doubling_sum(size_t k) {
    float sum = 0;
    do {
        sum += (float)element(k);
        k = k * 2 + 1;
    } while (k < 4 * N);
    return sum;
}

static unsigned links_from(size_t i) {
    size_t k = i;
    for (size_t step = 0; step < i % 7; step++)
        k = (3 * k + 1) % N;
    return (unsigned)k;
}

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(8 * N);
    unsigned *out_int = output<unsigned>(N), h_next[N], h_link[64], *next, *link;
    for (unsigned k = 0; k < N; k++)
        h_next[k] = (3 * k + 1) % N;
    CUDA_CHECK(cudaMalloc((void **)&next, sizeof h_next));
    CUDA_CHECK(cudaMemcpy(next, h_next, sizeof h_next, cudaMemcpyHostToDevice));
    for (unsigned k = 0; k < 64; k++)
        h_link[k] = (k + 32) % 64;
    CUDA_CHECK(cudaMalloc((void **)&link, sizeof h_link));
    CUDA_CHECK(cudaMemcpy(link, h_link, sizeof h_link, cudaMemcpyHostToDevice));

    as_often<<<BLOCKS, THREADS>>>(out, in, 10);
    CHECK("as_often", out, N, column_sum((unsigned)i, 0, 10));
    by_lane<<<BLOCKS, THREADS>>>(out, in);
    CHECK("by_lane", out, N, column_sum(i % 32, 0, i % 32));
    by_lane_down<<<BLOCKS, THREADS>>>(out, in);
    CHECK("by_lane_down", out, N, column_sum(i % 32, i % 32 + 1, 32));
    unrolled<<<BLOCKS, THREADS>>>(out, in);
    CHECK("unrolled", out, N, column_sum(i % 32, 0, i % 32));
    skips<<<BLOCKS, THREADS>>>(out, in);
    CHECK("skips", out, N, skips_of(i % 32));
    nested<<<BLOCKS, THREADS>>>(out, in);
    CHECK("nested", out, N, nested_of(i % 32));
    until_found<<<BLOCKS, THREADS>>>(out_int, in, 4 * N);
    CHECK("until_found", out_int, N, found_from(i, 4 * N));
    return_inside<<<BLOCKS, THREADS>>>(out, in);
    CHECK("return_inside", out, N, first_large(i));
    at_least_once<<<BLOCKS, THREADS>>>(out, in);
    CHECK("at_least_once", out, N, doubling_sum(i));
    chain<<<BLOCKS, THREADS>>>(out_int, next);
    CHECK("chain", out_int, N, links_from(i));
    fill_rows<<<1, THREADS>>>(out, in, 9);
    CHECK("fill_rows", out, 9 * THREADS, (float)element(i % 9 < i / 9 % 9 ? i % 9 : i / 9));
    long_loop<<<1, THREADS>>>(out_int, link, STEPS);
    CHECK("long_loop", out_int, THREADS, (unsigned)i ^ 32);
    long_uneven<<<1, 32>>>(out_int, link, STEPS);
    CHECK("long_uneven", out_int, 32, (unsigned)(i % 2 ? i : i ^ 32));
    grid_stride<<<BLOCKS, THREADS>>>(out, in, 3 * N + 32);
    CHECK("grid_stride", out, 8 * N, i < 3 * N + 32 ? (float)element(i) + 1 : clear_[i]);

    void *all[] = {in, out, out_int, next, link};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
