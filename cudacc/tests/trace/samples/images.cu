// Grids of numbers: each result from the neighbors of a point.
// A tile of 256 with 3 more on either side: the first and the last warp of a block read those.
// EXPECT stencil1: 16+4 64+4 16 64
// SPDX-License-Identifier: MIT
#include "samples.h"

enum { TILE = 16, IN_BLOCK = 256, RADIUS = 3 };

__global__ void stencil1(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[IN_BLOCK + 2 * RADIUS];
    unsigned t = threadIdx.x, i = blockIdx.x * IN_BLOCK + t + RADIUS;
    words[t + RADIUS] = in[i];
    if (t < RADIUS)
        words[t] = in[i - RADIUS];
    if (t >= IN_BLOCK - RADIUS)
        words[t + 2 * RADIUS] = in[i + RADIUS];
    __syncthreads();
    unsigned sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += words[(int)t + RADIUS + k];
    out[blockIdx.x * IN_BLOCK + t] = sum;
}

__global__ void heat_2d(float *out, const float *in, int nx, int ny, float k) {
    __shared__ float s[TILE + 2][TILE + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int i = y * nx + x;
    if (x < nx && y < ny) {
        s[ty][tx] = in[i];
        if (tx == 1 && x > 0)
            s[ty][0] = in[i - 1];
        if (tx == TILE && x < nx - 1)
            s[ty][TILE + 1] = in[i + 1];
        if (ty == 1 && y > 0)
            s[0][tx] = in[i - nx];
        if (ty == TILE && y < ny - 1)
            s[TILE + 1][tx] = in[i + nx];
    }
    __syncthreads();
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        out[i] = s[ty][tx] + k * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] -
                                  4 * s[ty][tx]);
    else if (x < nx && y < ny)
        out[i] = s[ty][tx];
}

int main() {
    begin();
    const int w = 75, h = 41, area = w * h;
    dim3 square(TILE, TILE);
    float *in = make<float>(4096, number), *out = zeros<float>(area);
    int *i_out = zeros<int>(2 * IN_BLOCK);

    unsigned *sums = (unsigned *)i_out, *words = (unsigned *)make<int>(600, whole);
    stencil1<<<2, IN_BLOCK>>>(sums, words + 8 - RADIUS); // in[RADIUS] begins a sector
    expect("stencil1", i_out, 2 * IN_BLOCK, -77193);
    heat_2d<<<cover(w, h, square), square>>>(out, in, w, h, 0.125f);
    expect("heat_2d", out, area, -22667.9375);
    return end();
}
