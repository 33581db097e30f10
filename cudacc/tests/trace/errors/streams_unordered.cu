// Work in two streams on one array, and nothing orders the two
// EXPECT: data race: store of 4 bytes at streams_unordered.cu:10 in kernel add and store of 4 bytes at streams_unordered.cu:10 in kernel add
// EXPECT: d_a, 256 bytes, allocated at streams_unordered.cu:22; in two streams, and nothing orders them: an event that one records and the other waits for, or a synchronize, must lie between
// EXPECT: data race: load of 4 bytes at streams_unordered.cu:14 in kernel sum and cudaMemcpyAsync at streams_unordered.cu:37
// EXPECT: data race: store of 4 bytes at streams_unordered.cu:12 in kernel fill and cudaMemcpy at streams_unordered.cu:43
// EXPECT: data race: store of 4 bytes at streams_unordered.cu:12 in kernel fill and load of 4 bytes at streams_unordered.cu:14 in kernel sum
// EXPECT: data race: cudaMemsetAsync at streams_unordered.cu:47 and cudaMemcpyAsync at streams_unordered.cu:48
// SPDX-License-Identifier: MIT
__global__ void add(int *a) {
    a[threadIdx.x]++; // ERROR data race
}
__global__ void fill(int *a, int n) { a[threadIdx.x] = n; } // ERROR data race
__global__ void sum(const int *a, int *out) {
    atomicAdd(out, a[threadIdx.x]); // ERROR data race
}

int main(void) {
    int *d_a, *d_b, *d_sum, *h_a;
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMalloc(&d_b, 64 * sizeof *d_b);
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMallocHost(&h_a, 64 * sizeof *h_a);
    for (int i = 0; i < 64; i++)
        h_a[i] = i;
    cudaMemset(d_a, 0, 256);
    cudaMemset(d_b, 0, 256);
    cudaMemset(d_sum, 0, 4);
    cudaDeviceSynchronize();
    add<<<1, 32, 0, s>>>(d_a);
    add<<<1, 32, 0, t>>>(d_a);
    cudaDeviceSynchronize();

    // A copy in one stream, a kernel that needs it in the other.
    cudaMemcpyAsync(d_a, h_a, 256, cudaMemcpyHostToDevice, s); // ERROR data race
    sum<<<1, 64, 0, t>>>(d_a, d_sum);
    cudaDeviceSynchronize();

    // Stream 0 does not wait for a non-blocking one.
    fill<<<1, 64, 0, t>>>(d_b, 1);
    cudaMemcpy(h_a, d_b, 256, cudaMemcpyDeviceToHost); // ERROR data race
    cudaDeviceSynchronize();

    // Nor does another stream.
    cudaMemsetAsync(d_b, 1, 256, s);                           // ERROR data race
    cudaMemcpyAsync(h_a, d_b, 256, cudaMemcpyDeviceToHost, t); // ERROR data race
    cudaDeviceSynchronize();

    // The event is recorded, and not waited for; so at the second launch.
    cudaEvent_t filled;
    cudaEventCreate(&filled);
    fill<<<1, 64, 0, s>>>(d_a, 2);
    cudaEventRecord(filled, s);
    sum<<<1, 64, 0, t>>>(d_a, d_sum);
    cudaError_t e = cudaDeviceSynchronize();
    cudaEventDestroy(filled);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_sum);
    cudaFreeHost(h_a);
    return e != cudaSuccess;
}
