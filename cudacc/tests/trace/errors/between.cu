// Between two allocations: nearer to the end of the first.
// EXPECT: block (0,0,0), thread (0,0,0): 64 bytes past the end of d_a, 512 bytes
// SPDX-License-Identifier: MIT
__global__ void add(const float *a, const float *b, float *c) {
    int i = threadIdx.x;
    c[i] = a[i + 144] + b[i]; // ERROR out of bounds
}

int main(void) {
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, 128 * sizeof(float));
    cudaMalloc(&d_b, 128 * sizeof(float));
    cudaMalloc(&d_c, 128 * sizeof(float));
    cudaMemset(d_a, 0, 128 * sizeof(float));
    cudaMemset(d_b, 0, 128 * sizeof(float));
    add<<<1, 128>>>(d_a, d_b, d_c);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
