// Accesses before, past and far from an array
// SPDX-License-Identifier: MIT
#include "program.h"
#include <stdlib.h>

// ---- before_start: The left neighbor of the first element.
// EXPECT: out of bounds: load of 4 bytes at before_start.cu
// EXPECT: kernel difference, launch 0, block (0,0,0), thread (0,0,0): 4 bytes before d_in, 1024 bytes
__global__ void difference(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] - in[i - 1]; // ERROR out of bounds
}
PROGRAM(before_start, cudaErrorIllegalAddress) {
    ZEROES(int, d_in, 256);
    ARRAY(int, d_out, 256);
    difference<<<2, 128>>>(d_in, d_out);
}

// ---- between: Between two allocations: nearer to the end of the first.
// EXPECT: block (0,0,0), thread (0,0,0): 64 bytes past the end of d_a, 512 bytes
__global__ void add(const float *a, const float *b, float *c) {
    int i = threadIdx.x;
    c[i] = a[i + 144] + b[i]; // ERROR out of bounds
}
PROGRAM(between, cudaErrorIllegalAddress) {
    ZEROES(float, d_a, 128);
    ZEROES(float, d_b, 128);
    ARRAY(float, d_c, 128);
    add<<<1, 128>>>(d_a, d_b, d_c);
}

// ---- far_away: A row index that was meant for a larger matrix: far outside of everything.
// EXPECT: out of bounds: store of 8 bytes at far_away.cu
// EXPECT: block (1,0,0), thread (0,0,0): device memory that was never allocated; no array is near; perhaps an index has overflowed, or the pointer is wrong; it would be d_a[100000000]
__global__ void clear(double *a, long pitch) {
    a[blockIdx.x * pitch + threadIdx.x] = 0; // ERROR out of bounds
}
PROGRAM(far_away, cudaErrorIllegalAddress) {
    ARRAY(double, d_a, 64);
    clear<<<4, 64>>>(d_a, 100000000);
}

// ---- index_overflow: An index that does not fit into an int, and has become negative.
// EXPECT: out of bounds: store of 1 byte at index_overflow.cu
// EXPECT: kernel mark, launch 0, block (1,0,0), thread (0,0,0): not memory of the device; no array is near; perhaps an index has overflowed, or the pointer is wrong; it would be d_rows[-1894967296]
__global__ void mark(char *rows, unsigned pitch) {
    int byte = (int)(blockIdx.x * 60000u * pitch); // as 60000 * 40000 would be without the casts
    rows[byte] = 1;                                // ERROR out of bounds
}
PROGRAM(index_overflow, cudaErrorIllegalAddress) {
    ARRAY(char, d_rows, 1 << 20);
    mark<<<2, 1>>>(d_rows, 40000);
}

// ---- unsigned_below: The left neighbor of the first pair, by an unsigned index: it is 2^32
// pairs off, not one.
// EXPECT: out of bounds: load of 4 bytes at unsigned_below.cu
// EXPECT: kernel difference_of_pairs, launch 0, block (0,0,0), thread (0,0,0): d_in[-1], where an unsigned index is 4294967295; d_in has 2048 bytes
__global__ void difference_of_pairs(const float2 *in, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].y - in[i - 1].y; // ERROR out of bounds
}
PROGRAM(unsigned_below, cudaErrorIllegalAddress) {
    ZEROES(float2, d_in, 256);
    ARRAY(float, d_out, 256);
    ARRAY(char, d_after, 1 << 20); // which is nearer to the address than d_in
    (void)d_after;
    difference_of_pairs<<<2, 128>>>(d_in, d_out);
}

// ---- null_pointer: The pointer was never set.
// EXPECT: out of bounds: store of 4 bytes at null_pointer.cu
// EXPECT: kernel set, launch 0, block (0,0,0), thread (0,0,0): a null pointer, as was given for out
__global__ void set(int *out) {
    *out = 1; // ERROR out of bounds
}
PROGRAM(null_pointer, cudaErrorIllegalAddress) { set<<<1, 1>>>(NULL); }

// ---- past_end_by_value: No bound at all; the struct goes by value to a function that is called,
// and comes back so.
// EXPECT: kernel step_all, launch 0, block (3,0,0), thread (232,0,0) and 8 more of its warp: just past the end of in, 16000 bytes
struct particle {
    float x, y, z, m;
};
__device__ __noinline__ particle step(particle p, float dt) {
    p.x += dt * p.m, p.y += dt * p.m, p.z += dt * p.m;
    return p;
}
__global__ void step_all(particle *out, const particle *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = step(in[i], 0.5f); // ERROR out of bounds
}
PROGRAM(past_end_by_value, cudaErrorIllegalAddress) {
    const int n = 1000;
    ZEROES(particle, in, n);
    ARRAY(particle, out, n);
    step_all<<<4, 256>>>(out, in);
}

// ---- past_end_byte: One byte past the end.
// EXPECT: out of bounds: store of 1 byte at past_end_byte.cu
// EXPECT: kernel terminate, launch 0, block (0,0,0), thread (0,0,0): just past the end of d_text, 13 bytes
__global__ void terminate(char *text, int length) {
    text[length] = 0; // ERROR out of bounds
}
PROGRAM(past_end_byte, cudaErrorIllegalAddress) {
    ARRAY(char, d_text, 13);
    cudaMemcpy(d_text, "thirteen byte", 13, cudaMemcpyHostToDevice);
    terminate<<<1, 1>>>(d_text, 13);
}

// ---- past_end_managed: Past the end of managed memory, by an atomic.
// EXPECT: out of bounds: atomic of 4 bytes at past_end_managed.cu
// EXPECT: kernel count, launch 0, block (0,0,0), thread (10,0,0): just past the end of bins, 40 bytes
__global__ void count(unsigned *bins) {
    atomicAdd(&bins[threadIdx.x % 11], 1); // ERROR out of bounds
}
PROGRAM(past_end_managed, cudaErrorIllegalAddress) {
    MANAGED(unsigned, bins, 10);
    count<<<1, 11>>>(bins);
}

// ---- past_end_pinned: Past the end of pinned host memory.
// EXPECT: out of bounds: store of 4 bytes at past_end_pinned.cu
// EXPECT: kernel fill, launch 0, block (0,0,0), thread (100,0,0): just past the end of h_out, 400 bytes
__global__ void fill(int *out) {
    out[threadIdx.x] = (int)threadIdx.x; // ERROR out of bounds
}
PROGRAM(past_end_pinned, cudaErrorIllegalAddress) {
    PINNED(int, h_out, 100);
    fill<<<1, 101>>>(h_out);
}

// ---- past_end_rows: A block of two dimensions in a grid of two: rows and columns are mixed up.
// In a function that the kernel calls.
// EXPECT: out of bounds: store of 4 bytes at past_end_rows.cu
// EXPECT: kernel fill_rows, launch 0, block (2,0,0), thread (1,0,0) and 1 more of its warp: just past the end of d_a, 6600 bytes
__device__ __noinline__ void put(float *a, int width, int row, int column) {
    a[column * width + row] = 0; // ERROR out of bounds
}
__global__ void fill_rows(float *a, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        put(a, width, y, x);
}
PROGRAM(past_end_rows, cudaErrorIllegalAddress) {
    int width = 50, height = 33;
    ARRAY(float, d_a, 50 * 33);
    dim3 block(16, 4), grid(4, 9);
    fill_rows<<<grid, block>>>(d_a, width, height);
}

// ---- past_end_struct: An access that begins inside and ends outside: the last float4 of an
// array whose length is not a multiple of 4.
// EXPECT: ; the access ends 8 bytes past that
// EXPECT: kernel sum, launch 0, block (0,0,0), thread (25,0,0) and 6 more of its warp: d_in[100], byte 400 of 408
__global__ void sum(const float4 *in, float *out) {
    float4 v = in[threadIdx.x]; // ERROR out of bounds
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
PROGRAM(past_end_struct, cudaErrorIllegalAddress) {
    ZEROES(float, d_in, 102);
    ARRAY(float, d_out, 32);
    sum<<<1, 32>>>((const float4 *)d_in, d_out);
}

// ---- heap_past_end: A thread's own list in memory from malloc(), with room for one element too
// few.
// EXPECT: just past the end of 20 bytes from malloc()
__global__ void squares(int *out, int n) {
    int *list = (int *)malloc(n * sizeof *list);
    for (int i = 0; i <= n; i++)
        list[i] = i * i; // ERROR out of bounds
    out[threadIdx.x] = list[n];
    free(list);
}
PROGRAM(heap_past_end, ANY_RESULT) {
    ARRAY(int, d_out, 64);
    squares<<<1, 64>>>(d_out, 5);
}

// ---- heap_full: A kernel's malloc() asks for more than its heap holds, and what it gives is
// used all the same
// EXPECT: out of bounds: store of 4 bytes at heap_full.cu:7
// EXPECT: a null pointer
__global__ void fill_heap(int n) {
    int *p = (int *)malloc(n * sizeof *p);
    p[0] = n; // ERROR out of bounds
    free(p);
}
PROGRAM(heap_full, cudaErrorIllegalAddress) {
    fill_heap<<<1, 1>>>(1 << 20);
    cudaDeviceSynchronize();
    // A kernel has used the heap: too late.
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20); // ERROR failed call
    fill_heap<<<1, 1>>>(3 << 20);
    cudaDeviceSynchronize();
    fill_heap<<<1, 2>>>(5 << 20);
}

// ---- local_of_another: A thread keeps the address of a local variable in shared memory, for the
// others
// EXPECT: out of bounds: load of 4 bytes at local_of_another.cu:12
// EXPECT: thread (1,0,0): a local variable of another thread: each thread has its own alone
__global__ void share(int *a) {
    __shared__ int *shared;
    int local[2];
    local[threadIdx.x & 1] = a[threadIdx.x];
    if (threadIdx.x == 0)
        shared = local;
    __syncthreads();
    a[threadIdx.x] = *shared; // ERROR out of bounds
    __syncthreads();
}
PROGRAM(local_of_another, cudaErrorIllegalAddress) {
    ZEROES(int, d_a, 64);
    share<<<1, 64>>>(d_a);
}

// ---- shared_dynamic: The launch gives too little shared memory: elements where bytes were
// meant.
// EXPECT: out of bounds: store of 4 bytes at shared_dynamic.cu
// EXPECT: kernel reverse, launch 0, block (0,0,0), thread (16,0,0) and 15 more of its warp: just past the end of shared tile, 64 bytes
__global__ void reverse(int *a) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = a[threadIdx.x]; // ERROR out of bounds
    __syncthreads();
    a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
PROGRAM(shared_dynamic, cudaErrorIllegalAddress) {
    ZEROES(int, d_a, 64);
    reverse<<<1, 64, 64>>>(d_a);
}

// ---- shared_past_end: A tile of 32 floats, read one element too far: that would be whatever
// follows it.
// EXPECT: out of bounds: load of 4 bytes at shared_past_end.cu
// EXPECT: kernel shift, launch 0, block (0,0,0), thread (31,0,0): just past the end of shared tile, 128 bytes
__global__ void shift(const float *in, float *out) {
    __shared__ float tile[32];
    __shared__ float other[32];
    tile[threadIdx.x] = in[threadIdx.x];
    other[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1] + other[threadIdx.x]; // ERROR out of bounds
}
PROGRAM(shared_past_end, cudaErrorIllegalAddress) {
    ZEROES(float, d_in, 32);
    ARRAY(float, d_out, 32);
    shift<<<1, 32>>>(d_in, d_out);
}

// ---- shared_past_end_block: A block of four times as many threads as the template's array of
// shared memory has elements.
// EXPECT: out of bounds: store of 4 bytes at shared_past_end_block.cu
// EXPECT: kernel sum_of_block, launch 0, block (0,0,0), thread (128,0,0) and 31 more of its warp: just past the end of shared part, 512 bytes
template <int Threads> __global__ void sum_of_block(const float *in, float *out) {
    __shared__ float part[Threads];
    part[threadIdx.x] = in[threadIdx.x]; // ERROR out of bounds
    __syncthreads();
    for (unsigned n = Threads / 2; n > 0; n /= 2) {
        if (threadIdx.x < n)
            part[threadIdx.x] += part[threadIdx.x + n];
        __syncthreads();
    }
    *out = part[0];
}
PROGRAM(shared_past_end_block, cudaErrorIllegalAddress) {
    ZEROES(float, d_in, 512);
    ARRAY(float, d_out, 1);
    sum_of_block<128><<<1, 512>>>(d_in, d_out);
}

// ---- misaligned: A float4 must lie at a multiple of 16 bytes: here the array is read from its
// second float on.
// EXPECT: misaligned access: load of 16 bytes at misaligned.cu
// EXPECT: thread (0,0,0): the address must be a multiple of 16; it is d_in[1], byte 4 of 256
__global__ void copy(const float *in, float4 *out) {
    const float4 *in4 = (const float4 *)(in + 1);
    out[threadIdx.x] = in4[threadIdx.x]; // ERROR misaligned access
}
PROGRAM(misaligned, cudaErrorMisalignedAddress) {
    ZEROES(float, d_in, 64);
    ARRAY(float4, d_out, 15);
    copy<<<1, 15>>>(d_in, d_out);
}

// ---- misaligned_record: Packed records of 5 bytes: the integers in them are not aligned.
// EXPECT: misaligned access: store of 4 bytes at misaligned_record.cu
// EXPECT: block (0,0,0), thread (0,0,0)
__global__ void write_records(char *out) {
    char *record = out + 5 * threadIdx.x;
    record[0] = 1;
    *(int *)(record + 1) = (int)threadIdx.x; // ERROR misaligned access
}
PROGRAM(misaligned_record, cudaErrorMisalignedAddress) {
    ARRAY(char, d_out, 320);
    write_records<<<1, 32>>>(d_out);
}

// ---- misaligned_shared: Shared memory is no exception: a float4 from its second float on.
// EXPECT: misaligned access: load of 16 bytes at misaligned_shared.cu
// EXPECT: it is shared tile[1], byte 4 of 256
__global__ void sum_of_fours(const float *in, float *out) {
    __shared__ __align__(16) float tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 8) {
        float4 v = *(const float4 *)&tile[4 * threadIdx.x + 1]; // ERROR misaligned access
        out[threadIdx.x] = v.x + v.y + v.z + v.w;
    }
}
PROGRAM(misaligned_shared, cudaErrorMisalignedAddress) {
    ZEROES(float, d_in, 64);
    ARRAY(float, d_out, 8);
    sum_of_fours<<<1, 64>>>(d_in, d_out);
}

// ---- surface_bytes: The x of a surface counts bytes, not elements.
// EXPECT: the address must be a multiple of 4; it is byte 1 of image, 2048 bytes, allocated at surface_bytes.cu:9; the x of a surface counts bytes
__global__ void ramp(cudaSurfaceObject_t surface) {
    surf2Dwrite((float)threadIdx.x, surface, threadIdx.x, 0); // ERROR misaligned access
}
PROGRAM(surface_bytes, ANY_RESULT) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t image;
    cudaMallocArray(&image, &format, 32, 4, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    ramp<<<1, 32>>>(surface);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(image);
}

// ---- declared_there: One line declares an array, one with a constructor, and goes past the first.
// EXPECT: kernel sums_by_macro, launch 0, block (0,0,0), thread (64,0,0) and 31 more of its warp: just past the end of shared block_sum, 256 bytes
#define BLOCK_SUM(value, sum)                                                                      \
    __shared__ struct constructed all[128];                                                        \
    __shared__ int block_sum[64];                                                                  \
    all[threadIdx.x].number = block_sum[threadIdx.x] = value;                                      \
    __syncthreads();                                                                               \
    sum = block_sum[63 - threadIdx.x % 64] + all[threadIdx.x].number
struct constructed {
    int number;
    __device__ constructed() {}
};
__global__ void sums_by_macro(int *out) {
    BLOCK_SUM(1, out[threadIdx.x]); // ERROR out of bounds
}
PROGRAM(declared_there, cudaErrorIllegalAddress) {
    ARRAY(int, d_out, 128);
    sums_by_macro<<<1, 128>>>(d_out);
}
