// The address of a local variable outlives its kernel: the next one reads through it.
// UNSEEN: It lies in the stack of the thread; which variables there are alive is not known.
// SPDX-License-Identifier: MIT
__global__ void keep(int **place) {
    int mine = 5, *volatile here = &mine; // so that no compiler warns
    *place = here;
}
__global__ void take(int *const *place, int *out) { *out = **place; }

int main(void) {
    int **d_place, *d_out;
    cudaMalloc(&d_place, sizeof *d_place);
    cudaMalloc(&d_out, sizeof *d_out);
    keep<<<1, 1>>>(d_place);
    take<<<1, 1>>>(d_place, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_place);
    cudaFree(d_out);
    return e != cudaSuccess;
}
