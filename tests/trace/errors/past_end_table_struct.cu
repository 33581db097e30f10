// A filter of five weights in a constant struct, used as if it had six.
// EXPECT: 0 bytes past the end of filter, 24 bytes, declared at past_end_table_struct.cu
// SPDX-License-Identifier: MIT
__device__ const struct {
    int width;
    float weight[5];
} filter = {5, {1, 4, 6, 4, 1}};

__global__ void apply(float *out, int width) {
    out[threadIdx.x] = filter.weight[threadIdx.x % width]; // ERROR out of bounds
}

int main(void) {
    float *d_out;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    apply<<<1, 32>>>(d_out, 6);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaErrorIllegalAddress;
}
