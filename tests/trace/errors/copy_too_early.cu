// The host looks at the result of a copy that is still queued behind other work.
// EXPECT: data race: load of 4 bytes at copy_too_early.cu:28, by the host, and cudaMemcpyAsync at copy_too_early.cu:27, which has yet to write them: synchronise with its stream between the two
// EXPECT: data race: store of 4 bytes at copy_too_early.cu:35, by the host, and cudaMemcpyAsync at copy_too_early.cu:34, which has yet to read them
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdlib.h>
#include <string.h>
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
    int values[64] = {0};
    host_has_looked = 0;
    cudaLaunchHostFunc(stream, wait_for_host, NULL);
    cudaMemcpyAsync(d_a, h_a, 256, cudaMemcpyHostToDevice, stream); // ERROR data race
    memset(h_a, 0, 64);                                             // ERROR data race
    memcpy(h_a, values, 64);                                        // ERROR data race
    std::copy(values, values + 64, h_a);                            // ERROR data race
    memcpy(values, h_a, sizeof values); // reads, as the copy does
    host_has_looked = 1;
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFreeHost(h_a);
    return wrong;
}
