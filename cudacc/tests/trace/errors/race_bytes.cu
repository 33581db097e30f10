// Neighboring bytes do not race, the same byte does: each thread stores two bytes, one of which is
// its neighbor's.
// EXPECT: data race: store of 1 bytes at race_bytes.cu
// EXPECT: thread
// SPDX-License-Identifier: MIT
__global__ void write_pairs(unsigned char *a) {
    a[threadIdx.x] = 1; // ERROR data race
    if (threadIdx.x == 40)
        a[threadIdx.x + 1] = 2; // ERROR data race
}

int main(void) {
    unsigned char *d_a;
    cudaMalloc(&d_a, 65);
    write_pairs<<<1, 64>>>(d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
