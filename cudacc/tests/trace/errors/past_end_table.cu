// A table of squares up to 15, looked up for a value of 16; another table follows it.
// EXPECT BY GCC: just past the end of squares, 64 bytes, declared at past_end_table.cu
// SPDX-License-Identifier: MIT
__device__ const int squares[16] = {0,  1,  4,   9,   16,  25,  36,  49,
                                    64, 81, 100, 121, 144, 169, 196, 225};
__device__ const int cubes[16] = {0, 1, 8, 27};

__global__ void look_up(const int *in, int *out) {
    int i = threadIdx.x;
    out[i] = cubes[i % 4] + squares[in[i]]; // ERROR out of bounds, by gcc
}

int main(void) {
    int in[32], *d_in, *d_out;
    for (int i = 0; i < 32; i++)
        in[i] = i % 17;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof in);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    look_up<<<1, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaErrorIllegalAddress;
}
