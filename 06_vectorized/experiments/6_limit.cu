// How near to the memory's limit can a kernel go? float4 leaves a few per cent. What gets some of
// them is having the right number of bytes in flight: too many are too many. Bulk copies, with
// which one thread has a tile fetched into shared memory, allow to choose it.
//
//     nvcc -O3 -arch=native 6_limit.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 6_limit.cu && ./a.out   (no GPU)
//
// Bulk copies need compute capability 9.0, code that is built for it, and CUDA 12. Elsewhere the
// same kernels have a plain form, and their rows say so.
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"
#include "bulk_copy.h"

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

// A tile is a float4 for each thread of a block. One thread has a's and b's fetched, all wait, all
// add. In flight is what the blocks of a multiprocessor wait for: their number sets it.
__global__ void add_bulk(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if HAS_BULK_COPIES
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ uint64_t barrier;
    unsigned tile = blockDim.x, t = threadIdx.x;
    if (t == 0 && i < n / 4) {
        barrier_init(&barrier);
        fetch(tiles, tile, a, b, i, n, &barrier);
    }
    __syncthreads(); // the barrier is there
    if (i < n / 4) {
        await(&barrier, 0);
        ((float4 *)out)[i] = sum4(tiles[t], tiles[tile + t]);
    }
#else
    if (i < n / 4)
        ((float4 *)out)[i] = sum4(((const float4 *)a)[i], ((const float4 *)b)[i]);
#endif
    add_rest(out, a, b, n, i);
}

// Two blocks for each multiprocessor stay to the end, each with one tile in hand and one on its
// way. A block takes every gridDim.x-th tile; or, IN_ORDER, draws a ticket: the next nobody has.
enum { PLACES = 2 };
__device__ unsigned long long tickets;

template <bool IN_ORDER>
__global__ void add_ring(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if HAS_BULK_COPIES
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ uint64_t barriers[PLACES];
    __shared__ size_t first[PLACES]; // float4 of a tile
    unsigned tile = blockDim.x, t = threadIdx.x;
    size_t in_turn = blockIdx.x;
    for (unsigned place = 0; t == 0 && place < PLACES; place++)
        barrier_init(&barriers[place]);
    for (unsigned step = 0;; step++) {
        unsigned place = step % PLACES;
        float4 *here = tiles + 2 * place * tile;
        if (step >= PLACES) { // there is a tile, or none is left
            size_t k = first[place] + t;
            if (first[place] >= n / 4)
                break;
            await(&barriers[place], (step / PLACES + 1) % 2);
            if (k < n / 4)
                ((float4 *)out)[k] = sum4(here[t], here[tile + t]);
        }
        __syncthreads(); // all have read: the place is free
        if (t == 0) {
            first[place] = tile * (IN_ORDER ? (size_t)atomicAdd(&tickets, 1ULL) : in_turn);
            in_turn += gridDim.x;
            if (first[place] < n / 4)
                fetch(here, tile, a, b, first[place], n, &barriers[place]);
        }
    }
#else
    for (size_t k = i; k < n / 4; k += (size_t)gridDim.x * blockDim.x)
        ((float4 *)out)[k] = sum4(((const float4 *)a)[k], ((const float4 *)b)[k]);
#endif
    add_rest(out, a, b, n, i);
}

// ---- Variants ----------------------------------------------------------------------------------
enum { FLOAT4, STREAMING, BULK, RING, RING_IN_ORDER, VARIANTS };

static const struct shape shapes[VARIANTS] = {{add_float4, 4, 1, 32, 0},
                                              {add_streaming, 4, 1, 32, 0},
                                              {add_bulk, 4, 1, 32, 0},
                                              {add_ring<false>, 4, 1, 32 * PLACES, 2},
                                              {add_ring<true>, 4, 1, 32 * PLACES, 2}};
LAUNCH(float4, add_float4, &shapes[FLOAT4])
LAUNCH(streaming, add_streaming, &shapes[STREAMING])
LAUNCH(bulk_with_tiles, add_bulk, &shapes[BULK])
LAUNCH(ring_with_tiles, add_ring<false>, &shapes[RING])
LAUNCH(in_order_with_tiles, add_ring<true>, &shapes[RING_IN_ORDER])

// The shared memory of a block: its tiles, and so much more that at most `resident` blocks fit on a
// multiprocessor (0: any number). Beyond 48 KiB a kernel would have to ask.
static size_t shared_for(int variant, unsigned block, int resident) {
    size_t tiles = variant < BULK ? 0 : variant == BULK ? 2 : 2 * PLACES;
    block_size = block;
    shared_bytes = tiles * sizeof(float4) * block;
    while (resident && blocks_at_a_time(&shapes[variant]) > resident && shared_bytes < 47 << 10)
        shared_bytes += 256;
    return shared_bytes;
}

static void launch_bulk(float *out, const float *a, const float *b, size_t n) {
    size_t wish = shared_bytes, least = shared_for(BULK, block_size, 0);
    shared_bytes = wish > least ? wish : least;
    launch_bulk_with_tiles(out, a, b, n);
}

static void launch_ring(float *out, const float *a, const float *b, size_t n) {
    shared_bytes = shared_for(RING, block_size, 0);
    launch_ring_with_tiles(out, a, b, n);
}

static void launch_ring_in_order(float *out, const float *a, const float *b, size_t n) {
    void *d_tickets;
    CUDA_CHECK(cudaGetSymbolAddress(&d_tickets, tickets));
    CUDA_CHECK(cudaMemsetAsync(d_tickets, 0, sizeof tickets, 0));
    shared_bytes = shared_for(RING_IN_ORDER, block_size, 0);
    launch_in_order_with_tiles(out, a, b, n);
}

static const struct variant variants[VARIANTS] = {
    {"float4", launch_float4, add_reference, 12, 1, 0, "some per cent below the limit"},
    {"float4, streaming", launch_streaming, add_reference, 12, 1, 0, "measure before you hint"},
    {"bulk copy", launch_bulk, add_reference, 12, 1, 0, "most with some 44 KiB in flight"},
    {"ring", launch_ring, add_reference, 12, 1, 0, "less, although no block comes or goes"},
    {"ring, in order", launch_ring_in_order, add_reference, 12, 1, 0, "so it was the order"},
};

static const struct {
    int variant;
    unsigned block;
    int resident; // blocks on a multiprocessor at most
} rows[] = {{FLOAT4, 128, 0},       {FLOAT4, 256, 0}, {FLOAT4, 1024, 0}, {STREAMING, 256, 0},
            {BULK, 128, 8},         {BULK, 128, 10},  {BULK, 128, 11},   {BULK, 128, 12},
            {BULK, 128, 14},        {BULK, 128, 16},  {BULK, 256, 6},    {RING, 512, 0},
            {RING_IN_ORDER, 512, 0}};
enum { ROWS = (int)(sizeof rows / sizeof rows[0]) };

// ---- Conclude ----------------------------------------------------------------------------------
// What the rates say: they may be any.
static void conclude(const struct run *run, const struct work *works) {
    char formula[128];
    double peak = peak_gb_per_s((int)run->device_number, formula, sizeof formula);
    const struct row *best = &works[0].row, *of[VARIANTS] = {NULL};
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &works[i].row, **best_of = &of[rows[i].variant];
        best = row->gb_per_s > best->gb_per_s ? row : best;
        *best_of = !*best_of || row->gb_per_s > (*best_of)->gb_per_s ? row : *best_of;
    }
    run_say(run, "Fastest: %s in blocks of %zu with %.1f GB/s, %.4f times the best plain float4.",
            best->variant, best->block, best->gb_per_s, best->gb_per_s / of[FLOAT4]->gb_per_s);
    if (peak > 0)
        run_say(run, "That is %.1f %% of the theoretical peak (%s), float4 has %.1f %%.",
                100 * best->gb_per_s / peak, formula, 100 * of[FLOAT4]->gb_per_s / peak);
    if (!isnan(of[BULK]->value))
        run_say(run,
                "Bulk copies are best with %g KiB in flight. Of their rate the ring has %.3f, in "
                "order %.3f.",
                of[BULK]->value, of[RING]->gb_per_s / of[BULK]->gb_per_s,
                of[RING_IN_ORDER]->gb_per_s / of[BULK]->gb_per_s);
    else
        run_say(run, "No bulk copies here: they need CUDA 12, capability 9.0 and -arch=native.");
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
    int bulk_copies = CUDART_VERSION >= 12000 && attributes.ptxVersion >= 90; // HAS_BULK_COPIES
    for (int i = 0; i < ROWS; i++) {
        works[i].variant = &variants[rows[i].variant];
        works[i].shape = &shapes[rows[i].variant];
        works[i].data = &data;
        works[i].block = rows[i].block;
        works[i].shared = shared_for(rows[i].variant, rows[i].block, rows[i].resident);
    }
    measure_works(&run, works, tasks, ROWS);
    for (int i = 0; i < ROWS && !bulk_copies; i++)
        if (rows[i].variant >= BULK)
            works[i].row.parameter = "plain form", works[i].row.value = NAN;
    print_works(&run, works, ROWS);
    if (!run.quick)
        conclude(&run, works);
    measure_free(tasks, ROWS);
    data_free(&data);
    return run_end(&run);
}
