// An index so wrong that it lands in another allocation.
// UNSEEN: The bytes belong to an allocation; which one was meant, the tracer cannot know.
// SPDX-License-Identifier: MIT
__global__ void copy(int *out, const int *in, long wrong) {
    out[threadIdx.x] = in[threadIdx.x + wrong];
}

int main(void) {
    int *d_a, *d_b, *d_out;
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMalloc(&d_b, 32 * sizeof *d_b);
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
    cudaMemset(d_b, 0, 32 * sizeof *d_b);
    copy<<<1, 32>>>(d_out, d_a, d_b - d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_out);
    return e != cudaSuccess;
}
