// Two constants: one is never set, the other one again in a second stream while the first one's
// kernel may still read it.
// EXPECT: byte 0 of scale, 4 bytes, declared at constant_not_set.cu:6; no copy, memset or kernel has written it
// EXPECT: weights, 16 bytes, declared at constant_not_set.cu:7; in two streams, and nothing orders them
// SPDX-License-Identifier: MIT
__constant__ float scale;
__constant__ float weights[4];

__global__ void weigh(float *a) {
    float w = weights[threadIdx.x % 4]; // ERROR data race
    a[threadIdx.x] = w * scale;         // ERROR read of memory never written
}

int main(void) {
    const float first[4] = {1, 2, 3, 4};
    float *d_a, *h_second;
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaMalloc(&d_a, 128);
    cudaMallocHost(&h_second, sizeof first);
    for (int i = 0; i < 4; i++)
        h_second[i] = 5;
    cudaMemcpyToSymbol(weights, first, sizeof first);
    weigh<<<1, 32, 0, one>>>(d_a);
    const cudaMemcpyKind kind = cudaMemcpyHostToDevice;
    cudaMemcpyToSymbolAsync(weights, h_second, 16, 0, kind, two); // ERROR data race
    cudaDeviceSynchronize();
    cudaFreeHost(h_second);
    cudaFree(d_a);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return 0;
}
