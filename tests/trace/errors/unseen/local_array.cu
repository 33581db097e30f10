// One past the end of a thread's own array.
// UNSEEN: A thread's own arrays are not watched.
// SPDX-License-Identifier: MIT
__global__ void sum(int *out, int n) {
    int a[8], total = 0;
    for (int i = 0; i < 8; i++)
        a[i] = i;
    for (int i = 0; i <= n; i++)
        total += a[i];
    out[threadIdx.x] = total;
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    sum<<<1, 32>>>(d_out, 8);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaSuccess;
}
