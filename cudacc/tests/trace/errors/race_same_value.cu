// Every thread that finds a zero sets the flag: a race, but of the same constant.
// EXPECT: note: data race: store of 4 bytes at race_same_value.cu:8 and store
// EXPECT: lies between; both store the same constant
// ONLY: x86_64
// SPDX-License-Identifier: MIT
__global__ void find_zero(const int *in, int *found) {
    if (in[threadIdx.x] == 0)
        *found = 1; // NOTE data race
}

int main(void) {
    int *d_in, *d_found;
    cudaMalloc(&d_in, 64 * sizeof *d_in);
    cudaMalloc(&d_found, sizeof *d_found);
    cudaMemset(d_in, 0, 64 * sizeof *d_in);
    cudaMemset(d_found, 0, sizeof *d_found);
    find_zero<<<1, 64>>>(d_in, d_found);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_found);
    return e != cudaSuccess;
}
