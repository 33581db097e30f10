// One barrier per step is too few: a fast thread fills the tile again while a slow one still reads.
// EXPECT: at race_tile_reused.cu:10, then store of 4 bytes at race_tile_reused.cu:8 in the next turn of the loop
// SPDX-License-Identifier: MIT
__global__ void sum_reversed(const int *in, int *out, int steps) {
    __shared__ int tile[128];
    int i = threadIdx.x, sum = 0;
    for (int k = 0; k < steps; k++) {
        tile[i] = in[128 * k + i]; // ERROR data race
        __syncthreads();
        sum += tile[127 - i]; // ERROR data race
    }
    out[i] = sum;
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 4 * 128 * sizeof(int));
    cudaMalloc(&d_out, 128 * sizeof(int));
    cudaMemset(d_in, 0, 4 * 128 * sizeof(int));
    sum_reversed<<<1, 128>>>(d_in, d_out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
