// The sum of a warp inside of the guard for the end of the array: the lanes past the end, which the
// mask names, have left, and what is read from them goes into the sum.
// EXPECT: thread (224,0,0): it reads from lane 16, which does not take part: it gets anything
// EXPECT: thread (192,0,0): it reads from lane 24, which does not take part: it gets anything
// SPDX-License-Identifier: MIT
__global__ void sum(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int s = in[i];
        for (int step = 16; step > 0; step /= 2)
            s += __shfl_down_sync(0xffffffff, s, step); // ERROR misused warp function
        if (threadIdx.x % 32 == 0)
            atomicAdd(out, s);
    }
}
__global__ void greatest(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int s = in[i];
    for (int step = 16; step > 0; step /= 2)
        s = max(s, __shfl_xor_sync(0xffffffff, s, step)); // ERROR misused warp function
    if (threadIdx.x % 32 == 0)
        atomicMax(out, s);
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 1000 * sizeof *d_in);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemset(d_in, 0, 1000 * sizeof *d_in);
    cudaMemset(d_out, 0, sizeof *d_out);
    sum<<<4, 256>>>(d_in, d_out, 1000);
    greatest<<<1, 256>>>(d_in, d_out, 216);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
