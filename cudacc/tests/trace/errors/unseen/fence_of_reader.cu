// A block that has waited for another one's flag reads its data without a fence.
// UNSEEN: Only the writer's fence is asked for; where data are volatile, no other is needed.
// SPDX-License-Identifier: MIT
__global__ void hand_on(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
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
