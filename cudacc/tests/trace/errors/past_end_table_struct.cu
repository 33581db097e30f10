// A filter of five weights in a constant struct, used as if it had six; another filter follows it.
// EXPECT BY GCC: just past the end of blur, 24 bytes, declared at past_end_table_struct.cu
// SPDX-License-Identifier: MIT
struct filter {
    int width;
    float weight[5];
};
__device__ const struct filter blur = {5, {1, 4, 6, 4, 1}}, edge = {3, {-1, 0, 1}};

__global__ void apply(float *out, int width) {
    int i = threadIdx.x;
    out[i] = edge.weight[i % 3] + blur.weight[i % width]; // ERROR out of bounds, by gcc
}

int main(void) {
    float *d_out;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    apply<<<1, 32>>>(d_out, 6);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaErrorIllegalAddress;
}
