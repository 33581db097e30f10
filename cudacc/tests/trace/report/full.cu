// Launches that ask for more shared memory than there is beside the kernel's variables, and one
// that may, but goes past its end.
// SPDX-License-Identifier: MIT
__device__ int third(int x) {
    __shared__ int s[4096];
    s[threadIdx.x] = x;
    return s[threadIdx.x];
}
__global__ void tile(int *a) {
    __shared__ int fixed[10240];
    extern __shared__ int further[];
    a[threadIdx.x] = fixed[threadIdx.x] = further[threadIdx.x] = 1;
}
__global__ void more(int *a) {
    __shared__ int fixed[10240];
    a[threadIdx.x] = fixed[threadIdx.x] = third(1);
}
__global__ void wide(int n) {
    extern __shared__ int room[];
    for (int i = threadIdx.x; i <= n; i += blockDim.x)
        room[i] = i;
}

int main() {
    tile<<<1, 64, 20000>>>(nullptr);
    more<<<1, 64>>>(nullptr);
    cudaFuncSetAttribute(wide, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
    wide<<<1, 64, 200000>>>(50000);
    cudaDeviceSynchronize();
    return 0;
}
