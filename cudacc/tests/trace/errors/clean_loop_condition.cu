// One thread changes a variable in a loop that all threads run: a compiler that keeps the variable
// in a register during the loop would load it for all of them.
// SPDX-License-Identifier: MIT
__device__ int total;
__device__ struct { int most, count; } record;

__global__ void one_thread(int n, int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    for (int k = 0; k < n; k++)
        if (threadIdx.x == 0)
            sum += k * k;
    __syncthreads();
    out[threadIdx.x] = sum;
}

__global__ void first_block(const int *in, int n) {
    int k = 0;
    while (k < n) {
        k++;
        if (blockIdx.x || threadIdx.x)
            continue;
        total += in[k - 1];
        record.count++;
        record.most = max(record.most, in[k - 1]);
    }
}

__device__ void add(int &sum, const int *in, int n, bool mine) {
    __shared__ int rounds[2];
    for (int k = 0; k < n; k++) {
        sum += in[k];
        if (mine)
            rounds[1] = k;
    }
    if (mine)
        sum += rounds[1];
}

__global__ void in_function(const int *in, int n, int *out) {
    int sum = 0;
    add(sum, in, n, threadIdx.x == 40);
    out[threadIdx.x] = sum;
}

int main() {
    const int n = 64;
    int h[n], *in, *out;
    for (int i = 0; i < n; i++)
        h[i] = i % 5;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    one_thread<<<1, n>>>(n, out);
    first_block<<<2, n>>>(in, n);
    in_function<<<1, n>>>(in, n, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return h[0] != 126 || h[40] != 126 + 63;
}
