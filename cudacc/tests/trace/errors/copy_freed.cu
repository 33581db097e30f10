// A result is fetched after its memory has been freed.
// EXPECT: use after free: cudaMemcpy at copy_freed.cu:14: its source is d_a[0], byte 0 of 256, allocated at copy_freed.cu:9, which has been freed; it did nothing
// SPDX-License-Identifier: MIT
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main(void) {
    int *d_a;
    static int h_a[64];
    cudaMalloc(&d_a, sizeof h_a);
    fill<<<1, 64>>>(d_a);
    cudaFree(d_a);
    // Nothing wrong with the size, the direction or the host's memory: only with the order of the
    // calls.
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost); // ERROR use after free
    return 0;
}
