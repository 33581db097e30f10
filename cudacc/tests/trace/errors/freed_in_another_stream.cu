// Memory is freed in another stream than the one that still uses it, and nothing orders the two
// EXPECT: use after free: cudaMemsetAsync at freed_in_another_stream.cu:24: its memory is d_a[0], byte 0 of 256, allocated at freed_in_another_stream.cu:22, which has been freed
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

/* Keeps the stream busy until the other one has gone on, for certain. */
static volatile int freed;
static void CUDART_CB wait_for_free(void *unused) {
    (void)unused;
    while (!freed)
        usleep(1000);
}
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main(void) {
    int *d_a;
    cudaStream_t user, other;
    cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaLaunchHostFunc(user, wait_for_free, NULL);
    cudaMallocAsync((void **)&d_a, 64 * sizeof *d_a, user);
    // Ordered for the host, which waits for neither.
    cudaMemsetAsync(d_a, 0, 64 * sizeof *d_a, user); // ERROR use after free
    fill<<<1, 64, 0, user>>>(d_a);
    cudaFreeAsync(d_a, other);
    cudaStreamSynchronize(other);
    freed = 1;
    cudaError_t e = cudaDeviceSynchronize();
    cudaStreamDestroy(user);
    cudaStreamDestroy(other);
    return e != cudaErrorIllegalAddress;
}
