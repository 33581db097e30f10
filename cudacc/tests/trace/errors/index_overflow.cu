// An index that does not fit into an int, and has become negative.
// EXPECT: out of bounds: store of 1 bytes at index_overflow.cu
// EXPECT: kernel mark, launch 0, block (1,0,0), thread (0,0,0): not memory of the device; no array is near; perhaps an index has overflowed; it would be d_rows[-1894967296]
// SPDX-License-Identifier: MIT
__global__ void mark(char *rows, unsigned pitch) {
    int byte = (int)(blockIdx.x * 60000u * pitch); // as 60000 * 40000 would be without the casts
    rows[byte] = 1;                                // ERROR out of bounds
}

int main(void) {
    char *d_rows;
    cudaMalloc(&d_rows, 1 << 20);
    mark<<<2, 1>>>(d_rows, 40000);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
