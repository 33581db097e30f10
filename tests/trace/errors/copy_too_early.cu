// The host looks at the result of a copy that is still queued after other work.
// EXPECT: data race: load of 4 bytes at copy_too_early.cu:26, by the host, and cudaMemcpyAsync at copy_too_early.cu:25, which has yet to write them: synchronise with its stream between the two
// EXPECT: data race: store of 4 bytes at copy_too_early.cu:33, by the host, and cudaMemcpyAsync at copy_too_early.cu:32, which has yet to read them
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

/* Keeps the stream busy until the host has gone on: what a long kernel does, for certain. */
static volatile int host_has_looked;
static void CUDART_CB wait_for_host(void *unused) {
    (void)unused;
    while (!host_has_looked)
        usleep(1000);
}

int main(void) {
    int *d_a, *h_a, wrong = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMallocHost(&h_a, 64 * sizeof *h_a);
    cudaMemset(d_a, 1, 64 * sizeof *d_a);
    h_a[0] = 0;
    cudaLaunchHostFunc(stream, wait_for_host, NULL);
    cudaMemcpyAsync(h_a, d_a, 256, cudaMemcpyDeviceToHost, stream); // ERROR data race
    wrong |= h_a[0] != 0;                                           // ERROR data race
    host_has_looked = 1;
    cudaStreamSynchronize(stream);
    wrong |= h_a[0] != 0x01010101;
    host_has_looked = 0;
    cudaLaunchHostFunc(stream, wait_for_host, NULL);
    cudaMemcpyAsync(d_a, h_a, 128, cudaMemcpyHostToDevice, stream); // ERROR data race
    h_a[31] = 5;                                                    // ERROR data race
    h_a[32] = h_a[1];                                               // neither is
    host_has_looked = 1;
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFreeHost(h_a);
    return wrong;
}
