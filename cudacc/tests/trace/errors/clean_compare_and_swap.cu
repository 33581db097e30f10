// An atomic maximum of floats out of atomicCAS, as the CUDA C++ Programming Guide builds others: it
// starts with a plain read, which the swap confirms. Another one only swaps where what it has read
// is less: a thread that does not has nothing that would confirm it, and needs nothing.
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

__device__ void atomic_max_if_more(float *address, float value) {
    int *bits = (int *)address, old = *bits, assumed;
    while (__int_as_float(old) < value) {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed)
            break;
    }
}

__global__ void maximum_if_more(float *out) {
    __shared__ float most;
    if (threadIdx.x == 0)
        most = 0;
    for (int k = 1; k <= 7; k++) {
        __syncthreads();
        atomic_max_if_more(&most, (float)(threadIdx.x * k % 128));
    }
    atomic_max_if_more(out, (float)(blockIdx.x * blockDim.x + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0)
        atomic_max_if_more(out, most);
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
    maximum_if_more<<<8, 128>>>(d_out);
    float h_more;
    cudaMemcpy(&h_more, d_out, sizeof h_more, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return h_out != 999 || h_more != 1023;
}
