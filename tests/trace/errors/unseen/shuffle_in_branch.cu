// The full mask in a branch; the lanes that do not take it end without another warp function.
// UNSEEN: They may have returned before, and what a lane stores is not followed to its origin.
// SPDX-License-Identifier: MIT
__global__ void differences(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 24)
        v = __shfl_down_sync(0xffffffff, v, 1) - v;
    out[threadIdx.x] = v;
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_in, 0, 32 * sizeof(int));
    differences<<<1, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
