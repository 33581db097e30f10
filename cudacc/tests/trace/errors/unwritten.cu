// Reads of memory that nothing has written
// SPDX-License-Identifier: MIT
#include "program.h"

// ---- not_written: Sums are added to an array that was never set to zero.
// EXPECT: read of memory never written: load of 4 bytes at not_written.cu
// EXPECT: kernel add, launch 0, block (0,0,0), thread (0,0,0): d_sum[0], byte 0 of 400
__global__ void add(float *sum, float x) {
    sum[threadIdx.x] += x; // ERROR read of memory never written
}
PROGRAM(not_written) {
    ARRAY(float, d_sum, 100);
    add<<<1, 100>>>(d_sum, 1);
    add<<<1, 100>>>(d_sum, 1);
}

// ---- not_written_constant: A copy to a constant has the number of its elements where that of
// bytes belongs.
// EXPECT: read of memory never written: load of 4 bytes at not_written_constant.cu:7
// EXPECT: weights, 32 bytes, declared at not_written_constant.cu:5; the only copy to it was of fewer bytes: is its size that of the elements, not of bytes?
__constant__ float weights[8];
__global__ void weigh(float *out) {
    out[threadIdx.x] = weights[threadIdx.x]; // ERROR read of memory never written
}
PROGRAM(not_written_constant, ANY_RESULT) {
    float h[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ARRAY(float, d_out, 8);
    cudaMemcpyToSymbol(weights, h, 8);
    weigh<<<1, 8>>>(d_out);
    cudaError_t e = cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost);
    exit_code = e != cudaSuccess || h[7] != 0;
}

// ---- not_written_copied: A copy on the device of memory that was never written is still not
// written; so is what a kernel leaves out.
// EXPECT: kernel read, launch 1, block (0,0,0), thread (1,0,0): d_copy[1], byte 4 of 256
__global__ void write_even(int *a) {
    if (threadIdx.x % 2 == 0)
        a[threadIdx.x] = 1;
}
__global__ void read(const int *a, int *out) {
    out[threadIdx.x] = a[threadIdx.x]; // ERROR read of memory never written
}
PROGRAM(not_written_copied) {
    ARRAY(int, d_a, 64);
    ARRAY(int, d_copy, 64);
    ARRAY(int, d_out, 64);
    write_even<<<1, 64>>>(d_a);
    cudaMemcpy(d_copy, d_a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
    read<<<1, 64>>>(d_copy, d_out);
}

// ---- not_written_histogram: A histogram in global memory that was never cleared: what all
// blocks add to it has no beginning. The launch that reads it later reads what has been written.
// EXPECT: read of memory never written: atomic of 4 bytes at not_written_histogram.cu
// EXPECT: kernel count, launch 0, block (0,0,0), thread (0,0,0): d_bins[0], byte 0 of 40
__global__ void count(const int *in, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] % 10], 1); // ERROR read of memory never written
}
__global__ void twice(int *bins) { bins[threadIdx.x] *= 2; }
PROGRAM(not_written_histogram, ANY_RESULT) {
    static int h_in[1024];
    for (int i = 0; i < 1024; i++)
        h_in[i] = i;
    COPY_OF(int, d_in, h_in);
    ARRAY(int, d_bins, 10);
    count<<<4, 256>>>(d_in, d_bins);
    twice<<<1, 10>>>(d_bins);
    cudaMemcpy(h_in, d_bins, 10 * sizeof *d_bins, cudaMemcpyDeviceToHost);
}

// ---- not_written_sum: A lock keeps the blocks that add to a sum apart, but none of them is the
// first: it was never set to zero.
// EXPECT: kernel add_locked, launch 0, block (0,0,0), thread (0,0,0): d_sum[0], byte 0 of 4
__global__ void add_locked(int *sum, int *lock) {
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *sum += blockIdx.x; // ERROR read of memory never written
    __threadfence();
    atomicExch(lock, 0);
}
PROGRAM(not_written_sum) {
    ARRAY(int, d_sum, 1);
    ZEROES(int, d_lock, 1);
    add_locked<<<8, 1>>>(d_sum, d_lock);
}

// ---- not_written_tail: The copy is three bytes short.
// EXPECT: read of memory never written: load of 4 bytes at not_written_tail.cu
// EXPECT: block (3,0,0), thread (63,0,0): d_in[255], byte 1021 of 1024
__global__ void twice_each(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i]; // ERROR read of memory never written
}
PROGRAM(not_written_tail) {
    static int h_in[256];
    ARRAY(int, d_in, 256);
    ARRAY(int, d_out, 256);
    cudaMemcpy(d_in, h_in, sizeof h_in - 3, cudaMemcpyHostToDevice);
    twice_each<<<4, 64>>>(d_in, d_out);
}

// ---- not_written_warps: Five warps of a block read what a memset has written, the sixth reads
// on past it.
// EXPECT: block (0,0,0), thread (160,0,0): d_in[160], byte 640 of 1024
__global__ void copy(const float *in, float *out) {
    out[threadIdx.x] = in[threadIdx.x]; // ERROR read of memory never written
}
PROGRAM(not_written_warps) {
    ARRAY(float, d_in, 256);
    ARRAY(float, d_out, 256);
    cudaMemset(d_in, 0, 640);
    copy<<<1, 256>>>(d_in, d_out);
}

// ---- shared_kept: The address of a shared variable is kept for the next kernel.
// EXPECT: shared table[0], byte 0 of 128; it is kernel fill's, and this address has been kept: shared memory ends with its block
__device__ int *kept;
__global__ void fill(void) {
    __shared__ int table[32];
    table[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        kept = table;
}
__global__ void use(int *out) {
    out[threadIdx.x] = kept[threadIdx.x]; // ERROR read of memory never written
}
PROGRAM(shared_kept, ANY_RESULT) {
    ARRAY(int, d_out, 32);
    fill<<<1, 32>>>();
    use<<<1, 32>>>(d_out);
}

// ---- shared_not_written: A counter in shared memory that was never set to zero.
// EXPECT: read of memory never written: atomic of 4 bytes at shared_not_written.cu
// EXPECT: byte 0 of shared count, 4 bytes; no thread of the block has written it
__global__ void count_odd(const int *in, int *out) {
    __shared__ int count;
    if (in[threadIdx.x] % 2)
        atomicAdd(&count, 1); // ERROR read of memory never written
    __syncthreads();
    if (threadIdx.x == 0)
        *out = count;
}
PROGRAM(shared_not_written) {
    static int h_in[64];
    for (int i = 0; i < 64; i++)
        h_in[i] = i;
    COPY_OF(int, d_in, h_in);
    ARRAY(int, d_out, 1);
    count_odd<<<1, 64>>>(d_in, d_out);
}

// ---- shared_not_written_reversed: A block turns its numbers round in shared memory, where only
// half of them have been put. Thread 0 is the first that reads what is not there: the last one.
// EXPECT: block (0,0,0), thread (0,0,0): shared turned[63], byte 252 of 256; no thread of the block
__global__ void turn_round(const int *in, int *out) {
    __shared__ int turned[64];
    if (threadIdx.x < 32)
        turned[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = turned[63 - threadIdx.x]; // ERROR read of memory never written
}
PROGRAM(shared_not_written_reversed) {
    static int h_in[64];
    COPY_OF(int, d_in, h_in);
    ARRAY(int, d_out, 64);
    turn_round<<<1, 64>>>(d_in, d_out);
}

// ---- texture_not_written: A texture that was never filled.
// EXPECT: kernel sample, launch 0, block (0,0,0), thread (0,0,0): byte 0 of array, 2048 bytes, allocated at texture_not_written.cu:10; no copy, memset or kernel has written it
__global__ void sample(cudaTextureObject_t image, float *out) {
    out[threadIdx.x] =
        tex2D<float>(image, threadIdx.x + 0.5f, 0.5f); // ERROR read of memory never written
}
PROGRAM(texture_not_written, ANY_RESULT) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 32, 4);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &texture, 0);
    ARRAY(float, d_out, 32);
    sample<<<1, 32>>>(image, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
    exit_code = e != cudaSuccess;
}

// ---- constant_not_set: Two constants: one is never set, the other one again in a second stream
// while the first one's kernel may still read it.
// EXPECT: byte 0 of scale, 4 bytes, declared at constant_not_set.cu:5; no copy, memset or kernel has written it
// EXPECT: weights_twice, 16 bytes, declared at constant_not_set.cu:6; in two streams, and nothing orders them
__constant__ float scale;
__constant__ float weights_twice[4];
__global__ void weigh_scaled(float *a) {
    float w = weights_twice[threadIdx.x % 4]; // ERROR data race
    a[threadIdx.x] = w * scale;               // ERROR read of memory never written
}
PROGRAM(constant_not_set, ANY_RESULT) {
    const float first[4] = {1, 2, 3, 4};
    STREAM(one);
    STREAM(two);
    ARRAY(float, d_a, 32);
    PINNED(float, h_second, 4);
    for (int i = 0; i < 4; i++)
        h_second[i] = 5;
    cudaMemcpyToSymbol(weights_twice, first, sizeof first);
    weigh_scaled<<<1, 32, 0, one>>>(d_a);
    const cudaMemcpyKind kind = cudaMemcpyHostToDevice;
    cudaMemcpyToSymbolAsync(weights_twice, h_second, 16, 0, kind, two); // ERROR data race
}

// ---- copy_not_written: The grid is rounded down: the last elements belong to no thread; the
// host fetches them all, and may not look at those. Of what it fetches from another array nothing
// has been written.
// EXPECT: read of memory never written: cudaMemcpy at copy_not_written.cu:17: 928 of the bytes that it reads, first d_a[768], byte 3072 of 4000, allocated at copy_not_written.cu:14; no copy, memset or kernel has written them
// EXPECT: 4 of the bytes that it reads, first d_a[999], byte 3996 of 4000
__global__ void fill_range(int *a, int from, int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to)
        a[i] = i;
}
PROGRAM(copy_not_written, ANY_RESULT) {
    int *d_a;
    static int h_a[1000];
    cudaMalloc(&d_a, sizeof h_a);
    const int n = 1000, block = 256;
    fill_range<<<n / block, block>>>(d_a, 0, n);
    cudaMemcpy(h_a, d_a, 4000, cudaMemcpyDeviceToHost);      // NOTE read of memory never written
    fill_range<<<1, block>>>(d_a, n / block * block, n - 1); // all but the last one
    cudaMemcpyAsync(h_a, d_a, 4000, cudaMemcpyDefault);      // NOTE read of memory never written
    cudaFree(d_a);
    cudaMalloc(&d_a, sizeof h_a);
    cudaMemcpy(h_a, d_a, 4000, cudaMemcpyDefault); // ERROR read of memory never written
    cudaFree(d_a);
}

// ---- heap_freed: An object that one kernel has deleted, and the next one uses; another that was
// never filled in.
// EXPECT: byte 4 of 12 from malloc(), which have been freed
struct part {
    int number, count, price;
};
__global__ void make(struct part **parts) {
    struct part *p = new part;
    p->number = p->count = threadIdx.x;
    parts[threadIdx.x] = p;
}
__global__ void value(struct part **parts, int *out) {
    struct part *p = parts[threadIdx.x];
    out[threadIdx.x] = p->count * p->price; // ERROR read of memory never written
    delete p;
}
__global__ void sold(struct part **parts) { parts[threadIdx.x]->count = 0; } // ERROR use after free
PROGRAM(heap_freed, ANY_RESULT) {
    ARRAY(struct part *, d_parts, 32);
    ARRAY(int, d_out, 32);
    make<<<1, 32>>>(d_parts);
    value<<<1, 32>>>(d_parts, d_out);
    sold<<<1, 32>>>(d_parts);
}
