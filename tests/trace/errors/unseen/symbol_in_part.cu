// A copy to a variable of the device has the number of elements where that of bytes belongs.
// UNSEEN: Variables of the device begin with zeroes, and a copy to a part of one may be meant.
// SPDX-License-Identifier: MIT
__constant__ float weights[8];

__global__ void weigh(float *out) { out[threadIdx.x] = weights[threadIdx.x]; }

int main(void) {
    float h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *d_out;
    cudaMalloc(&d_out, sizeof h);
    cudaMemcpyToSymbol(weights, h, 8);
    weigh<<<1, 8>>>(d_out);
    cudaError_t e = cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return e != cudaSuccess || h[7] != 0;
}
