// Past the end of an array in a struct, but not of the struct.
// UNSEEN: An allocation is watched as a whole.
// SPDX-License-Identifier: MIT
struct pair {
    int a[8], b[8];
};
__global__ void fill(struct pair *p, int first) { p->a[threadIdx.x + first] = 1; }

int main(void) {
    struct pair *d_p;
    cudaMalloc(&d_p, sizeof *d_p);
    fill<<<1, 8>>>(d_p, 8);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_p);
    return e != cudaSuccess;
}
