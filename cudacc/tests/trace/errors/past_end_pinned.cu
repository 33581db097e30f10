// Past the end of pinned host memory.
// EXPECT: out of bounds: store of 4 bytes at past_end_pinned.cu
// EXPECT: kernel fill, launch 0, block (0,0,0), thread (100,0,0): just past the end of h_out, 400 bytes
// SPDX-License-Identifier: MIT
__global__ void fill(int *out) {
    out[threadIdx.x] = (int)threadIdx.x; // ERROR out of bounds
}

int main(void) {
    int *h_out;
    cudaMallocHost(&h_out, 100 * sizeof *h_out);
    fill<<<1, 101>>>(h_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
