// Reductions by shuffles, also of half warps, of a last warp that is not full, and inside of
// branches;
// one result per warp goes through shared memory.
// SPDX-License-Identifier: MIT
__device__ int warp_sum(int s) {
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    return s;
}

__global__ void sum(const int *in, int *out, int n) {
    __shared__ int part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int s = warp_sum(i < n ? in[i] : 0);
    if (lane == 0)
        part[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < (int)blockDim.x / 32 ? part[lane] : 0;
        s = warp_sum(s);
        if (lane == 0)
            out[blockIdx.x] = s;
    }
    if (lane < 16) {
        int half = lane;
        for (int step = 8; step > 0; step /= 2)
            half += __shfl_xor_sync(0x0000ffff, half, step);
        if (half != 120)
            out[blockIdx.x] = -1000000;
    }
}

__global__ void votes(int *out) {
    unsigned odd = __ballot_sync(0xffffffff, threadIdx.x & 1);
    out[threadIdx.x] = __popc(odd) + (__any_sync(0xffffffff, threadIdx.x == 5) ? 1 : 0);
}

int main(void) {
    static int h_in[1000];
    int *d_in, *d_out, h_out[4], total = 0;
    for (int i = 0; i < 1000; i++)
        h_in[i] = 1;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    sum<<<4, 256>>>(d_in, d_out, 1000);
    cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        total += h_out[i];
    votes<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return total != 1000;
}
