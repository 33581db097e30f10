// Memory in the order of streams: used and freed in its own one; in another that waits for an
// event; after the host has waited; in stream 0.
// SPDX-License-Identifier: MIT
__global__ void fill(int *p) { p[threadIdx.x] = 1; }

int main(void) {
    int *d_a, *d_b, *d_c, *d_d;
    cudaStream_t one, two;
    cudaEvent_t given;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreate(&two);
    cudaEventCreate(&given);

    cudaMallocAsync(&d_a, 128, one);
    fill<<<1, 32, 0, one>>>(d_a);
    cudaFreeAsync(d_a, one);

    cudaMallocAsync(&d_b, 128, one);
    cudaEventRecord(given, one);
    cudaStreamWaitEvent(two, given, 0);
    fill<<<1, 32, 0, two>>>(d_b);
    cudaFreeAsync(d_b, two);

    cudaMallocAsync(&d_c, 128, one);
    cudaStreamSynchronize(one);
    fill<<<1, 32, 0, two>>>(d_c);
    cudaStreamSynchronize(two);
    cudaFree(d_c);

    cudaMallocAsync(&d_d, 128, 0);
    fill<<<1, 32, 0, two>>>(d_d);
    cudaFreeAsync(d_d, 0);
    cudaDeviceSynchronize();
    cudaEventDestroy(given);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return 0;
}
