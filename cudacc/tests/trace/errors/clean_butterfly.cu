// The lanes of a warp exchange elements of 8 and of 16 bytes in shared memory, with __syncwarp()
// after each step.
// SPDX-License-Identifier: MIT
template <class T> __global__ void reverse(T *a) {
    __shared__ T s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncwarp();
    for (int j = 16; j; j /= 2) {
        if ((t ^ j) > t) {
            T x = s[t];
            s[t] = s[t ^ j];
            s[t ^ j] = x;
        }
        __syncwarp();
    }
    a[t] = s[t];
}

int main(void) {
    static double h_a[32];
    static int4 h_b[32];
    double *d_a;
    int4 *d_b;
    int wrong = 0;
    for (int i = 0; i < 32; i++)
        h_a[i] = h_b[i].w = i;
    cudaMalloc(&d_a, sizeof h_a);
    cudaMalloc(&d_b, sizeof h_b);
    cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, h_b, sizeof h_b, cudaMemcpyHostToDevice);
    reverse<<<1, 32>>>(d_a);
    reverse<<<1, 32>>>(d_b);
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_b, d_b, sizeof h_b, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong |= h_a[i] != 31 - i || h_b[i].w != 31 - i;
    cudaFree(d_a);
    cudaFree(d_b);
    return wrong;
}
