// A kernel is handed the address of a __device__ variable, as the host sees it.
// EXPECT: host pointer in a kernel: launch at variable_argument.cu:14: argument 2 is table, a variable of the device, whose address the host does not have
// SPDX-License-Identifier: MIT
__device__ float table[64];

__global__ void copy(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x]; }

int main(void) {
    float *d_out;
    void *d_table;
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    // The variable's own name works in kernels only. What cudaGetSymbolAddress tells works here,
    // too, see below.
    copy<<<1, 64>>>(d_out, table); // ERROR host pointer in a kernel
    cudaGetSymbolAddress(&d_table, table);
    copy<<<1, 64>>>(d_out, (float *)d_table);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
