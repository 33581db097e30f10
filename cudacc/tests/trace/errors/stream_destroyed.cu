// A launch into a stream that has been destroyed
// EXPECT: launch refused: kernel fill at stream_destroyed.cu:12 did not run: its stream has been destroyed, or was never created
// SPDX-License-Identifier: MIT
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main(void) {
    int *d_a;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaStreamDestroy(stream);
    fill<<<1, 32, 0, stream>>>(d_a); // ERROR launch refused
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
