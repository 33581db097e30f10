// A float4 out of a thread's own array, from its second float on.
// UNSEEN: nvcc may keep a local array in registers, where nothing has an address.
// SPDX-License-Identifier: MIT
__global__ void take(float *out, int first) {
    float mine[12];
    for (int i = 0; i < 12; i++)
        mine[i] = i;
    float4 v = *(float4 *)(mine + first);
    out[threadIdx.x] = v.x + v.w;
}

int main(void) {
    float *d_out;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    take<<<1, 32>>>(d_out, 1);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_out);
    return e != cudaSuccess;
}
