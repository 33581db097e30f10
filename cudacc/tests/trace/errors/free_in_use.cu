// Memory of cudaMallocAsync is freed, by cudaFree or in another stream, while its stream uses it
// EXPECT: use after free: cudaFree at free_in_use.cu:15, by the host, and cudaMemsetAsync at free_in_use.cu:14
// EXPECT: use after free: cudaFree at free_in_use.cu:19, by the host, and store of 4 bytes at free_in_use.cu:8 in kernel fill
// EXPECT: d_a, 1024 bytes, allocated at free_in_use.cu:17; the host has not waited for it: synchronize with its stream between the two
// EXPECT: use after free: store of 4 bytes at free_in_use.cu:8 in kernel fill and cudaFreeAsync at free_in_use.cu:25
// SPDX-License-Identifier: MIT
__global__ void fill(int *a) {
    a[threadIdx.x] = 1; // ERROR use after free
}

static void free_all(cudaStream_t stream) {
    int *d_a, *d_b, *d_c;
    cudaMallocAsync(&d_c, 1024, 0);
    cudaMemsetAsync(d_c, 0, 1024, 0);
    cudaFree(d_c); // ERROR use after free

    cudaMallocAsync(&d_a, 1024, stream);
    fill<<<1, 256, 0, stream>>>(d_a);
    cudaFree(d_a); // ERROR use after free
    cudaStreamSynchronize(stream);

    cudaMallocAsync(&d_b, 1024, stream);
    fill<<<1, 256, 0, stream>>>(d_b);
    // d_b ends in the order of stream 0, which this stream does not wait for.
    cudaFreeAsync(d_b, NULL);
}

int main(void) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    free_all(stream);
    cudaError_t e = cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    return e != cudaSuccess;
}
