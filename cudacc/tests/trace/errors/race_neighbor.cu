// Each thread reads what its neighbor has stored, with no barrier: most neighbors are of one warp,
// where __syncwarp() would be enough, and some are not. These are reported.
// EXPECT: threads (32,0,0) and (31,0,0): shared tile[32], byte 128 of 256; no __syncthreads() lies between
// SPDX-License-Identifier: MIT
__global__ void shift(const int *in, int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];             // ERROR data race
    out[i] = tile[(i + 1) % 64]; // ERROR data race
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof *d_in);
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    cudaMemset(d_in, 0, 64 * sizeof *d_in);
    shift<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
