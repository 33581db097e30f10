// A function of the host stands in a stream between a copy to the host and the next one into the
// same memory.
// SPDX-License-Identifier: MIT
static void add_up(void *data) {
    int *h = (int *)data;
    for (int i = 0; i < 64; i++)
        h[64] += h[i];
}

__global__ void increment(int *a) { a[threadIdx.x]++; }

int main(void) {
    int *h, *d;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&h, 65 * sizeof *h);
    cudaMalloc(&d, 64 * sizeof *d);
    h[64] = 0;
    cudaMemsetAsync(d, 0, 64 * sizeof *d, stream);
    for (int k = 0; k < 3; k++) {
        increment<<<1, 64, 0, stream>>>(d);
        cudaMemcpyAsync(h, d, 64 * sizeof *d, cudaMemcpyDeviceToHost, stream);
        cudaLaunchHostFunc(stream, add_up, h);
    }
    cudaStreamSynchronize(stream);
    int right = h[64] == 64 * (1 + 2 + 3);
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(stream);
    return !right;
}
