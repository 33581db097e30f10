// Where the memory comes from: variables of the device, managed, pinned and registered memory,
// pitched rows, constants and local arrays; and launches in several streams.
//
// 2 blocks of 64 threads, 4 warps. All but constants and local arrays is global memory.
// EXPECT copy k=0..9: 4 16 4 16
// EXPECT hinted: 12 48 4 16
// EXPECT volatile_twice: 8 32 4 16
// EXPECT from_variable, to_variable, managed_variable: 4 16 4 16
// EXPECT through_variable: 8 20 4 16
// EXPECT from_constant: 0 0 4 16
// EXPECT with_local: 16 64 4 16
// A pitched row begins at a multiple of 32 bytes: 45 floats are 6 sectors.
// EXPECT rows: 6 18 6 18
// SPDX-License-Identifier: MIT
#include "check.h"

enum { STREAMS = 3 };

__device__ float device_array[N];
__device__ float *device_pointer;
__device__ static unsigned counter;
__managed__ float managed_array[N];
__constant__ float weights[8];

EACH(copy, (float *out, const float *in), out[i] = in[i] + 1);

// Loads and stores with a hint how to cache them are loads and stores.
EACH(hinted, (float *out, const float *a, const float *b, const float *c),
     __stcs(out + i, __ldg(a + i) + __ldcs(b + i) + __ldcg(c + i)));

// Each read of a volatile is one.
EACH(volatile_twice, (float *out, const volatile float *in), out[i] = in[i] + in[i]);
EACH(from_variable, (float *out), out[i] = device_array[i] + 1);
EACH(to_variable, (const float *in), device_array[i] = in[i] + 1);

// The pointer itself is read, too: one sector.
EACH(through_variable, (float *out), out[i] = device_pointer[i] + 1);
EACH(managed_variable, (void), managed_array[i] += 1);
EACH(from_constant, (float *out), out[i] = weights[i % 8]);

__global__ void with_local(float *out, const float *in, unsigned n) {
    unsigned i = thread_number();
    float own[4];
    for (unsigned k = 0; k < 4; k++)
        own[k] = in[i + k * n];
    out[i] = own[i % 4]; // an index that is not known before: it cannot live in registers
}

__global__ void rows(float *out, const float *in, size_t pitch, unsigned width) {
    size_t at = blockIdx.x * pitch;
    if (threadIdx.x < width)
        *(float *)((char *)out + at + threadIdx.x * sizeof(float)) =
            *(const float *)((const char *)in + at + threadIdx.x * sizeof(float)) + 1;
}

__global__ void count_up(void) {
    if (threadIdx.x == 0)
        counter++;
}

static void rows_in_pitched_memory(void) {
    enum { WIDTH = 45, HEIGHT = 3 };
    float h[HEIGHT][WIDTH], *in, *out;
    size_t pitch, other;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        h[i / WIDTH][i % WIDTH] = (float)element(i);
    CUDA_CHECK(cudaMallocPitch((void **)&in, &pitch, sizeof h[0], HEIGHT));
    CUDA_CHECK(cudaMallocPitch((void **)&out, &other, sizeof h[0], HEIGHT));
    CUDA_CHECK(
        cudaMemcpy2D(in, pitch, h, sizeof h[0], sizeof h[0], HEIGHT, cudaMemcpyHostToDevice));
    rows<<<HEIGHT, THREADS>>>(out, in, pitch, WIDTH);
    CUDA_CHECK(
        cudaMemcpy2D(h, sizeof h[0], out, pitch, sizeof h[0], HEIGHT, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        check_failures += h[i / WIDTH][i % WIDTH] != (float)element(i) + 1;
}

int main(void) {
    begin();
    float *in = input<float>(4 * N), *out = output<float>(N), *pinned, *mapped, *managed, *async;
    float *registered = (float *)aligned_alloc(4096, 4096), h_weights[8];
    cudaStream_t stream[STREAMS];

    // Memory of every kind, read and written by one kernel.
    RUN(copy, out, in);
    CUDA_CHECK(cudaMallocHost((void **)&pinned, N * sizeof(float)));
    CUDA_CHECK(cudaHostAlloc((void **)&mapped, N * sizeof(float), cudaHostAllocMapped));
    for (size_t i = 0; i < N; i++)
        pinned[i] = registered[i] = (float)element(i);
    RUN(copy, mapped, pinned);
    digest(mapped, N * sizeof(float));
    CUDA_CHECK(cudaMallocManaged((void **)&managed, N * sizeof(float), cudaMemAttachGlobal));
    RUN(copy, managed, pinned);
    digest(managed, N * sizeof(float));
    CUDA_CHECK(cudaHostRegister(registered, 4096, cudaHostRegisterMapped));
    float *d_registered;
    CUDA_CHECK(cudaHostGetDevicePointer((void **)&d_registered, registered, 0));
    RUN(copy, out, d_registered);

    RUN(hinted, out, in, in + N, in + 2 * N);
    RUN(volatile_twice, out, in);

    // Streams: launches are numbered as the host made them.
    for (int k = 0; k < STREAMS; k++)
        CUDA_CHECK(cudaStreamCreate(&stream[k]));
    CUDA_CHECK(cudaMallocAsync((void **)&async, 2 * N * sizeof(float), stream[0]));
    CUDA_CHECK(cudaStreamSynchronize(stream[0]));
    for (int k = 0; k < STREAMS; k++)
        copy<<<BLOCKS, THREADS, 0, stream[k]>>>(k == 0 ? async : k == 1 ? async + N : out, in + N);
    for (int k = 0; k < STREAMS; k++)
        CUDA_CHECK(cudaStreamSynchronize(stream[k]));
    CHECK("three streams", async, 2 * N, (float)element(i % N + N) + 1);
    CHECK("three streams", out, N, (float)element(i + N) + 1);
    for (int k = STREAMS - 1; k >= 0; k--)
        copy<<<BLOCKS, THREADS, 0, stream[k]>>>(k == 0 ? async : k == 1 ? async + N : out, in);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK("and backwards", async, 2 * N, (float)element(i % N) + 1);
    CHECK("and backwards", out, N, (float)element(i) + 1);

    // Variables.
    to_variable<<<BLOCKS, THREADS>>>(in);
    RUN(from_variable, out);
    CUDA_CHECK(cudaMemcpyToSymbol(device_pointer, &in, sizeof in));
    RUN(through_variable, out);
    for (size_t i = 0; i < N; i++)
        managed_array[i] = (float)element(i);
    managed_variable<<<BLOCKS, THREADS>>>();
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < N; i++)
        check_failures += managed_array[i] != (float)element(i) + 1;
    for (int i = 0; i < 8; i++)
        h_weights[i] = (float)(i * i);
    CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, sizeof h_weights));
    RUN(from_constant, out);
    unsigned zero = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
    for (unsigned k = 1; k <= 2; k++)
        count_up<<<1, THREADS>>>();
    unsigned counted;
    CUDA_CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
    check_failures += counted != 2;
    RUN(with_local, out, in, N);
    check_digest(0xcec75840u);
    rows_in_pitched_memory();

    CUDA_CHECK(cudaHostUnregister(registered));
    free(registered);
    return end();
}
