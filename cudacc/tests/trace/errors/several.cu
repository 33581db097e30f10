// Two mistakes of different kinds, and memory that is not freed, in one program; none ends it.
// EXPECT: CPU device: 2 errors, 1 note
// SPDX-License-Identifier: MIT
__global__ void average(const float *in, float *out) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[i] = in[i]; // ERROR read of memory never written
    __syncthreads();
    if (i < 63)
        out[i] = (tile[i] + tile[i + 1]) / 2; // ERROR data race
    tile[i] = 0;                              // ERROR data race
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof *d_in); // NOTE leak
    cudaMalloc(&d_out, 63 * sizeof *d_out);
    average<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaSuccess;
}
