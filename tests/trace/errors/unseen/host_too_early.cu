// The host reads managed memory while the kernel may still write it.
// UNSEEN: The host's reads are not set against a kernel's. `CPU_DEVICE_SCHEDULE=late` shows it.
// SPDX-License-Identifier: MIT
__global__ void add(int *a) { a[threadIdx.x]++; }

int main(void) {
    int *a;
    cudaMallocManaged(&a, 32 * sizeof *a);
    for (int i = 0; i < 32; i++)
        a[i] = i;
    add<<<1, 32>>>(a);
    int sum = a[0] + a[31];
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(a);
    return e != cudaSuccess || sum < 0;
}
