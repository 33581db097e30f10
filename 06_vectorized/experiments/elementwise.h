// SPDX-License-Identifier: MIT
// What the programs of this chapter share: the article's two kernels and its inputs, launches of
// any block size, and rows that carry registers and bytes in flight.
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "../../common/arrays.h"
#include "../../common/measure.h"

// ---- Reference ---------------------------------------------------------------------------------
static inline void add_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

static inline void saxpy_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
// One float for each thread: 4 bytes for each access.
static __global__ void add_float(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

static __device__ __forceinline__ float4 sum4(float4 p, float4 q) {
    return make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
}

// The n % 4 elements that no float4 has: one for each of the first threads of the grid.
static __device__ __forceinline__ void add_rest(float *out, const float *a, const float *b,
                                                size_t n, size_t i) {
    if (i < n % 4)
        out[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];
}

// Four floats for each thread, 16 bytes for each access. The pointers must be multiples of 16, n
// may be any.
static __global__ void add_float4(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        ((float4 *)out)[i] = sum4(((const float4 *)a)[i], ((const float4 *)b)[i]);
    add_rest(out, a, b, n, i);
}

// `count` floats for each thread, a block apart, so that a warp's accesses are as in add_float. All
// loads come first: none waits for another. count <= 8 is known when this is compiled, the loops
// are unrolled and p and q are registers.
static __device__ __forceinline__ void add_unrolled(float *out, const float *a, const float *b,
                                                    size_t n, unsigned count) {
    size_t first = (size_t)blockIdx.x * blockDim.x * count + threadIdx.x, step = blockDim.x;
    float p[8], q[8];
    if (first + (count - 1) * step < n) {
        for (unsigned k = 0; k < count; k++) {
            p[k] = a[first + k * step];
            q[k] = b[first + k * step];
        }
        for (unsigned k = 0; k < count; k++)
            out[first + k * step] = p[k] + q[k];
    } else {
        for (size_t i = first; i < n; i += step)
            out[i] = a[i] + b[i];
    }
}

static __global__ void add_unrolled4(float *out, const float *a, const float *b, size_t n) {
    add_unrolled(out, a, b, n, 4);
}

// ---- Launch ------------------------------------------------------------------------------------
// How a variant is launched. Its bytes in flight: what a thread asks for before it waits.
struct shape {
    void (*kernel)(float *out, const float *a, const float *b, size_t n);
    unsigned per_thread;      // elements
    unsigned shrink;          // the block has this many times fewer threads
    unsigned bytes_in_flight; // for each thread
    int resident; // the grid is so many blocks for each multiprocessor, if they fit; 0: it covers n
};

// Set before a launch: a variant's launch function has no parameter for them.
static unsigned block_size = 256;
static size_t shared_bytes = 0; // unused by the kernels: it limits how many blocks fit

// Blocks of `shape` that are on a multiprocessor at a time.
static inline int blocks_at_a_time(const struct shape *shape) {
    int blocks = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, shape->kernel, (int)(block_size / shape->shrink), shared_bytes));
    return shape->resident && shape->resident < blocks ? shape->resident : blocks;
}

// Blocks for n elements.
static inline unsigned grid_size(const struct shape *shape, size_t n) {
    size_t in_a_block = (size_t)(block_size / shape->shrink) * shape->per_thread;
    size_t blocks = (n + in_a_block - 1) / in_a_block;
    if (shape->resident) {
        int device, multiprocessors;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        size_t fit = (size_t)(multiprocessors * blocks_at_a_time(shape));
        blocks = blocks < fit ? blocks : fit;
    }
    return (unsigned)blocks;
}

// Defines launch_NAME for a table of variants. (The kernel by name: so the CPU device inlines it.)
#define LAUNCH(name, kernel, shape)                                                                \
    static void launch_##name(float *out, const float *a, const float *b, size_t n) {              \
        unsigned grid = grid_size(shape, n), block = block_size / (shape)->shrink;                 \
        if (n > 0)                                                                                 \
            kernel<<<grid, block, shared_bytes>>>(out, a, b, n);                                   \
        CUDA_CHECK(cudaGetLastError());                                                            \
    }

// ---- Data --------------------------------------------------------------------------------------
// The article's inputs, a[i] = i / 666 and b[i] = i % 666, and for each kind of result what it must
// be: every sum is a whole number below 2^24, so exact.
struct data {
    size_t n;
    float *d_out, *d_a, *d_b, *d_sum, *d_saxpy; // between guards
};

static inline struct data data_create(size_t n) {
    const size_t piece = n < (size_t)1 << 20 ? n : (size_t)1 << 20;
    size_t bytes = n * sizeof(float);
    int quotient = 0, rest = 0; // of i / 666
    struct data data;
    float **arrays[] = {&data.d_out, &data.d_a, &data.d_b, &data.d_sum, &data.d_saxpy};
    float *h_a, *h_b, *h_expected; // pinned: gigabytes go through them
    CUDA_CHECK(cudaMallocHost((void **)&h_a, piece * sizeof(float)));
    CUDA_CHECK(cudaMallocHost((void **)&h_b, piece * sizeof(float)));
    CUDA_CHECK(cudaMallocHost((void **)&h_expected, piece * sizeof(float)));
    data.n = n;
    for (int i = 0; i < 5; i++)
        *arrays[i] = (float *)guarded_malloc(bytes);
    for (size_t first = 0; first < n; first += piece) {
        size_t count = n - first < piece ? n - first : piece;
        bytes = count * sizeof(float);
        for (size_t i = 0; i < count; i++) { // counted: a division for each takes twice as long
            h_a[i] = (float)quotient;
            h_b[i] = (float)rest;
            if (++rest == 666)
                quotient++, rest = 0;
        }
        CUDA_CHECK(cudaMemcpy(data.d_a + first, h_a, bytes, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(data.d_b + first, h_b, bytes, cudaMemcpyHostToDevice));
        add_reference(h_expected, h_a, h_b, count);
        CUDA_CHECK(cudaMemcpy(data.d_sum + first, h_expected, bytes, cudaMemcpyHostToDevice));
        saxpy_reference(h_b, h_a, NULL, count);
        CUDA_CHECK(cudaMemcpy(data.d_saxpy + first, h_b, bytes, cudaMemcpyHostToDevice));
    }
    CUDA_CHECK(cudaFreeHost(h_a));
    CUDA_CHECK(cudaFreeHost(h_b));
    CUDA_CHECK(cudaFreeHost(h_expected));
    return data;
}

static inline void data_free(struct data *data) {
    guarded_free(data->d_out);
    guarded_free(data->d_a);
    guarded_free(data->d_b);
    guarded_free(data->d_sum);
    guarded_free(data->d_saxpy);
}

// ---- Rows --------------------------------------------------------------------------------------
// A row to be: a variant in a block size, on data. `shape` may be NULL: no registers, no bytes.
struct work {
    const struct variant *variant;
    const struct shape *shape;
    const struct data *data;
    unsigned block;
    size_t shared; // dynamic shared memory, bytes
    size_t skip;   // elements at the start of each array that are left out
    char parameter[32];
    struct row row;
};

static inline void launch_work(void *context) {
    const struct work *work = (const struct work *)context;
    block_size = work->block;
    shared_bytes = work->shared;
    const struct data *data = work->data;
    size_t skip = work->skip;
    work->variant->launch(data->d_out + skip, data->d_a + skip, data->d_b + skip, data->n - skip);
}

// Resets out, launches once, compares every element, on the device: 1 if right and no guard
// touched.
static inline int work_is_right(struct work *work) {
    const struct data *data = work->data;
    const char *name = work->variant->name;
    const float *d_expected = work->variant->in_place ? data->d_saxpy : data->d_sum;
    size_t bytes = data->n * sizeof(float), wrong;
    if (work->variant->in_place)
        CUDA_CHECK(cudaMemcpy(data->d_out, data->d_b, bytes, cudaMemcpyDeviceToDevice));
    else
        poison(data->d_out, bytes);
    launch_work(work);
    size_t skip = work->skip, n = data->n - skip;
    wrong = check_on_device(data->d_out + skip, d_expected + skip, n, sizeof(float), name);
    return !(wrong + count_guard_damage(data->d_out, bytes, name) +
             count_guard_damage(data->d_a, bytes, name) +
             count_guard_damage(data->d_b, bytes, name));
}

// On a GPU: the kernel's registers for each thread, and how many KiB its threads on a
// multiprocessor ask for before they wait. The CPU device has neither.
static inline void describe_work(const struct run *run, struct work *work) {
    struct cudaFuncAttributes attributes;
    const struct shape *shape = work->shape;
    if (run->on_cpu || !shape)
        return;
    block_size = work->block;
    shared_bytes = work->shared;
    size_t threads = (size_t)blocks_at_a_time(shape) * (block_size / shape->shrink);
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)shape->kernel));
    snprintf(work->parameter, sizeof work->parameter, "%d regs, KiB/SM", attributes.numRegs);
    work->row.parameter = work->parameter;
    work->row.value = (double)(threads * shape->bytes_in_flight) / 1024;
}

// Verifies and measures `count` works (hot), which take turns, and fills in their rows. The caller
// prints them and then calls measure_free(tasks, count).
static inline void measure_works(const struct run *run, struct work *works, struct task *tasks,
                                 size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct task task = {launch_work, &works[i], NULL, 0, 0};
        struct work *work = &works[i];
        struct row *row = &work->row;
        tasks[i] = task;
        *row = run_row(run, work->variant->name);
        row->dtype = "float";
        row->n = work->data->n - work->skip;
        row->block = work->block / (work->shape ? work->shape->shrink : 1);
        row->bytes = row->n * work->variant->bytes;
        row->flops = row->n * work->variant->flops;
        describe_work(run, work);
        row->check = work_is_right(work) ? "ok" : "FAIL";
    }
    if (run->quick)
        return;
    measure(run, tasks, count, MEASURE_HOT);
    for (size_t i = 0; i < count; i++) {
        struct row *row = &works[i].row;
        size_t touched = works[i].variant->in_place ? 8 : 12;
        row_measured(row, run, &tasks[i], row->n * touched);
        if (!work_is_right(&works[i]))
            row->check = "FAIL";
    }
}

// Prints the rows, each with a bar: the longest is the peak, or the fastest where that is unknown.
static inline void print_works(struct run *run, struct work *works, size_t count) {
    char formula[128];
    double scale = peak_gb_per_s((int)run->device_number, formula, sizeof formula);
    for (size_t i = 0; i < count && !run->quick; i++)
        scale = fmax(scale, works[i].row.gb_per_s);
    for (size_t i = 0; i < count; i++) {
        works[i].row.bar = works[i].row.gb_per_s / scale;
        run_print(run, &works[i].row);
    }
}

#endif
