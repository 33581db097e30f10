// The grid is rounded down: the last elements belong to no thread; the host fetches them all,
// and may not look at those. Of what it fetches from another array nothing has been written.
// EXPECT: read of memory never written: cudaMemcpy at copy_not_written.cu:18: 928 of the bytes that it reads, first d_a[768], byte 3072 of 4000, allocated at copy_not_written.cu:15; no copy, memset or kernel has written them
// EXPECT: 4 of the bytes that it reads, first d_a[999], byte 3996 of 4000
// SPDX-License-Identifier: MIT
__global__ void fill(int *a, int from, int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to)
        a[i] = i;
}

int main(void) {
    int *d_a;
    static int h_a[1000];
    cudaMalloc(&d_a, sizeof h_a);
    const int n = 1000, block = 256;
    fill<<<n / block, block>>>(d_a, 0, n);
    cudaMemcpy(h_a, d_a, 4000, cudaMemcpyDeviceToHost); // NOTE read of memory never written
    fill<<<1, block>>>(d_a, n / block * block, n - 1);  // all but the last one
    cudaMemcpyAsync(h_a, d_a, 4000, cudaMemcpyDefault); // NOTE read of memory never written
    cudaFree(d_a);
    cudaMalloc(&d_a, sizeof h_a);
    cudaMemcpy(h_a, d_a, 4000, cudaMemcpyDefault); // ERROR read of memory never written
    cudaFree(d_a);
    return 0;
}
