__global__ void transpose(float *out, const float *in, int n) {
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 4194304);
    cudaMalloc(&out, 4194304);
    cudaMemset(in, 0, 4194304);
    transpose<<<dim3(32, 128), dim3(32, 8)>>>(out, in, 1024);
    cudaFree(in);
    cudaFree(out);
}
//
// SPDX-License-Identifier: MIT
