// A bitonic merge, the last steps of a bitonic sort, in shared and in global memory: each step has
// fewer neighboring lanes at work, and a barrier stands between any two.
// SPDX-License-Identifier: MIT
__device__ void steps(int *a, int t) {
    for (int j = 64; j; j /= 2) {
        if ((t ^ j) > t && a[t] > a[t ^ j]) {
            int x = a[t];
            a[t] = a[t ^ j];
            a[t ^ j] = x;
        }
        __syncthreads();
    }
}
__global__ void merge(int *a, int *b) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    steps(s, t);
    a[t] = s[t];
    steps(b, t);
}

int main(void) {
    static int h_a[128], h_b[128];
    int *d_a, *d_b, wrong = 0;
    for (int i = 0; i < 128; i++)
        h_a[i] = h_b[i] = i < 64 ? 3 * i : 2 * (127 - i); // up, then down
    cudaMalloc(&d_a, sizeof h_a);
    cudaMalloc(&d_b, sizeof h_b);
    cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, h_b, sizeof h_b, cudaMemcpyHostToDevice);
    merge<<<1, 128>>>(d_a, d_b);
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_b, d_b, sizeof h_b, cudaMemcpyDeviceToHost);
    for (int i = 1; i < 128; i++)
        wrong |= h_a[i - 1] > h_a[i] || h_b[i - 1] > h_b[i];
    cudaFree(d_a);
    cudaFree(d_b);
    return wrong;
}
