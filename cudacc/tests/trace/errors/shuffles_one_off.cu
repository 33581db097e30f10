// Some lanes make one shuffle more than the others, whose next one it meets
// EXPECT: misused warp function: __shfl_down_sync() at shuffles_one_off.cu:9
// EXPECT: threads (0,0,0) and (16,0,0): the second one was here before, and met the first one's call at shuffles_one_off.cu:8
// SPDX-License-Identifier: MIT
__global__ void sum(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 16)
        v -= __shfl_down_sync(0xffffffff, v, 1);
    v += __shfl_down_sync(0xffffffff, v, 2); // ERROR misused warp function
    out[threadIdx.x] = v;
}
__global__ void sums(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x >= 16)
        for (int step = 8; step > 0; step /= 2)
            v += __shfl_xor_sync(0xffffffff, v, step);
    for (int step = 8; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step); // ERROR misused warp function
    out[threadIdx.x] = v;
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_in, 0, 32 * sizeof(int));
    sum<<<1, 32>>>(d_in, d_out);
    sums<<<1, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
