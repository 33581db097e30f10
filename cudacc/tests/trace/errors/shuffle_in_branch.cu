// The full mask in a branch; the lanes that do not take it end without another warp function.
// EXPECT: misused warp function: __shfl_down_sync() at shuffle_in_branch.cu:8
// EXPECT: threads (0,0,0) and (24,0,0): its mask, or group, has the second one, too, which did not come here, but went on to shuffle_in_branch.cu:9
// SPDX-License-Identifier: MIT
__global__ void differences(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 24)
        v = __shfl_down_sync(0xffffffff, v, 1) - v; // ERROR misused warp function
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
