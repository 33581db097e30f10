// An object with virtual functions is made on the host and copied: its table is the host's.
// UNSEEN: Here both have one table; on a GPU the kernel would jump to an address of the host.
// SPDX-License-Identifier: MIT
struct shape {
    __host__ __device__ virtual float area() const { return 0; }
};
struct square : shape {
    float side = 2;
    __host__ __device__ float area() const override { return side * side; }
};
__global__ void measure(const shape *s, float *out) { *out = s->area(); }

int main(void) {
    square s, *d_s;
    float *d_out;
    cudaMalloc(&d_s, sizeof s);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemcpy((void *)d_s, (void *)&s, sizeof s, cudaMemcpyHostToDevice);
    measure<<<1, 1>>>(d_s, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_s);
    cudaFree(d_out);
    return e != cudaSuccess;
}
