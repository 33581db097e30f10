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
// way. A block takes every gridDim.x-th tile; or, IN_ORDER, the next that no other block has.
enum { PLACES = 2, RINGS = 2 };
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

static void launch_streaming(const struct arrays *x, unsigned block, size_t shared) {
    add_streaming<<<blocks(x->n, 4 * block), block, shared>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_bulk(const struct arrays *x, unsigned block, size_t shared) {
    add_bulk<<<blocks(x->n, 4 * block), block, shared>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

template <bool IN_ORDER>
static void launch_ring(const struct arrays *x, unsigned block, size_t shared) {
    unsigned grid = resident_grid((const void *)add_ring<IN_ORDER>, block, shared, RINGS,
                                  blocks(x->n, 4 * block));
    if (IN_ORDER) {
        void *d_tickets;
        CUDA_CHECK(cudaGetSymbolAddress(&d_tickets, tickets));
        CUDA_CHECK(cudaMemsetAsync(d_tickets, 0, sizeof tickets, 0));
    }
    add_ring<IN_ORDER><<<grid, block, shared>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// The shared memory of a block: its tiles, as many bytes as its threads have in flight.
enum { TILES = 32, RING_TILES = 32 * PLACES };
enum { FLOAT4, STREAMING, BULK, RING, RING_IN_ORDER, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"float4", launch_float4, add_reference, 256, 0, 12, 1, 0, "a few per cent below the limit"},
    {"float4, streaming", launch_streaming, add_reference, 256, 0, 12, 1, 0,
     "measure before you hint"},
    {"bulk copy", launch_bulk, add_reference, 128, 128 * TILES, 12, 1, 0,
     "most with about 44 KiB in flight"},
    {"ring", launch_ring<false>, add_reference, 512, 512 * RING_TILES, 12, 1, 0,
     "less, although no block comes or goes"},
    {"ring, in order", launch_ring<true>, add_reference, 512, 512 * RING_TILES, 12, 1, 0,
     "so it was the order"},
};

static const struct in_flight in_flight[VARIANTS] = {
    {(const void *)add_float4, 32, 0},
    {(const void *)add_streaming, 32, 0},
    {(const void *)add_bulk, TILES, 0},
    {(const void *)add_ring<false>, RING_TILES, RINGS},
    {(const void *)add_ring<true>, RING_TILES, RINGS},
};

static const struct {
    int variant;
    unsigned block, resident; // at most so many blocks on a multiprocessor; 0: any number
} rows[] = {{FLOAT4, 128, 0},       {FLOAT4, 256, 0}, {FLOAT4, 1024, 0}, {STREAMING, 256, 0},
            {BULK, 128, 8},         {BULK, 128, 10},  {BULK, 128, 11},   {BULK, 128, 12},
            {BULK, 128, 14},        {BULK, 128, 16},  {BULK, 256, 6},    {RING, 512, 0},
            {RING_IN_ORDER, 512, 0}};
enum { ROWS = (int)(sizeof rows / sizeof rows[0]) };

// The rows as variants. To limit the blocks on a multiprocessor, each gets more shared memory than
// it uses. Beyond 48 KiB a kernel would have to ask.
static void fill_table(struct variant table[ROWS]) {
    for (int i = 0; i < ROWS; i++) {
        const void *kernel = in_flight[rows[i].variant].kernel;
        struct variant *v = &table[i];
        *v = variants[rows[i].variant];
        v->parameter = v->parameter / v->block * rows[i].block;
        v->block = rows[i].block;
        while (rows[i].resident && v->parameter < 47 << 10 &&
               blocks_at_a_time(kernel, v->block, v->parameter, 0) > rows[i].resident)
            v->parameter += 256;
    }
}

static int has_bulk_copies(void) {
    struct cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)add_bulk));
    return CUDART_VERSION >= 12000 && attributes.ptxVersion >= 90; // HAS_BULK_COPIES
}

// ---- Findings ----------------------------------------------------------------------------------
static void say_findings(const struct work *works) {
    char formula[128];
    double peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    const struct row *best = &works[0].row, *of[VARIANTS] = {NULL};
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &works[i].row, **best_of = &of[rows[i].variant];
        best = row->gb_per_s > best->gb_per_s ? row : best;
        *best_of = !*best_of || row->gb_per_s > (*best_of)->gb_per_s ? row : *best_of;
    }
    double plain = of[FLOAT4]->gb_per_s, bulk = of[BULK]->gb_per_s;
    finding("fastest_ratio", best->gb_per_s / plain,
            "The fastest, '%s' in blocks of %zu with %.1f GB/s, is %.4f times as fast as the best "
            "plain float4.",
            best->variant, best->block, best->gb_per_s, best->gb_per_s / plain);
    if (peak > 0)
        finding("fastest_percent", 100 * best->gb_per_s / peak,
                "The fastest reaches %.1f %% of the theoretical peak (%s), float4 %.1f %%.",
                100 * best->gb_per_s / peak, formula, 100 * plain / peak);
    if (!has_bulk_copies()) {
        say("No bulk copies here: they need CUDA 12, capability 9.0 and -arch=native.");
        return;
    }
    finding("best_kib", of[BULK]->value, "Bulk copies are best with %g KiB in flight.",
            of[BULK]->value);
    finding("ring_share", of[RING]->gb_per_s / bulk,
            "The ring reaches %.3f of their rate, in order %.3f.", of[RING]->gb_per_s / bulk,
            of[RING_IN_ORDER]->gb_per_s / bulk);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct variant table[ROWS];
    static struct work works[ROWS];
    run_begin(argc, argv, "06_vectorized/limit",
              "float4 comes within a few per cent of what the memory can do: what gets the rest?",
              "variant n block parameter value median_ms gb_per_s flag check", "elements",
              NO_ERRORS);
    fill_table(table);
    if (check_sizes(table, ROWS))
        return run_end();
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    x.same_for_all = 1;
    measure_table(works, table, ROWS, &x);
    for (int i = 0; i < ROWS; i++) {
        describe(&works[i], &in_flight[rows[i].variant]);
        if (rows[i].variant >= BULK && !has_bulk_copies())
            works[i].row.parameter = "plain form", works[i].row.value = NAN;
    }
    print_works(works, ROWS);
    if (run.samples)
        say_findings(works);
    arrays_free(&x);
    return run_end();
}
