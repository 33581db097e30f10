// A block of four times as many threads as the template's array of shared memory has elements.
// EXPECT: out of bounds: store of 4 bytes at shared_past_end_block.cu
// EXPECT: kernel sum, launch 0, block (0,0,0), thread (128,0,0) and 31 more of its warp: just past the end of shared part, 512 bytes
// SPDX-License-Identifier: MIT
template <int Threads> __global__ void sum(const float *in, float *out) {
    __shared__ float part[Threads];
    part[threadIdx.x] = in[threadIdx.x]; // ERROR out of bounds
    __syncthreads();
    for (unsigned n = Threads / 2; n > 0; n /= 2) {
        if (threadIdx.x < n)
            part[threadIdx.x] += part[threadIdx.x + n];
        __syncthreads();
    }
    *out = part[0];
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 512 * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemset(d_in, 0, 512 * sizeof(float));
    sum<128><<<1, 512>>>(d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
