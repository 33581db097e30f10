// Constants that are set in parts: of which only that part is read, whose rest has an initializer,
// or comes with a second copy.
// SPDX-License-Identifier: MIT
__constant__ float part[64], halves[8], table[8] = {0, 0, 0, 0, 5, 6, 7, 8};

__global__ void weigh(float *out, int n) {
    int i = threadIdx.x;
    out[i] = halves[i] + table[i] + (i < n ? part[i] : 0);
}

int main(void) {
    float h[16] = {1, 2, 3, 4, 5, 6, 7, 8}, *d_out;
    cudaMalloc(&d_out, 8 * sizeof *h);
    cudaMemcpyToSymbol(part, h, 16); // 4 of them
    cudaMemcpyToSymbol(halves, h, 16);
    cudaMemcpyToSymbol(halves, h + 8, 16, 16);
    cudaMemcpyToSymbol(table, h, 16);
    weigh<<<1, 8>>>(d_out, 4);
    cudaError_t e = cudaMemcpy(h, d_out, 8 * sizeof *h, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return e != cudaSuccess || h[0] != 3 || h[7] != 8;
}
