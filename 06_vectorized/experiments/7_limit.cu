// How near to the memory's limit can a kernel go? float4 leaves a few per cent. Are they to be had
// by hints to the caches, or by the right number of bytes in flight? Bulk copies, with which one
// thread has a tile fetched into shared memory, allow to choose it.
//
//     nvcc -O3 -arch=native 7_limit.cu && ./a.out
//     ../../cudacc/cudacc -O2 7_limit.cu && ./a.out   (no GPU)
//
// Before CUDA 12 and compute capability 9.0 bulk copies have a plain form, and their rows say so.
//
// SPDX-License-Identifier: MIT
#include "bulk_copy.h"
#include "cache_hints.h"

enum { GPU_N = 1 << 27, CPU_N = 1 << 18 };

// ---- Kernels -----------------------------------------------------------------------------------
// add_float4 is in elementwise.h, add_bulk and add_bulk_both are in bulk_copy.h.

// Hints: what is read and written here will not be needed again, so no cache should keep it.
template <int LOADS, int STORES>
__global__ void add_streaming(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        store_hinted<STORES>((float4 *)out + i, sum4(load_hinted<LOADS>((const float4 *)a + i),
                                                     load_hinted<LOADS>((const float4 *)b + i)));
    add_rest(out, a, b, n, i);
}

#define HINTED(loads, stores)                                                                      \
    launch<add_streaming<loads, stores>, 4>, sum_reference, 256, 0, 12, 1, 0
enum { FLOAT4, STREAMING, NO_L1, FIRST_OUT, LOADS_OUT, STORES_OUT, BULK, BULK_BOTH, VARIANTS };
enum { TILES = 32 }; // bytes of shared memory for each thread: its float4 of both tiles
static const struct variant variants[VARIANTS] = {
    {"float4", launch<add_float4, 4>, sum_reference, 256, 0, 12, 1, 0, "a few per cent below"},
    {"float4, streaming", HINTED(STREAM, STREAM), "measure before you hint"},
    {"float4, not in L1", HINTED(NOT_IN_L1, PLAIN), "nothing is read twice: no difference"},
    {"float4, first out of L2", HINTED(FIRST_OUT_OF_L2, FIRST_OUT_OF_L2), "as streaming"},
    {"float4, loads first out", HINTED(FIRST_OUT_OF_L2, PLAIN), "which of the two is it?"},
    {"float4, stores first out", HINTED(PLAIN, FIRST_OUT_OF_L2), "which of the two is it?"},
    {"bulk copy", launch<add_bulk, 4>, sum_reference, 128, 128 * TILES, 12, 1, 0,
     "best with 44 KiB"},
    {"bulk copy, both ways", launch<add_bulk_both, 4>, sum_reference, 128, 128 * TILES, 12, 1, 0,
     ""},
};

static const struct in_flight in_flight[VARIANTS] = {
    {(const void *)add_float4, 32, 0, 16, 16},
    {(const void *)add_streaming<STREAM, STREAM>, 32, 0, 16, 16},
    {(const void *)add_streaming<NOT_IN_L1, PLAIN>, 32, 0, 16, 16},
    {(const void *)add_streaming<FIRST_OUT_OF_L2, FIRST_OUT_OF_L2>, 32, 0, 16, 16},
    {(const void *)add_streaming<FIRST_OUT_OF_L2, PLAIN>, 32, 0, 16, 16},
    {(const void *)add_streaming<PLAIN, FIRST_OUT_OF_L2>, 32, 0, 16, 16},
    {(const void *)add_bulk, TILES, 0, 16, 16},
    {(const void *)add_bulk_both, TILES, 0, 16, 16},
};

static const struct {
    int variant;
    unsigned block, resident; // at most so many blocks on a multiprocessor; 0: any number
} rows[] = {{FLOAT4, 128, 0},     {FLOAT4, 256, 0},    {FLOAT4, 1024, 0},    {STREAMING, 256, 0},
            {NO_L1, 256, 0},      {FIRST_OUT, 256, 0}, {LOADS_OUT, 256, 0},  {STORES_OUT, 256, 0},
            {BULK, 128, 1},       {BULK, 128, 2},      {BULK, 128, 4},       {BULK, 128, 8},
            {BULK, 128, 10},      {BULK, 128, 11},     {BULK, 128, 12},      {BULK, 128, 14},
            {BULK, 128, 16},      {BULK, 256, 6},      {BULK_BOTH, 128, 10}, {BULK_BOTH, 128, 12},
            {BULK_BOTH, 128, 16}, {BULK_BOTH, 256, 6}, {BULK_BOTH, 512, 3}};
enum { ROWS = (int)(sizeof rows / sizeof rows[0]) };

// The rows as variants. To limit the blocks on a multiprocessor, each gets more shared memory than
// it uses: as much as a kernel may ask for, less what the hardware and a barrier need.
static void fill_table(struct variant table[ROWS]) {
    const size_t most = run.device.sharedMemPerBlockOptin - 1024;
    for (int i = 0; i < ROWS; i++) {
        const struct in_flight *each = &in_flight[rows[i].variant];
        struct variant *v = &table[i];
        *v = variants[rows[i].variant];
        v->parameter = v->parameter / v->block * rows[i].block, v->block = rows[i].block;
        if (v->parameter)
            CUDA_CHECK(cudaFuncSetAttribute(
                each->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
        while (rows[i].resident && v->parameter + 256 <= most &&
               blocks_at_a_time(each, v->block, v->parameter) > rows[i].resident)
            v->parameter += 256;
    }
}

// ---- Findings ----------------------------------------------------------------------------------
static void say_findings(const struct work *works) {
    char formula[128];
    double peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    const struct row *best = &works[0].row, *of[VARIANTS] = {NULL}, *least = NULL;
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &works[i].row, **best_of = &of[rows[i].variant];
        best = row->gb_per_s > best->gb_per_s ? row : best;
        *best_of = !*best_of || row->gb_per_s > (*best_of)->gb_per_s ? row : *best_of;
        least = rows[i].variant == BULK && !least ? row : least;
    }
    double plain = of[FLOAT4]->gb_per_s;
    finding_if(
        best->gb_per_s >= plain, "fastest_ratio", best->gb_per_s / plain,
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
    double loads = least->gb_per_s * 2 / 3;
    finding("best_kib", of[BULK]->value, "Bulk copies are best with %g KiB in flight.",
            of[BULK]->value);
    finding("latency_ns", least->value * 1024 * run.device.multiProcessorCount / loads,
            "With %g KiB in flight, they load %.1f GB/s. By Little's law a load takes %.0f ns at "
            "most: a block also has to start, to store and to end.",
            least->value, loads, least->value * 1024 * run.device.multiProcessorCount / loads);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct variant table[ROWS];
    static struct work works[ROWS];
    run_begin(argc, argv, "06_vectorized/limit",
              "float4 comes within a few per cent of what the memory can do: what gets the rest?",
              "variant n block parameter value median_ms spread_pct gb_per_s flag check",
              "elements", NO_ERRORS);
    fill_table(table);
    check_sizes(table, ROWS);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    x.same_for_all = 1;
    measure_table(works, table, ROWS, &x);
    for (int i = 0; i < ROWS; i++) {
        describe(&works[i], &in_flight[rows[i].variant]);
        if (rows[i].variant >= BULK && !has_bulk_copies())
            works[i].row.parameter = "plain form", works[i].row.value = NAN;
    }
    print_table(works, ROWS);
    if (run.samples)
        say_findings(works);
    arrays_free(&x);
    return run_end();
}
