// Shuffles whose mask names lanes that have left or never were; what comes from them is not used
// SPDX-License-Identifier: MIT
__global__ void left_alone(const int *in, int *out, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    int s = in[i], next = __shfl_down_sync(0xffffffff, s, 1);
    out[i] = i + 1 < n ? next - s : 0;
    for (int step = 16; step > 0; step /= 2) {
        int other = __shfl_down_sync(0xffffffff, s, step);
        if (i + step < n)
            s += other;
    }
    out[i] = s;
}

/* Lanes that never were: the lower half gets nothing from them. */
__global__ void small_block(const int *in, int *out) {
    int s = in[threadIdx.x];
    for (int step = blockDim.x / 2; step > 0; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s;
}

int main(void) {
    int h_in[160], *d_in, *d_out;
    for (int i = 0; i < 160; i++)
        h_in[i] = i + 1;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    for (int n = 1; n <= 32; n++)
        left_alone<<<1, 32>>>(d_in, d_out, n);
    small_block<<<20, 8>>>(d_in, d_out);
    cudaMemcpy(h_in, d_out, 32 * sizeof *d_out, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return h_in[0] != 36;
}
