// A block of two dimensions in a grid of two: rows and columns are mixed up. In a function that the
// kernel calls.
// EXPECT: out of bounds: store of 4 bytes at past_end_rows.cu
// EXPECT: kernel fill, launch 0, block (2,0,0), thread (1,0,0) and 1 more of its warp: just past the end of d_a, 6600 bytes
// SPDX-License-Identifier: MIT
__device__ __noinline__ void put(float *a, int width, int row, int column) {
    a[column * width + row] = 0; // ERROR out of bounds
}

__global__ void fill(float *a, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        put(a, width, y, x);
}

int main(void) {
    float *d_a;
    int width = 50, height = 33;
    cudaMalloc(&d_a, width * height * sizeof *d_a);
    dim3 block(16, 4), grid(4, 9);
    fill<<<grid, block>>>(d_a, width, height);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
