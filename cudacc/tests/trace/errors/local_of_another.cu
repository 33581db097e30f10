// A thread keeps the address of a local variable in shared memory, for the others
// EXPECT: out of bounds: load of 4 bytes at local_of_another.cu:12
// EXPECT: thread (1,0,0): a local variable of another thread: each thread has its own alone
// SPDX-License-Identifier: MIT
__global__ void share(int *a) {
    __shared__ int *shared;
    int local[2];
    local[threadIdx.x & 1] = a[threadIdx.x];
    if (threadIdx.x == 0)
        shared = local;
    __syncthreads();
    a[threadIdx.x] = *shared; // ERROR out of bounds
    __syncthreads();
}

int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMemset(d_a, 0, 64 * sizeof *d_a);
    share<<<1, 64>>>(d_a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaErrorIllegalAddress;
}
