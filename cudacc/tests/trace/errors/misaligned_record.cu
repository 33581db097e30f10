// Packed records of 5 bytes: the integers in them are not aligned.
// EXPECT: misaligned access: store of 4 bytes at misaligned_record.cu
// EXPECT: block (0,0,0), thread (0,0,0)
// SPDX-License-Identifier: MIT
__global__ void write_records(char *out) {
    char *record = out + 5 * threadIdx.x;
    record[0] = 1;
    *(int *)(record + 1) = (int)threadIdx.x; // ERROR misaligned access
}

int main(void) {
    char *d_out;
    cudaMalloc(&d_out, 320);
    write_records<<<1, 32>>>(d_out);
    return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
}
