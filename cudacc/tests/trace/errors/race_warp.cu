// The last steps of a reduction without barriers, as one wrote them when the threads of a warp ran
// in
// lock-step: since Volta they need __syncwarp().
// EXPECT: the same warp: no __syncwarp() or __syncthreads() lies between
// SPDX-License-Identifier: MIT
__global__ void sum(const int *in, int *out) {
    __shared__ volatile int part[64];
    int i = threadIdx.x;
    part[i] = in[i];
    __syncthreads();
    if (i < 32) {
        part[i] += part[i + 32];
        __syncwarp();
        if (i < 16)
            part[i] += part[i + 16]; // ERROR data race
        if (i < 8)
            part[i] += part[i + 8]; // ERROR data race
    }
    if (i < 1)
        *out = part[0];
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof *d_in);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemset(d_in, 0, 64 * sizeof *d_in);
    sum<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
