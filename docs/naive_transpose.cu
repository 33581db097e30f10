__global__ void transpose(float *out, const float *in, int n) {
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 4000000);
    cudaMalloc(&out, 4000000);
    cudaMemset(in, 0, 4000000);
    transpose<<<dim3(32, 125), dim3(32, 8)>>>(out, in, 1000);
    cudaFree(in);
    cudaFree(out);
}
//
// SPDX-License-Identifier: MIT
