// Two of three allocations are never freed, nor is one in stream order. Pinned memory is the
// host's, and no leak of the device.
// EXPECT: leak: d_b, 2000 bytes, allocated at leak.cu:11, was never freed
// EXPECT: leak: m_c, 40 bytes, allocated at leak.cu:12, was never freed
// EXPECT: leak: d_d, 80 bytes, allocated at leak.cu:13, was never freed
// EXPECT: CPU device: 0 errors, 3 notes
// SPDX-License-Identifier: MIT
int main(void) {
    float *d_a, *d_b, *m_c, *d_d, *h_e;
    cudaMalloc(&d_a, 1000);
    cudaMalloc(&d_b, 2000);       // NOTE leak
    cudaMallocManaged(&m_c, 40);  // NOTE leak
    cudaMallocAsync(&d_d, 80, 0); // NOTE leak
    cudaMallocHost(&h_e, 100);
    cudaFree(d_a);
    return 0;
}
