// The host looks at the result of a copy without waiting for it.
// EXPECT: data race: load of 4 bytes at copy_too_early.cu:15, by the host, and cudaMemcpyAsync at copy_too_early.cu:14
// EXPECT: h_a, 256 bytes, allocated at copy_too_early.cu:11; the host has not waited for it: synchronize with its stream between the two
// EXPECT: data race: store of 4 bytes at copy_too_early.cu:19, by the host, and cudaMemcpyAsync at copy_too_early.cu:18
// SPDX-License-Identifier: MIT
int main(void) {
    int *d_a, *h_a, seen;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMallocHost(&h_a, 64 * sizeof *h_a);
    cudaMemset(d_a, 1, 64 * sizeof *d_a);
    h_a[0] = 0;
    cudaMemcpyAsync(h_a, d_a, 256, cudaMemcpyDeviceToHost, stream); // ERROR data race
    seen = h_a[0];                                                  // ERROR data race
    cudaStreamSynchronize(stream);
    seen |= h_a[0];
    cudaMemcpyAsync(d_a, h_a, 128, cudaMemcpyHostToDevice, stream); // ERROR data race
    h_a[31] = 5;                                                    // ERROR data race
    h_a[32] = h_a[1];                                               // neither is
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFreeHost(h_a);
    return seen != 0x01010101;
}
