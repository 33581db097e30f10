// Pixels, and grids of numbers: each result from the neighbors of a point.
// A tile of 256 with 3 more on either side: the first and the last warp of a block read those.
// EXPECT stencil1: 16+4 64+4 16 64
// SPDX-License-Identifier: MIT
#include "samples.h"

enum {
    TILE = 16,
    THREADS = 256,
    RADIUS = 3,
    FILTER_RADIUS = 2,
    FILTER_WIDTH = 2 * FILTER_RADIUS + 1
};

__constant__ float c_filter[FILTER_WIDTH * FILTER_WIDTH];

// ---- Pixels ------------------------------------------------------------------------------------
__global__ void filter_2d(float *out, const float *__restrict__ in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float acc = 0.0f;
    for (int fy = -FILTER_RADIUS; fy <= FILTER_RADIUS; fy++) {
        for (int fx = -FILTER_RADIUS; fx <= FILTER_RADIUS; fx++) {
            int ix = min(max(x + fx, 0), width - 1);
            int iy = min(max(y + fy, 0), height - 1);
            acc += in[iy * width + ix] *
                   c_filter[(fy + FILTER_RADIUS) * FILTER_WIDTH + fx + FILTER_RADIUS];
        }
    }
    out[y * width + x] = acc;
}

// ---- Grids -------------------------------------------------------------------------------------
__global__ void stencil1(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[THREADS + 2 * RADIUS];
    unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t + RADIUS;
    words[t + RADIUS] = in[i];
    if (t < RADIUS)
        words[t] = in[i - RADIUS];
    if (t >= THREADS - RADIUS)
        words[t + 2 * RADIUS] = in[i + RADIUS];
    __syncthreads();
    unsigned sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += words[(int)t + RADIUS + k];
    out[blockIdx.x * THREADS + t] = sum;
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

__global__ void heat_3d(double *out, const double *__restrict__ in, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
        return;
    int plane = nx * ny, i = y * nx + x;
    double below, here = in[i], above = in[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        below = here;
        here = above;
        above = in[i + plane];
        out[i] =
            0.25 * here + 0.125 * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    }
}

int main() {
    begin();
    const int w = 75, h = 41, area = w * h;
    dim3 square(TILE, TILE), flat(32, 8);
    float *in = make<float>(4096, number), *out = zeros<float>(15390);
    int *i_out = zeros<int>(2 * THREADS);
    double *doubles = make<double>(8000, whole), *d_out = zeros<double>(8000);

    float weights[FILTER_WIDTH * FILTER_WIDTH];
    for (int i = 0; i < FILTER_WIDTH * FILTER_WIDTH; i++)
        weights[i] = (float)(i % 7 - 2) / 8;
    CUDA_CHECK(cudaMemcpyToSymbol(c_filter, weights, sizeof weights));
    filter_2d<<<cover(w, h, flat), flat>>>(out, in, w, h);
    expect("filter_2d", out, area, -37965.375);

    unsigned *sums = (unsigned *)i_out, *words = (unsigned *)make<int>(600, whole);
    stencil1<<<2, THREADS>>>(sums, words + 8 - RADIUS); // in[RADIUS] begins a sector
    expect("stencil1", i_out, 2 * THREADS, -77193);
    heat_2d<<<cover(w, h, square), square>>>(out, in, w, h, 0.125f);
    expect("heat_2d", out, area, -22667.9375);
    heat_3d<<<dim3(1, 5), dim3(32, 4)>>>(d_out, doubles, 20, 20, 20);
    expect("heat_3d", d_out, 8000, -129626.125);
    return end();
}
