// Two streams at work in two halves of one array, and a third that waits for both; memory that is
// allocated and freed in stream order.
// SPDX-License-Identifier: MIT
__global__ void fill(int *a, int value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(const int *a, const int *b, int *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

int main(void) {
    int *d_a, *d_c, *d_temporary, h_c[1024];
    cudaStream_t stream[3];
    cudaEvent_t done[2];
    for (int i = 0; i < 3; i++)
        cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
    cudaMalloc(&d_a, 2048 * sizeof(int));
    cudaMalloc(&d_c, 1024 * sizeof(int));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 2; i++) {
            cudaEventCreate(&done[i]);
            fill<<<8, 128, 0, stream[i]>>>(d_a + 1024 * i, i + round);
            cudaEventRecord(done[i], stream[i]);
            cudaStreamWaitEvent(stream[2], done[i], 0);
            cudaEventDestroy(done[i]);
        }
        cudaMallocAsync(&d_temporary, 1024 * sizeof(int), stream[2]);
        add<<<8, 128, 0, stream[2]>>>(d_a, d_a + 1024, d_temporary);
        cudaMemcpyAsync(d_c, d_temporary, 1024 * sizeof(int), cudaMemcpyDeviceToDevice, stream[2]);
        cudaFreeAsync(d_temporary, stream[2]);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(h_c, d_c, sizeof h_c, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_c);
    for (int i = 0; i < 3; i++)
        cudaStreamDestroy(stream[i]);
    return h_c[1000] != 9;
}
