// A flag says that data are there, and is set before them; both are volatile.
// UNSEEN: Volatile accesses are no race; which of two values one reads is not looked at.
// SPDX-License-Identifier: MIT
__global__ void hand_on(volatile int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *flag = 1;
        __threadfence();
        *data = 42;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *data;
    }
}

int main(void) {
    int *d_data, *d_flag, *d_out;
    cudaMalloc(&d_data, sizeof *d_data);
    cudaMalloc(&d_flag, sizeof *d_flag);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemset(d_data, 0, sizeof *d_data);
    cudaMemset(d_flag, 0, sizeof *d_flag);
    hand_on<<<2, 1>>>(d_data, d_flag, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_data);
    cudaFree(d_flag);
    cudaFree(d_out);
    return e != cudaSuccess;
}
