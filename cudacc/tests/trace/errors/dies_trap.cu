// A kernel gives up by __trap(), in one of two places.
// EXPECT: kernel died: __trap() at dies_trap.cu
// EXPECT: kernel pop, launch 0, block (0,0,0), thread (33,0,0): error 719, unspecified launch failure
// SPDX-License-Identifier: MIT
__global__ void pop(int *out, const int *fill, int room) {
    int n = fill[threadIdx.x];
    if (n > room)
        __trap();
    if (n == 0)
        __trap(); // ERROR kernel died
    out[threadIdx.x] = n - 1;
}

int main(void) {
    int h_fill[64];
    for (int i = 0; i < 64; i++)
        h_fill[i] = (i + 31) % 64;
    int *d_fill, *d_out;
    cudaMalloc(&d_fill, sizeof h_fill);
    cudaMalloc(&d_out, sizeof h_fill);
    cudaMemcpy(d_fill, h_fill, sizeof h_fill, cudaMemcpyHostToDevice);
    pop<<<1, 64>>>(d_out, d_fill, 64);
    return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
