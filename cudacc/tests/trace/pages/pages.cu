// Managed memory of 16 pages each, used by host and device in different ways. What the page model
// must count stands beside each allocation: pages touched by the host, by the device, moved to the
// device, to the host.
// SPDX-License-Identifier: MIT
#include <string.h>
#include <unistd.h>

enum { PAGES = 16 };

__global__ void add(int *a, int n, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n)
        a[i] += 1;
}
__global__ void sum(const int *a, int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] < 0)
        atomicAdd(out, 1);
}

static int n; // elements in each

static void fill(int *a, int count) {
    for (int i = 0; i < count; i++)
        a[i] = i;
}
static int host_sum(const int *a, int count) {
    int s = 0;
    for (int i = 0; i < count; i++)
        s += a[i];
    return s;
}

int main(void) {
    int *both, *device_only, *prefetched, *shared_copies, *stays, *every_other, *set, *copied,
        *first, *d_out;
    size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
    n = (int)(bytes / sizeof(int));
    dim3 grid((n + 255) / 256);
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    struct cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    int s = 0;

    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemset(d_out, 0, sizeof *d_out);
    cudaMallocManaged(&both, bytes);          // PAGES 16 16 16 8
    cudaMallocManaged(&device_only, bytes);   // PAGES 0 16 0 0
    cudaMallocManaged(&prefetched, bytes);    // PAGES 16 16 16 16
    cudaMallocManaged(&shared_copies, bytes); // PAGES 16 16 16 0
    cudaMallocManaged(&stays, bytes);         // PAGES 16 16 0 0
    cudaMallocManaged(&every_other, bytes);   // PAGES 16 8 8 0
    cudaMallocManaged(&set, bytes);           // PAGES 16 16 16 0
    cudaMallocManaged(&copied, bytes);        // PAGES 4 16 0 4
    cudaMallocManaged(&first, bytes);         // PAGES 16 1 1 0

    for (int *filled : {both, prefetched, shared_copies, every_other, first})
        fill(filled, n);
    memset(set, 0, bytes);
    cudaMemAdvise(shared_copies, bytes, cudaMemAdviseSetReadMostly, device);
    cudaMemAdvise(stays, bytes, cudaMemAdviseSetPreferredLocation, host);
    cudaMemAdvise(stays, bytes, cudaMemAdviseSetAccessedBy, device);
    fill(stays, n);
    cudaMemPrefetchAsync(prefetched, bytes, device, 0, 0);
    cudaMemcpy(copied, both, bytes, cudaMemcpyDefault);

    add<<<grid, 256>>>(both, n, 1);
    cudaMemset(device_only, 0, bytes);
    add<<<grid, 256>>>(device_only, n, 1);
    add<<<grid, 256>>>(prefetched, n, 1);
    sum<<<grid, 256>>>(shared_copies, n, d_out);
    add<<<grid, 256>>>(stays, n, 1);
    add<<<1, PAGES / 2>>>(every_other, n, 2 * n / PAGES);
    add<<<1, 1>>>(first, n, 1);
    sum<<<grid, 256>>>(set, n, d_out);
    cudaMemPrefetchAsync(prefetched, bytes, host, 0, 0);
    cudaDeviceSynchronize();

    for (int *whole : {prefetched, shared_copies, stays})
        s += host_sum(whole, n);
    s += host_sum(both, n / 2) + host_sum(copied, n / 4);

    for (int *done : {both, device_only, prefetched, shared_copies, stays, every_other, set, copied,
                      first, d_out})
        cudaFree(done);
    return s == 1;
}
