// 16 bytes at once into a thread's own array, which is aligned for pairs only.
// EXPECT: kernel died: misaligned address (a local variable, 8 bytes past a multiple of 16) at dies_local_misaligned.cu
// EXPECT: kernel take, launch 0, block (0,0,0), thread (0,0,0): error 716, misaligned address
// ONLY: x86_64
// SPDX-License-Identifier: MIT
__device__ void copy16(void *to, const void *from) {
    *(int4 *)to = *(const int4 *)from; // ERROR kernel died
}

__global__ void take(float *out, const float *in, int which) {
    float2 mine[5];
    for (int k = 0; k < 5; k++)
        mine[k] = make_float2(0, 0);
    copy16(mine + which, in + 4 * threadIdx.x);
    out[threadIdx.x] = mine[which].x + mine[which + 1].y;
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 128 * sizeof(float));
    cudaMalloc(&d_out, 32 * sizeof(float));
    cudaMemset(d_in, 0, 128 * sizeof(float));
    take<<<1, 32>>>(d_out, d_in, 1);
    return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
}
