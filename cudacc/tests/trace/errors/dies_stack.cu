// A list with a cycle, walked by recursion: the stack overflows.
// EXPECT: kernel died: stack overflow (a GPU's thread has 512 KiB at most) at dies_stack.cu
// EXPECT: kernel find, launch 0, block (0,0,0), thread (0,0,0): error 700, an illegal memory access
// SPDX-License-Identifier: MIT
__device__ int largest(const int *value, const int *next, int i) { // ERROR kernel died
    int rest = next[i] < 0 ? value[i] : largest(value, next, next[i]);
    return rest > value[i] ? rest : value[i];
}

__global__ void find(int *out, const int *value, const int *next) {
    *out = largest(value, next, 0);
}

int main(void) {
    int h_value[4] = {3, 1, 4, 1}, h_next[4] = {1, 2, 3, 1};
    int *d_value, *d_next, *d_out;
    cudaMalloc(&d_value, sizeof h_value);
    cudaMalloc(&d_next, sizeof h_next);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemcpy(d_value, h_value, sizeof h_value, cudaMemcpyHostToDevice);
    cudaMemcpy(d_next, h_next, sizeof h_next, cudaMemcpyHostToDevice);
    find<<<1, 1>>>(d_out, d_value, d_next);
    return cudaDeviceSynchronize() == cudaSuccess;
}
