// One byte past the end.
// EXPECT: out of bounds: store of 1 bytes at past_end_byte.cu
// EXPECT: kernel terminate, launch 0, block (0,0,0), thread (0,0,0): just past the end of d_text, 13 bytes
// SPDX-License-Identifier: MIT
__global__ void terminate(char *text, int length) {
    text[length] = 0; // ERROR out of bounds
}

int main(void) {
    char *d_text;
    cudaMalloc(&d_text, 13);
    cudaMemcpy(d_text, "thirteen byte", 13, cudaMemcpyHostToDevice);
    terminate<<<1, 1>>>(d_text, 13);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
