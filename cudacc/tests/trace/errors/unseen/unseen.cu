// What the tracer does not see
// SPDX-License-Identifier: MIT
#include "../program.h"

// ---- fence_of_reader: A block that has waited for another one's flag reads its data without a
// fence.
// UNSEEN: Only the writer's fence is asked for; where data are volatile, no other is needed.
__global__ void hand_on(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        *out = *data;
    }
}
PROGRAM(fence_of_reader) {
    ZEROES(int, d_data, 1);
    ZEROES(int, d_flag, 1);
    ARRAY(int, d_out, 1);
    hand_on<<<2, 1>>>(d_data, d_flag, d_out);
}

// ---- function_of_host: The host takes the address of a __host__ __device__ function, and a
// kernel calls it.
// UNSEEN: Here a function has one address; on a GPU the host has another one than kernels.
typedef float (*operation)(float);
__host__ __device__ float twice(float x) { return 2 * x; }
__global__ void apply(float *a, operation f) { a[threadIdx.x] = f(a[threadIdx.x]); }
PROGRAM(function_of_host) {
    ZEROES(float, d_a, 32);
    apply<<<1, 32>>>(d_a, twice);
}

// ---- leak_reset: What is not freed when the device is reset
// UNSEEN: `cudaDeviceReset` frees all, and a program may rely on that.
PROGRAM(leak_reset) {
    float *d_a;
    cudaMalloc(&d_a, 1000);
    exit_code = cudaDeviceReset() != cudaSuccess;
}

// ---- local_ended: The address of a local variable outlives its kernel: the next one reads
// through it.
// UNSEEN: It lies in the stack of the thread; which variables there are alive is not known.
__global__ void keep(int **place) {
    int mine = 5, *volatile here = &mine; // so that no compiler warns
    *place = here;
}
__global__ void take(int *const *place, int *out) { *out = **place; }
PROGRAM(local_ended) {
    ARRAY(int *, d_place, 1);
    ARRAY(int, d_out, 1);
    keep<<<1, 1>>>(d_place);
    take<<<1, 1>>>(d_place, d_out);
}

// ---- local_misaligned: A float4 out of a thread's own array, from its second float on.
// UNSEEN: nvcc may keep a local array in registers, where nothing has an address.
__global__ void take_four(float *out, int first) {
    float mine[12];
    for (int i = 0; i < 12; i++)
        mine[i] = i;
    float4 v = *(float4 *)(mine + first);
    out[threadIdx.x] = v.x + v.w;
}
PROGRAM(local_misaligned) {
    ARRAY(float, d_out, 32);
    take_four<<<1, 32>>>(d_out, 1);
}

// ---- one_line: Half a block comes to another barrier, half a warp to no shuffle, in one line.
// UNSEEN: A compiler may double or move a call: two places of one line are taken for one.
__global__ void half_comes(int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    i < 32 ? (tile[i] = i, __syncthreads()) : (__syncthreads(), void(out[i] = tile[i - 32]));
}
__global__ void half_shuffles(int *out) {
    int i = threadIdx.x;
    out[i] = i % 32 < 16 ? __shfl_xor_sync(0xffffffff, i, 1) : 0;
}
PROGRAM(one_line) {
    ARRAY(int, d_out, 64);
    half_comes<<<1, 64>>>(d_out);
    half_shuffles<<<1, 64>>>(d_out);
}

// ---- other_allocation: An index so wrong that it lands in another allocation.
// UNSEEN: The bytes belong to an allocation; which one was meant, the tracer cannot know.
__global__ void copy(int *out, const int *in, long wrong) {
    out[threadIdx.x] = in[threadIdx.x + wrong];
}
PROGRAM(other_allocation) {
    ZEROES(int, d_a, 32);
    ZEROES(int, d_b, 32);
    ARRAY(int, d_out, 32);
    copy<<<1, 32>>>(d_out, d_a, d_b - d_a);
}

// ---- other_field: Past the end of an array in a struct, but not of the struct.
// UNSEEN: An allocation is watched as a whole.
struct pair {
    int a[8], b[8];
};
__global__ void fill(struct pair *p, int first) { p->a[threadIdx.x + first] = 1; }
PROGRAM(other_field) {
    ARRAY(struct pair, d_p, 1);
    fill<<<1, 8>>>(d_p, 8);
}

// ---- shuffle_left: A lane reads from its neighbor, which has left the loop and returned
// UNSEEN: What a lane does with a value that no lane gives is not followed; sums leave many unused.
__global__ void add_neighbors(int *out, int n) {
    int sum = threadIdx.x;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += __shfl_xor_sync(~0u, sum, 1);
    out[threadIdx.x] = sum;
}
PROGRAM(shuffle_left) {
    ARRAY(int, d_out, 32);
    add_neighbors<<<1, 32>>>(d_out, 49);
}

// ---- virtual_of_host: An object with virtual functions is made on the host and copied: its
// table is the host's.
// UNSEEN: Here both have one table; on a GPU the kernel would jump to an address of the host.
struct shape {
    __host__ __device__ virtual float area() const { return 0; }
};
struct square : shape {
    float side = 2;
    __host__ __device__ float area() const override { return side * side; }
};
__global__ void measure(const shape *s, float *out) { *out = s->area(); }
PROGRAM(virtual_of_host) {
    square s, *d_s;
    cudaMalloc(&d_s, sizeof s);
    ARRAY(float, d_out, 1);
    cudaMemcpy((void *)d_s, (void *)&s, sizeof s, cudaMemcpyHostToDevice);
    measure<<<1, 1>>>(d_s, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_s);
}

// ---- volatile_too_early: A flag says that data are there, and is set before them; both are
// volatile.
// UNSEEN: Volatile accesses are no race; which of two values one reads is not looked at.
__global__ void hand_on_early(volatile int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *flag = 1;
        __threadfence();
        *data = 42;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *data;
    }
}
PROGRAM(volatile_too_early) {
    ZEROES(int, d_data, 1);
    ZEROES(int, d_flag, 1);
    ARRAY(int, d_out, 1);
    hand_on_early<<<2, 1>>>(d_data, d_flag, d_out);
}
