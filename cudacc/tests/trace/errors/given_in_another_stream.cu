// Memory is allocated in the order of one stream and used in another, which does not wait.
// EXPECT: cudaMallocAsync at given_in_another_stream.cu:12
// EXPECT: d_a, 128 bytes, allocated at given_in_another_stream.cu:12; in two streams, and nothing orders them
// SPDX-License-Identifier: MIT
__global__ void fill(int *p) { p[threadIdx.x] = 1; } // ERROR data race

int main(void) {
    int *d_a;
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaMallocAsync(&d_a, 128, one); // ERROR data race
    fill<<<1, 32, 0, two>>>(d_a);
    cudaDeviceSynchronize();
    cudaFreeAsync(d_a, one);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return 0;
}
