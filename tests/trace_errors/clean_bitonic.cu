// A bitonic sort in shared memory, its last steps in global memory: each step has its own lanes
// that exchange something, and a barrier stands between any two.
// SPDX-License-Identifier: MIT
__device__ void steps(int *a, int t, int k, int j) {
    for (; j; j /= 2) {
        int other = t ^ j;
        if (other > t && (a[t] > a[other]) == ((t & k) == 0)) {
            int x = a[t];
            a[t] = a[other];
            a[other] = x;
        }
        __syncthreads();
    }
}
__global__ void sort(int *a) {
    __shared__ int s[128];
    int t = threadIdx.x;
    a += 128 * blockIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int k = 2; k < 128; k *= 2)
        steps(s, t, k, k / 2);
    a[t] = s[t];
    __syncthreads();
    steps(a, t, 128, 64);
}

int main(void) {
    static int h_a[256];
    int *d_a, wrong = 0;
    for (int i = 0; i < 256; i++)
        h_a[i] = i * 7877 % 4001;
    cudaMalloc(&d_a, sizeof h_a);
    cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
    sort<<<2, 128>>>(d_a);
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
    for (int i = 1; i < 256; i++)
        wrong |= i != 128 && h_a[i - 1] > h_a[i];
    cudaFree(d_a);
    return wrong;
}
