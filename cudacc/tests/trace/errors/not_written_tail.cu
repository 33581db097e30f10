// The copy is three bytes short.
// EXPECT: read of memory never written: load of 4 bytes at not_written_tail.cu
// EXPECT: block (3,0,0), thread (63,0,0): d_in[255], byte 1021 of 1024
// SPDX-License-Identifier: MIT
__global__ void twice(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i]; // ERROR read of memory never written
}

int main(void) {
    static int h_in[256];
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof h_in);
    cudaMemcpy(d_in, h_in, sizeof h_in - 3, cudaMemcpyHostToDevice);
    twice<<<4, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
