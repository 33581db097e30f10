// The pointer was never set.
// EXPECT: out of bounds: store of 4 bytes at null_pointer.cu
// EXPECT: kernel set, launch 0, block (0,0,0), thread (0,0,0): a null pointer, as was given for out
// SPDX-License-Identifier: MIT
__global__ void set(int *out) {
    *out = 1; // ERROR out of bounds
}

int main(void) {
    set<<<1, 1>>>(NULL);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
