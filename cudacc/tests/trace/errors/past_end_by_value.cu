// No bound at all; the struct goes by value to a function that is called, and comes back so.
// EXPECT: kernel step_all, launch 0, block (3,0,0), thread (232,0,0) and 8 more of its warp: just past the end of in, 16000 bytes
// SPDX-License-Identifier: MIT
struct particle {
    float x, y, z, m;
};

__device__ __noinline__ particle step(particle p, float dt) {
    p.x += dt * p.m, p.y += dt * p.m, p.z += dt * p.m;
    return p;
}

__global__ void step_all(particle *out, const particle *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = step(in[i], 0.5f); // ERROR out of bounds
}

int main(void) {
    const int n = 1000;
    particle *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(in, 0, n * sizeof *in);
    step_all<<<4, 256>>>(out, in);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
