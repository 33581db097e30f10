// The mean of a group that may be empty: a GPU computes any value there, and nothing says so.
// EXPECT: kernel died: integer division by zero, or overflow (a GPU continues with an unspecified value) at dies_division.cu
// EXPECT: kernel mean, launch 0, block (0,0,0), thread (37,0,0): error 719, unspecified launch failure
// ONLY: x86_64, where an integer division by zero is a fault
// SPDX-License-Identifier: MIT
__global__ void mean(int *out, const int *sum, const int *count) {
    int i = threadIdx.x;
    out[i] = sum[i] / count[i]; // ERROR kernel died
}

int main(void) {
    int h_sum[64], h_count[64];
    for (int i = 0; i < 64; i++) {
        h_sum[i] = i;
        h_count[i] = i != 37;
    }
    int *d_sum, *d_count, *d_out;
    cudaMalloc(&d_sum, sizeof h_sum);
    cudaMalloc(&d_count, sizeof h_count);
    cudaMalloc(&d_out, sizeof h_sum);
    cudaMemcpy(d_sum, h_sum, sizeof h_sum, cudaMemcpyHostToDevice);
    cudaMemcpy(d_count, h_count, sizeof h_count, cudaMemcpyHostToDevice);
    mean<<<1, 64>>>(d_out, d_sum, d_count);
    return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
