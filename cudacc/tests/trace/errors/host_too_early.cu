// The host uses managed and pinned memory while a kernel may still write it
// EXPECT: data race: load of 4 bytes at host_too_early.cu:24, by the host, and store of 4 bytes at host_too_early.cu:8 in kernel add
// EXPECT: m_a, 128 bytes, allocated at host_too_early.cu:16; the host has not waited for it: synchronize with its stream between the two
// EXPECT: data race: store of 128 bytes at host_too_early.cu:27, by the host, and store of 4 bytes at host_too_early.cu:8 in kernel add
// SPDX-License-Identifier: MIT
#include <string.h>
__global__ void add(int *a) {
    a[threadIdx.x]++; // ERROR data race
}

int main(void) {
    int *m_a, *h_a;
    cudaStream_t other;
    cudaStreamCreate(&other);
    cudaMallocHost(&h_a, 32 * sizeof *h_a);
    cudaMallocManaged(&m_a, 32 * sizeof *m_a);
    for (int i = 0; i < 32; i++)
        m_a[i] = h_a[i] = i;
    add<<<1, 32>>>(m_a);
    cudaDeviceSynchronize();
    int sum = m_a[0]; // not too early
    add<<<1, 32>>>(m_a);
    cudaStreamSynchronize(other); // which has nothing to do
    sum += m_a[31];               // ERROR data race
    cudaDeviceSynchronize();
    add<<<1, 32>>>(h_a);
    memset(h_a, 0, 32 * sizeof *h_a); // ERROR data race
    cudaError_t e = cudaDeviceSynchronize();
    cudaStreamDestroy(other);
    cudaFree(m_a);
    cudaFreeHost(h_a);
    return e != cudaSuccess || sum < 0;
}
