// Of eleven pointers, one is the host's.
// EXPECT: kernel sum, launch 0, block (0,0,0), thread (0,0,0): its 11th argument is a pointer to host memory
// SPDX-License-Identifier: MIT
__global__ void sum(float *out, const float *a, const float *b, const float *c, const float *d,
                    const float *e, const float *f, const float *g, const float *h, const float *i,
                    const float *j) {
    int t = threadIdx.x;
    out[t] = a[t] + b[t] + c[t] + d[t] + e[t] + f[t] + g[t] + h[t] + i[t];
    out[t] += j[t]; // ERROR host pointer in a kernel
}

int main(void) {
    static float h_in[64];
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof h_in);
    cudaMemset(d_in, 0, sizeof h_in);
    sum<<<1, 64>>>(d_out, d_in, d_in, d_in, d_in, d_in, d_in, d_in, d_in, d_in, h_in);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
