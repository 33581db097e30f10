// The host changes the source of a copy that is still queued, by functions of the library
// EXPECT: data race: store of 64 bytes at library_too_early.cu:24, by the host, and cudaMemcpyAsync at library_too_early.cu:23, which has yet to read them: synchronise with its stream between the two
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string.h>
#include <unistd.h>

/* Keeps the stream busy until the host has gone on, for certain. */
static volatile int host_has_written;
static void CUDART_CB wait_for_host(void *unused) {
    (void)unused;
    while (!host_has_written)
        usleep(1000);
}

int main(void) {
    int *d_a, *h_a, values[64] = {0};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMallocHost(&h_a, 64 * sizeof *h_a);
    cudaLaunchHostFunc(stream, wait_for_host, NULL);
    cudaMemcpyAsync(d_a, h_a, 256, cudaMemcpyHostToDevice, stream); // ERROR data race
    memset(h_a, 0, 64);                                             // ERROR data race
    memcpy(h_a, values, 64);                                        // ERROR data race
    std::copy(values, values + 64, h_a);                            // ERROR data race
    memcpy(values, h_a, sizeof values);                             // reads, as the copy does
    host_has_written = 1;
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    cudaFreeHost(h_a);
    return values[0];
}
