// One thread frees the block's scratch memory; the others have not finished with it.
// EXPECT: thread (0,0,0) and 31 more of its warp: byte 252 of 256 from malloc(), which have been freed
// SPDX-License-Identifier: MIT
__global__ void reverse(int *out) {
    __shared__ int *scratch;
    if (threadIdx.x == 0)
        scratch = (int *)malloc(64 * sizeof *scratch);
    __syncthreads();
    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        free(scratch);
    out[threadIdx.x] = scratch[63 - threadIdx.x]; // ERROR use after free
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    reverse<<<1, 64>>>(d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaErrorIllegalAddress;
}
