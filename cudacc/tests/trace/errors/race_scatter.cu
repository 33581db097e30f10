// A scatter whose indices were meant to be a permutation, and are not.
// EXPECT: data race: store of 4 bytes at race_scatter.cu
// EXPECT: d_out[37], byte 148 of 4096
// SPDX-License-Identifier: MIT
__global__ void scatter(const int *index, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = (float)i; // ERROR data race
}

int main(void) {
    static int h_index[1024];
    int *d_index;
    float *d_out;
    for (int i = 0; i < 1024; i++)
        h_index[i] = i * 37 % 1024;
    h_index[900] = 37;
    cudaMalloc(&d_index, sizeof h_index);
    cudaMalloc(&d_out, sizeof h_index);
    cudaMemcpy(d_index, h_index, sizeof h_index, cudaMemcpyHostToDevice);
    scatter<<<8, 128>>>(d_index, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_index);
    cudaFree(d_out);
    return e != cudaSuccess;
}
