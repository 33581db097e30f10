// In which order should blocks go through the arrays, and should they read and write in turn?
// Blocks that stay choose their tiles here: far apart, side by side, or the next that no other
// block has; with small tiles, or tiles as large as shared memory, all read before all is written.
//
//     nvcc -O3 -arch=native 9_order.cu && ./a.out
//     ../../cudacc/cudacc -O2 9_order.cu && ./a.out   (no GPU)
//
// Before CUDA 12 and compute capability 9.0 all have one plain form, and their rows say so.
//
// SPDX-License-Identifier: MIT
#include "ring.h"

enum { GPU_N = 1 << 27, CPU_N = 1 << 18 };

// ---- Kernels -----------------------------------------------------------------------------------
// add_float4 is in elementwise.h, add_bulk in bulk_copy.h, add_ring in ring.h.

// A variant's parameter is its place here.
static struct traffic traffic[] = {
    {"ring", STRIDED, 512, 512, 2, 2, 0, 0},
    {"ring, chunks", CHUNKS, 512, 512, 2, 2, 0, 0},
    {"ring, in order", IN_ORDER, 512, 512, 2, 2, 0, 0},
    {"ring, in order", IN_ORDER, 384, 384, 2, 2, 0, 0},
    {"ring, in order", IN_ORDER, 256, 256, 2, 3, 0, 0},
    {"all read, then written", IN_ORDER, 512, 512, 1, 4, 0, 0},
    {"all read, then written", IN_ORDER, 1024, 3072, 1, 2, 0, 0},
    {"all read, then written", IN_ORDER, 1024, 6144, 1, 1, 0, 0},
    {"in windows of 100 %", IN_ORDER, 1024, 6144, 1, 1, 100, 0},
    {"in windows of 120 %", IN_ORDER, 1024, 6144, 1, 1, 120, 0},
    {"in windows of 150 %", IN_ORDER, 1024, 6144, 1, 1, 150, 0},
};
enum { TRAFFIC = (int)(sizeof traffic / sizeof traffic[0]), FLOAT4 = TRAFFIC, BULK, ROWS };

static size_t shared_bytes(const struct traffic *how) {
    return 2 * sizeof(float4) * how->tile * how->places;
}

static unsigned blocks_of(const struct traffic *how) { // on a multiprocessor
    const struct in_flight each = {(const void *)add_ring, 0, how->resident, 0, 0};
    return blocks_at_a_time(&each, how->block, shared_bytes(how));
}

static void launch_ring(const struct arrays *x, unsigned block, size_t parameter) {
    const struct traffic *how = &traffic[parameter];
    unsigned most = run.device.multiProcessorCount * blocks_of(how);
    unsigned grid = blocks(x->n, 4 * how->tile) < most ? blocks(x->n, 4 * how->tile) : most;
    add_ring<<<grid, block, shared_bytes(how), run.stream>>>(x->d_out, x->d_a, x->d_b, x->n, *how);
    CUDA_CHECK(cudaGetLastError());
}

// Tiles no larger than shared memory, and windows as long as this device takes at its peak. The
// last two rows are what the others have to beat; the bulk copies have 44 KiB in flight, as in
// limit.
static void fill_table(struct variant table[ROWS]) {
    char formula[128];
    double peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    const size_t most = run.device.sharedMemPerBlockOptin - 1024; // less what the barriers need
    const size_t eleventh = run.device.sharedMemPerMultiprocessor / 11 - 1024;
    CUDA_CHECK(cudaFuncSetAttribute((const void *)add_ring,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
    for (int i = 0; i < TRAFFIC; i++) {
        struct traffic *how = &traffic[i];
        while (shared_bytes(how) > most)
            how->tile /= 2;
        double bytes = 48.0 * how->tile * blocks_of(how) * run.device.multiProcessorCount;
        how->window_ns = peak > 0 ? how->window / 100.0 * bytes / peak : 0;
        struct variant v = {how->name, launch_ring, sum_reference, how->block, (size_t)i, 12, 1,
                            0,         ""};
        table[i] = v;
    }
    struct variant float4_256 = {"float4", launch<add_float4, 4>, sum_reference, 256, 0, 12, 1, 0,
                                 ""};
    struct variant bulk = {
        "bulk copy", launch<add_bulk, 4>, sum_reference, 128, eleventh / 256 * 256, 12, 1, 0, ""};
    table[FLOAT4] = float4_256, table[BULK] = bulk;
}

static void describe_all(struct work works[ROWS]) {
    const struct in_flight rest[2] = {{(const void *)add_float4, 32, 0, 16, 16},
                                      {(const void *)add_bulk, 32, 0, 16, 16}};
    describe(&works[FLOAT4], &rest[0]);
    describe(&works[BULK], &rest[1]);
    for (int i = 0; i < TRAFFIC && !run.on_cpu; i++) {
        works[i].row.parameter = "KiB/SM";
        works[i].row.value = blocks_of(&traffic[i]) * shared_bytes(&traffic[i]) / 1024.0;
    }
    for (int i = 0; i < ROWS; i++)
        if (i != FLOAT4 && !has_bulk_copies())
            works[i].row.parameter = "plain form", works[i].row.value = NAN;
    for (int i = 0; i < TRAFFIC && run.on_cpu; i++) {
        works[i].row.parameter = "plain form, KiB/block";
        works[i].row.value = (double)shared_bytes(&traffic[i]) / 1024;
    }
}

// ---- Findings ----------------------------------------------------------------------------------
// The fastest of the rows from `first` on, `last` among them.
static const struct row *best_of(const struct work *works, int first, int last) {
    const struct row *best = &works[first].row;
    for (int i = first; i <= last; i++)
        best = works[i].row.gb_per_s > best->gb_per_s ? &works[i].row : best;
    return best;
}

static void say_findings(const struct work *works) {
    double bulk = works[BULK].row.gb_per_s, ring = works[0].row.gb_per_s;
    const struct row *in_order = best_of(works, 2, 4), *grouped = best_of(works, 5, 7);
    const struct row *windows = best_of(works, 8, 10), *best = best_of(works, 0, ROWS - 1);
    finding("order_gb_per_s", in_order->gb_per_s,
            "Blocks that stay reach %.1f GB/s with tiles far apart, %.1f with a part for each, "
            "%.1f in order; blocks that come and go %.1f.",
            ring, works[1].row.gb_per_s, in_order->gb_per_s, bulk);
    finding("ring_share", ring / bulk,
            "The ring reaches %.3f of the bulk copies' rate, in order %.3f.", ring / bulk,
            in_order->gb_per_s / bulk);
    finding(
        "grouped_gb_per_s", grouped->gb_per_s,
        "If a block reads all its shared memory holds before it writes, it is %.1f GB/s; if all "
        "blocks do so at one time, %.1f.",
        grouped->gb_per_s, windows->gb_per_s);
    finding_if(best->gb_per_s >= works[FLOAT4].row.gb_per_s, "fastest_gb_per_s", best->gb_per_s,
               "The fastest is '%s' in blocks of %zu with %.1f GB/s, %.4f times as fast as float4.",
               best->variant, best->block, best->gb_per_s,
               best->gb_per_s / works[FLOAT4].row.gb_per_s);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct variant table[ROWS];
    static struct work works[ROWS];
    run_begin(argc, argv, "06_vectorized/order",
              "In which order should blocks read and write, and should they do so in turn?",
              "variant n block parameter value median_ms spread_pct gb_per_s flag check",
              "elements", NO_ERRORS);
    fill_table(table);
    check_sizes(table, ROWS);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    x.same_for_all = 1;
    measure_table(works, table, ROWS, &x);
    describe_all(works);
    print_works(works, ROWS);
    if (run.samples && has_bulk_copies())
        say_findings(works);
    arrays_free(&x);
    return run_end();
}
