// Two of three allocations are never freed.
// EXPECT: leak: d_b, 2000 bytes, allocated at leak.cu:9, was never freed
// EXPECT: leak: m_c, 40 bytes, allocated at leak.cu:10, was never freed
// EXPECT: CPU device: 2 errors
// SPDX-License-Identifier: MIT
int main(void) {
    float *d_a, *d_b, *m_c;
    cudaMalloc(&d_a, 1000);
    cudaMalloc(&d_b, 2000);      // ERROR leak
    cudaMallocManaged(&m_c, 40); // ERROR leak
    cudaFree(d_a);
    return 0;
}
