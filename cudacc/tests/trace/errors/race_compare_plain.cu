// A maximum by compare-and-swap is read before all threads are done. The plain read that the swaps
// begin with is right.
// EXPECT: data race: atomic of 4 bytes at race_compare_plain.cu
// LUCK: which of the blocks comes first
// SPDX-License-Identifier: MIT
__device__ void atomic_max_if_more(int *address, int value) {
    int old = *address, assumed;
    while (old < value) {
        assumed = old;
        old = atomicCAS(address, assumed, value); // ERROR data race
        if (old == assumed)
            break;
    }
}

__global__ void maximum(int *most, int *out) {
    atomic_max_if_more(most, blockIdx.x * blockDim.x + threadIdx.x);
    __threadfence();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *most; // ERROR data race
}

int main(void) {
    int *d_most, *d_out;
    cudaMalloc(&d_most, sizeof *d_most);
    cudaMalloc(&d_out, 4 * sizeof *d_out);
    cudaMemset(d_most, 0, sizeof *d_most);
    maximum<<<4, 1>>>(d_most, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_most);
    cudaFree(d_out);
    return e != cudaSuccess;
}
