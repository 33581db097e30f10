// Blocks and grids of many shapes: a warp is 32 threads in linear order, x first.
//
// The kernel copies the element of its linear number, in launches of these blocks:
// 48, 33, 1, 16 x 16, 8 x 8 x 4, 7 x 5 x 3 (105 threads), 32 x 4, 4 x 32, 3 x 1 x 11; 2 blocks
// each.
// EXPECT linear k=0..8: (4,4,2,16,16,8,8,8,4)[k] (12,11,2,64,64,31,32,32,11)[k] (4,4,2,16,16,8,8,8,4)[k] (12,11,2,64,64,31,32,32,11)[k]
//
// 16 x 16 threads on rows of 64 floats: a warp has two rows of 16, 2 sectors each.
// EXPECT tile16: 16*8 16*8*4 16*8 16*8*4
// 4 x 64 threads: a warp has 8 rows of 4, a sector each.
// EXPECT tile4: 16*8 16*8*8 16*8 16*8*8
//
// 2500 blocks of 64, then of 20, then of 1.
// EXPECT many k=0..2: (5000,2500,2500)[k] (20000,7500,2500)[k] (5000,2500,2500)[k] (20000,7500,2500)[k]
// SPDX-License-Identifier: MIT
#include "check.h"

__global__ void linear(float *out, const float *in) {
    unsigned in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + in_block;
    out[i] = in[i];
}

// The same kernel by two names, for two shapes of block on a matrix of 64 x 64.
__device__ static void copy_tile(float *out, const float *in, unsigned width) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = in[y * width + x];
}

__global__ void tile16(float *out, const float *in, unsigned width) { copy_tile(out, in, width); }
__global__ void tile4(float *out, const float *in, unsigned width) { copy_tile(out, in, width); }

// A matrix whose sides are no multiples of the block's.
__global__ void odd_matrix(float *out, const float *in, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = in[y * width + x] * 2;
}

EACH(many, (float *out, const float *in), out[i] = in[i]);

int main(void) {
    begin();
    const unsigned most = 2500 * 64;
    float *in = input<float>(most), *out = output<float>(most);
    const dim3 shapes[] = {dim3(48),      dim3(33),    dim3(1),     dim3(16, 16),  dim3(8, 8, 4),
                           dim3(7, 5, 3), dim3(32, 4), dim3(4, 32), dim3(3, 1, 11)};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        RUN_AS(linear, 2, shapes[k], 0, out, in);
    RUN_AS(tile16, dim3(4, 4), dim3(16, 16), 0, out, in, 64);
    RUN_AS(tile4, dim3(16, 1), dim3(4, 64), 0, out, in, 64);
    RUN_AS(odd_matrix, dim3(3, 5), dim3(16, 8), 0, out, in, 45, 37);
    RUN_AS(odd_matrix, dim3(5, 13), dim3(10, 3), 0, out, in, 45, 37);
    for (unsigned threads : {64, 20, 1})
        RUN_AS(many, 2500, threads, 0, out, in);
    check_digest(0xe57ff7f0u);
    return end();
}
