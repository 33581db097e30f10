// Blocks that only meet at their borders: the last element of one is the first of the next.
// EXPECT: nothing orders two blocks of a launch
// EXPECT: block (0,0,0), thread (64,0,0), and block (1,0,0), thread (0,0,0): d_border[64], byte 256 of 1028
// SPDX-License-Identifier: MIT
__global__ void write_border(int *border) {
    border[64 * blockIdx.x + threadIdx.x] = (int)threadIdx.x; // ERROR data race
}

int main(void) {
    int *d_border;
    cudaMalloc(&d_border, 257 * sizeof *d_border);
    write_border<<<4, 65>>>(d_border);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_border);
    return e != cudaSuccess;
}
