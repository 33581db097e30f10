// How near to the memory's limit can a kernel go? float4 leaves a few per cent. Here are the means
// that are said to get them: streaming hints, and bulk copies, with which one thread has thousands
// of bytes fetched into shared memory while the others add what has arrived.
//
//     nvcc -O3 -arch=native limit.cu -o limit && ./limit
//     ../common/cpu_device/cudacc -O2 limit.cu -o limit && ./limit   (no GPU)
//
// Bulk copies need compute capability 9.0, and code that is built for it. Elsewhere the same
// kernels have a plain form, and their rows say so.
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 18 };

// ---- Kernels -----------------------------------------------------------------------------------
// add_float4 is in elementwise.h.

// Hints: what is read and written here will not be needed again, so no cache should keep it.
__global__ void add_streaming(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        __stcs((float4 *)out + i,
               sum4(__ldcs((const float4 *)a + i), __ldcs((const float4 *)b + i)));
    add_rest(out, a, b, n, i);
}

#if __CUDA_ARCH__ >= 900
// An mbarrier in shared memory counts the bytes that have arrived. PTX wants shared addresses.
static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void barrier_init(uint64_t *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "fence.proxy.async.shared::cta;" // the copies, too, see it
                 ::"r"(shared_address(barrier))
                 : "memory");
}

// Tells the barrier how much will arrive, then starts the two copies: of a tile from float4 `first`
// on, or of what there is of it.
static __device__ __forceinline__ void fetch(float4 *to, unsigned tile, const float *a,
                                             const float *b, size_t first, size_t n,
                                             uint64_t *barrier) {
    unsigned bytes = 16 * (unsigned)(n / 4 - first < tile ? n / 4 - first : tile);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%2], [%3], %6, [%0];\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%4], [%5], %6, [%0];" ::"r"(shared_address(barrier)),
                 "r"(2 * bytes), "r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(a + 4 * first)), "r"(shared_address(to + tile)),
                 "l"(__cvta_generic_to_global(b + 4 * first)), "r"(bytes)
                 : "memory");
}

// Waits until all is there. A barrier is used again and again: its phases have parity 0, 1, 0...
static __device__ __forceinline__ void await(uint64_t *barrier, unsigned parity) {
    unsigned arrived = 0;
    while (!arrived)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(arrived)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}
#endif

// A tile is a float4 for each thread of a block. Each block takes every gridDim.x-th tile, and has
// `stages` tiles of both arrays on their way into shared memory at a time.
static __device__ __forceinline__ void add_tiles(float *out, const float *a, const float *b,
                                                 size_t n, unsigned stages) {
    size_t step = (size_t)gridDim.x * blockDim.x, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    extern __shared__ float4 tiles[]; // a and b of each stage; behind them a barrier for each
    const unsigned tile = blockDim.x, t = threadIdx.x;
    uint64_t *barriers = (uint64_t *)(tiles + 2 * stages * tile);
    size_t next = i - t; // the tile to be fetched next, seen by thread 0
    if (t == 0) {
        for (unsigned s = 0; s < stages; s++)
            barrier_init(&barriers[s]);
        for (unsigned s = 0; s < stages && next < n / 4; s++, next += step)
            fetch(&tiles[2 * s * tile], tile, a, b, next, n, &barriers[s]);
    }
    __syncthreads();
    unsigned s = 0, parity = 0;
    for (size_t k = i; k - t < n / 4; k += step) {
        await(&barriers[s], parity);
        if (k < n / 4)
            ((float4 *)out)[k] = sum4(tiles[2 * s * tile + t], tiles[(2 * s + 1) * tile + t]);
        if (stages > 1) { // the place is free when all have read it
            __syncthreads();
            if (t == 0 && next < n / 4)
                fetch(&tiles[2 * s * tile], tile, a, b, next, n, &barriers[s]);
            next += step;
            s = s + 1 < stages ? s + 1 : 0;
            parity ^= s == 0;
        }
    }
#else
    (void)stages;
    for (size_t k = i; k < n / 4; k += step)
        ((float4 *)out)[k] = sum4(((const float4 *)a)[k], ((const float4 *)b)[k]);
#endif
    add_rest(out, a, b, n, i);
}

// A block for each tile: while one waits, the others of the multiprocessor have theirs on the way.
__global__ void add_bulk(float *out, const float *a, const float *b, size_t n) {
    add_tiles(out, a, b, n, 1);
}

// Two blocks for each multiprocessor stay to the end, each with a ring of four tiles.
__global__ void add_ring(float *out, const float *a, const float *b, size_t n) {
    add_tiles(out, a, b, n, 4);
}

// ---- Variants ----------------------------------------------------------------------------------
enum { FLOAT4, STREAMING, BULK, RING, VARIANTS };

static const struct shape shapes[VARIANTS] = {{add_float4, 4, 1, 32, 0},
                                              {add_streaming, 4, 1, 32, 0},
                                              {add_bulk, 4, 1, 32, 0},
                                              {add_ring, 4, 1, 128, 2}};
LAUNCH(float4, add_float4, &shapes[FLOAT4])
LAUNCH(streaming, add_streaming, &shapes[STREAMING])
LAUNCH(bulk_with_shared, add_bulk, &shapes[BULK])
LAUNCH(ring_with_shared, add_ring, &shapes[RING])

// Tiles, and a barrier of 8 bytes for each two.
static size_t shared_for(int variant, unsigned block) {
    size_t stages = variant == BULK ? 1 : variant == RING ? 4 : 0;
    return stages * (2 * sizeof(float4) * block + sizeof(uint64_t));
}

static void launch_bulk(float *out, const float *a, const float *b, size_t n) {
    shared_bytes = shared_for(BULK, block_size);
    launch_bulk_with_shared(out, a, b, n);
}

static void launch_ring(float *out, const float *a, const float *b, size_t n) {
    shared_bytes = shared_for(RING, block_size);
    launch_ring_with_shared(out, a, b, n);
}

static const struct variant variants[VARIANTS] = {
    {"float4", launch_float4, add_reference, 12, 1, 0, "some per cent below the limit"},
    {"float4, streaming", launch_streaming, add_reference, 12, 1, 0, "measure before you hint"},
    {"bulk copy", launch_bulk, add_reference, 12, 1, 0, "small tiles: a little more than float4"},
    {"bulk copy, ring", launch_ring, add_reference, 12, 1, 0, "less"},
};

static const struct {
    int variant;
    unsigned block;
} rows[] = {{FLOAT4, 128}, {FLOAT4, 256}, {FLOAT4, 1024}, {STREAMING, 256}, {BULK, 64},
            {BULK, 128},   {BULK, 256},   {BULK, 512},    {RING, 256}};
enum { ROWS = (int)(sizeof rows / sizeof rows[0]) };

// ---- Conclude ----------------------------------------------------------------------------------
// What the rates say: they may be any.
static void conclude(const struct run *run, const struct work *works, int bulk_copies) {
    char formula[128];
    double peak = peak_gb_per_s((int)run->device_number, formula, sizeof formula);
    const struct row *best = &works[0].row, *plain = best;
    for (int i = 1; i < ROWS; i++) {
        best = works[i].row.gb_per_s > best->gb_per_s ? &works[i].row : best;
        if (rows[i].variant == FLOAT4 && works[i].row.gb_per_s > plain->gb_per_s)
            plain = &works[i].row;
    }
    run_say(run, "Fastest: %s in blocks of %zu with %.1f GB/s, %.3f times the best plain float4.",
            best->variant, best->block, best->gb_per_s, best->gb_per_s / plain->gb_per_s);
    if (peak > 0)
        run_say(run, "That is %.1f %% of the theoretical peak (%s), float4 has %.1f %%.",
                100 * best->gb_per_s / peak, formula, 100 * plain->gb_per_s / peak);
    if (!bulk_copies)
        run_say(run, "No bulk copies here: they need compute capability 9.0 and -arch=native.");
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "06_vectorized",
    "limit",
    "float4 comes within a few per cent of what the memory can do: what gets the rest?",
    "variant n block parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    struct data data = data_create(run_size(&run, GPU_N, CPU_N, 5 * sizeof(float)));
    struct cudaFuncAttributes attributes;
    struct work works[ROWS];
    struct task tasks[ROWS];
    memset(works, 0, sizeof works);
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)add_bulk));
    int bulk_copies = attributes.ptxVersion >= 90; // built with __CUDA_ARCH__ >= 900
    for (int i = 0; i < ROWS; i++) {
        works[i].variant = &variants[rows[i].variant];
        works[i].shape = &shapes[rows[i].variant];
        works[i].data = &data;
        works[i].block = rows[i].block;
        works[i].shared = shared_for(rows[i].variant, rows[i].block);
    }
    measure_works(&run, works, tasks, ROWS);
    for (int i = 0; i < ROWS && !bulk_copies; i++)
        if (works[i].shared > 0)
            works[i].row.parameter = "plain form", works[i].row.value = NAN;
    print_works(&run, works, ROWS);
    if (!run.quick)
        conclude(&run, works, bulk_copies);
    measure_free(tasks, ROWS);
    data_free(&data);
    return run_end(&run);
}
