// Each warp has a separate piece of shared memory and orders it by __syncwarp(): an exchange, a
// reduction in steps, and a partial mask by which a quarter of the warp exchanges.
// SPDX-License-Identifier: MIT
__global__ void exchange(int *a) {
    __shared__ int tile[4][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int *mine = tile[warp];
    mine[lane] = a[threadIdx.x];
    __syncwarp();
    int v = mine[31 - lane];
    __syncwarp();
    mine[lane] = v;
    for (int step = 16; step > 0; step /= 2) {
        __syncwarp();
        if (lane < step)
            mine[lane] += mine[lane + step];
    }
    __syncwarp();
    v = mine[0];
    __syncwarp();
    unsigned quarter = 0xffu << lane / 8 * 8;
    mine[lane] = v + lane;
    __syncwarp(quarter);
    a[threadIdx.x] = mine[lane ^ 7];
}

int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 128 * sizeof *d_a);
    cudaMemset(d_a, 0, 128 * sizeof *d_a);
    exchange<<<1, 128>>>(d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
