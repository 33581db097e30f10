// A copy to a constant has the number of its elements where that of bytes belongs.
// EXPECT: read of memory never written: load of 4 bytes at not_written_constant.cu:8
// EXPECT: weights, 32 bytes, declared at not_written_constant.cu:5; the only copy to it was of fewer bytes: is its size that of the elements, not of bytes?
// SPDX-License-Identifier: MIT
__constant__ float weights[8];

__global__ void weigh(float *out) {
    out[threadIdx.x] = weights[threadIdx.x]; // ERROR read of memory never written
}

int main(void) {
    float h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *d_out;
    cudaMalloc(&d_out, sizeof h);
    cudaMemcpyToSymbol(weights, h, 8);
    weigh<<<1, 8>>>(d_out);
    cudaError_t e = cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return e != cudaSuccess || h[7] != 0;
}
