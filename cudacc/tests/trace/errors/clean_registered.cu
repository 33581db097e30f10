// Host memory is registered, used and freed in each right order; what is not registered is freed
// while other memory is in use
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <sys/mman.h>
#include <vector>

__global__ void add(int *a) { a[threadIdx.x]++; }

static int *zeroes(int n) { return (int *)calloc(n, sizeof(int)); }

/* Waits by a stream, an event, the device; a second time with the same memory, by parts. */
static int in_turns(cudaStream_t stream, cudaEvent_t event, int *d_a) {
    int *h_a = zeroes(2048), *other = zeroes(2048);
    cudaHostRegister(h_a, 4096, cudaHostRegisterDefault);
    add<<<1, 32, 0, stream>>>(h_a);
    free(other);
    cudaStreamSynchronize(stream);
    cudaHostUnregister(h_a);
    cudaHostRegister(h_a, 2048, cudaHostRegisterDefault);
    cudaHostRegister(h_a + 1024, 4096, cudaHostRegisterMapped);
    add<<<1, 32, 0, stream>>>(h_a);
    cudaMemcpyAsync(h_a + 1024, d_a, 4096, cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(event, stream);
    add<<<1, 32, 0, stream>>>(d_a);
    cudaEventSynchronize(event);
    cudaHostUnregister(h_a);
    cudaHostUnregister(h_a + 1024);
    int first = h_a[0];
    h_a = (int *)realloc(h_a, 1 << 16);
    free(h_a);
    return first;
}

/* One stream waits for the other by an event; the host waits for the second. */
static int of_two_streams(cudaStream_t one, cudaStream_t two, cudaEvent_t event) {
    std::vector<int> v(1000, 1);
    cudaHostRegister(v.data(), 4000, cudaHostRegisterDefault);
    add<<<1, 32, 0, one>>>(v.data());
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    add<<<1, 32, 0, two>>>(v.data());
    cudaStreamSynchronize(two);
    cudaHostUnregister(v.data());
    return v[0];
}

static int of_pages(cudaStream_t stream, int *d_a) {
    void *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cudaHostRegister(p, 1 << 16, cudaHostRegisterDefault);
    cudaMemcpyAsync(p, d_a, 4096, cudaMemcpyDeviceToHost, stream);
    cudaDeviceSynchronize();
    int first = *(int *)p;
    cudaHostUnregister(p);
    munmap(p, 1 << 16);
    return first;
}

/* cudaFreeHost waits by itself; what a copy from pageable memory needs it has when it returns. */
static void by_calls_that_wait(cudaStream_t stream, int *d_a) {
    int *h_a, *pageable = zeroes(1024);
    cudaMallocHost(&h_a, 4096);
    cudaMemcpyAsync(h_a, d_a, 4096, cudaMemcpyDeviceToHost, stream);
    cudaFreeHost(h_a);
    cudaMemcpyAsync(d_a, pageable, 4096, cudaMemcpyHostToDevice, stream);
    free(pageable);
}

int main(void) {
    cudaStream_t one, two;
    cudaEvent_t event;
    int *d_a;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&event);
    cudaMalloc(&d_a, 4096);
    cudaMemset(d_a, 0, 4096);
    cudaDeviceSynchronize();
    int sum = in_turns(one, event, d_a) + of_two_streams(one, two, event) + of_pages(one, d_a);
    by_calls_that_wait(one, d_a);
    cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaEventDestroy(event);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return sum != 2 + 3 + 1;
}
