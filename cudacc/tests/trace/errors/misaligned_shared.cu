// Shared memory is no exception: a float4 from its second float on.
// EXPECT: misaligned access: load of 16 bytes at misaligned_shared.cu
// EXPECT: it is shared tile[1], byte 4 of 256
// SPDX-License-Identifier: MIT
__global__ void sum(const float *in, float *out) {
    __shared__ __align__(16) float tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 8) {
        float4 v = *(const float4 *)&tile[4 * threadIdx.x + 1]; // ERROR misaligned access
        out[threadIdx.x] = v.x + v.y + v.z + v.w;
    }
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof *d_in);
    cudaMalloc(&d_out, 8 * sizeof *d_out);
    cudaMemset(d_in, 0, 64 * sizeof *d_in);
    sum<<<1, 64>>>(d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
}
