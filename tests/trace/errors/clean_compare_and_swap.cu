// An atomic maximum of floats out of atomicCAS, as the CUDA C++ Programming Guide builds others: it
// starts with a plain read, which the swap confirms.
// SPDX-License-Identifier: MIT
__device__ void atomic_max(float *address, float value) {
    int *bits = (int *)address, old = *bits, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value)
            value = __int_as_float(assumed);
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (assumed != old);
}

__global__ void maximum(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomic_max(out, in[i]);
}

int main(void) {
    static float h_in[1000];
    float *d_in, *d_out, h_out = 0;
    for (int i = 0; i < 1000; i++)
        h_in[i] = (float)(i * 7 % 1000);
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof h_out);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof h_out);
    maximum<<<8, 128>>>(d_in, d_out, 1000);
    cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return h_out != 999;
}
