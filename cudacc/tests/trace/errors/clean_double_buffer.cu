// Two tiles in turn: one barrier per step is enough, since nobody writes the tile that is read.
// SPDX-License-Identifier: MIT
__global__ void sum_reversed(const int *in, int *out, int steps) {
    __shared__ int tile[2][128];
    int i = threadIdx.x, sum = 0;
    tile[0][i] = in[i];
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        if (k + 1 < steps)
            tile[(k + 1) % 2][i] = in[128 * (k + 1) + i];
        sum += tile[k % 2][127 - i];
    }
    out[i] = sum;
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 8 * 128 * sizeof(int));
    cudaMalloc(&d_out, 128 * sizeof(int));
    cudaMemset(d_in, 0, 8 * 128 * sizeof(int));
    sum_reversed<<<1, 128>>>(d_in, d_out, 8);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
