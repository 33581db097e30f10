// The tile is read before all threads have filled it: __syncthreads() is missing.
// EXPECT: data race: store of 4 bytes at race_tile.cu
// EXPECT: kernel reverse, launch 0, block (0,0,0)
// EXPECT: of 256; no __syncthreads() lies between
// SPDX-License-Identifier: MIT
__global__ void reverse(const int *in, int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[blockIdx.x * 64 + i];       // ERROR data race
    out[blockIdx.x * 64 + i] = tile[63 - i]; // ERROR data race
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMalloc(&d_out, 256 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    reverse<<<4, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
