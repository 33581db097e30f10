// Past the end of an array, by an atomic, where another variable is declared next to it.
// EXPECT: just past the end of counts, 64 bytes, declared at past_end_next.cu
// SPDX-License-Identifier: MIT
__device__ int counts[16], limits[16] = {4, 4, 4, 4};

__global__ void count(const int *in) {
    atomicAdd(&counts[in[threadIdx.x]], limits[threadIdx.x % 16]); // ERROR out of bounds
}

int main(void) {
    int in[32], *d_in;
    for (int i = 0; i < 32; i++)
        in[i] = i % 17;
    cudaMalloc(&d_in, sizeof in);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    count<<<1, 32>>>(d_in);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    return e != cudaErrorIllegalAddress;
}
