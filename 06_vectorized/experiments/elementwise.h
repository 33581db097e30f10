// SPDX-License-Identifier: MIT
// What the programs of this chapter share: kernels that add, their launch, and rows that carry
// registers and bytes in flight. In this chapter a variant's parameter is the dynamic shared memory
// of a block: kernels that do not use it fit a multiprocessor less often.
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "../../common/experiment/measure.h"

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

// ---- Launches ----------------------------------------------------------------------------------
// A grid that covers n, each thread having so many elements.
template <void (*kernel)(float *, const float *, const float *, size_t), unsigned each>
static void launch(const struct arrays *x, unsigned block, size_t shared) {
    kernel<<<blocks(x->n, each * block), block, shared, run.stream>>>(x->d_out, x->d_a, x->d_b,
                                                                      x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rows --------------------------------------------------------------------------------------
// A kernel, and how many bytes of both arrays each of its threads requests before it waits. A grid
// has at most `resident` blocks for each multiprocessor; 0: as many as cover n. A load has `width`
// bytes, those of neighboring lanes begin `apart` bytes from each other: in so many sectors of 32
// bytes do the 32 lanes of a warp find theirs.
struct in_flight {
    const void *kernel;
    unsigned bytes, resident, width, apart;
};

// Blocks of a kernel that are on a multiprocessor at a time.
static inline unsigned blocks_at_a_time(const struct in_flight *each, unsigned block,
                                        size_t shared) {
    int fit = 0;
    CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, each->kernel, (int)block, shared));
    return each->resident && each->resident < (unsigned)fit ? each->resident : (unsigned)fit;
}

// The variants of a table, each in `sizes` block sizes: its own, then twice as large each time.
static inline void vary_blocks(struct variant *table, const struct variant *variants, size_t count,
                               unsigned sizes) {
    for (size_t i = 0; i < count * sizes; i++) {
        table[i] = variants[i / sizes];
        table[i].block <<= i % sizes;
    }
}

// Checks and measures the variants of a table (hot), in turns. A footprint that is set, is kept.
static inline void measure_table(struct work *works, const struct variant *table, size_t count,
                                 struct arrays *x) {
    for (size_t i = 0; i < count; i++)
        works[i].variant = &table[i], works[i].x = x;
    measure_works(works, count, MEASURE_HOT);
}

// The requests by which a kernel loads n floats of both arrays, a warp at a time.
static inline double load_requests(const struct in_flight *each, size_t n) {
    return 2 * ceil((double)(n * sizeof(float)) / (32 * each->width));
}

// What a thread requests before it waits: so many loads of so many bytes, the sectors of each for a
// warp, and all its bytes.
static inline void describe_loads(struct row *row, const struct in_flight *each) {
    static char texts[256][40];
    static int explained;
    const unsigned loads = each->bytes / each->width;
    if (!explained++)
        say("(2 x 16 B, 16 sect., in flight: before it waits, a thread loads so often so many\n"
            "bytes, a warp so many sectors each time; the value is the thread's bytes.)");
    char *text = texts[(16 * loads + each->apart) % 256];
    snprintf(text, sizeof texts[0], "%u x %u B, %u sect., in flight", loads, each->width,
             each->apart);
    row->parameter = text;
    row->value = each->bytes;
}

// On a GPU: the kernel's registers for each thread, and how many KiB its threads on a
// multiprocessor request before they wait. The CPU device has neither: there, for one thread.
static inline void describe(struct work *work, const struct in_flight *each) {
    static char texts[256][24]; // for each number of registers
    struct cudaFuncAttributes attributes;
    const struct variant *v = work->variant;
    if (run.on_cpu && each->width)
        describe_loads(&work->row, each);
    if (run.on_cpu)
        return;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, each->kernel));
    char *text = texts[attributes.numRegs % 256];
    snprintf(text, sizeof texts[0], "%d regs, KiB/SM", attributes.numRegs);
    work->row.parameter = text;
    work->row.value =
        blocks_at_a_time(each, v->block, v->parameter) * v->block * each->bytes / 1024.0;
}

static inline int looks_like(const struct row *a, const struct row *b) {
    int same_value = a->value == b->value || (isnan(a->value) && isnan(b->value));
    return strcmp(a->variant, b->variant) == 0 && a->n == b->n && same_value;
}

// Prints the rows. Without times, those of a variant in blocks of other sizes say the same: on the
// CPU device the first stands for them, and for those that are right.
static inline void print_table(struct work *works, size_t count) {
    if (!run.on_cpu) {
        print_works(works, count);
        return;
    }
    for (size_t i = 0, shown = 0; i < count; i++) {
        const struct row *row = &works[i].row;
        if (i > 0 && looks_like(row, &works[shown].row) && strcmp(row->check, "ok") == 0)
            continue;
        shown = i;
        print_row(row);
    }
    say("(%zu were checked: these, and the same in blocks of other sizes.)", count);
}

#endif
