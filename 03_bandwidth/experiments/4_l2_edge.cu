// How large may data be, and still be in L2 when a kernel comes back to it? One kernel works in
// place, one only reads, on a third of L2 up to four thirds of it, again and again.
//
//     nvcc -O3 -arch=native 4_l2_edge.cu && ./a.out
//     ../../cudacc/cudacc -O2 4_l2_edge.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "by_four.h"

enum {
    CPU_BYTES = 3 << 20, // where there is no L2, or no time
    FIRST = 4,           // sizes in twelfths of L2
    LAST = 16,
    SIZES = LAST - FIRST + 1,
    LAUNCHES = 3,
};

// The parameter: the bytes that a launch touches for an element. SAXPY moves 12, y's twice.
enum { KINDS = 2, EDGE = 10 }; // percent: a smaller fall is no edge
static const struct variant variants[KINDS] = {
    {"in place", launch_saxpy, saxpy_reference, 256, 8, 12, 2, 1, "L2's rate, up to an edge"},
    {"read only", launch_read, read_reference, 256, 4, 4, 1, 1, "L2's rate, up to an edge"},
};

// ---- Measure -----------------------------------------------------------------------------------
// A row for a size. With --quick, for counters, one for each of three launches: the first is
// checked, which leaves other data in the cache, the second brings its own back, the third finds
// it there.
static struct row measure_size(const struct variant *variant, size_t bytes) {
    static const char *const launches[LAUNCHES] = {"checked, MiB touched", "again, MiB touched",
                                                   "third, MiB touched"};
    struct arrays x = arrays_create(bytes / variant->parameter);
    struct work work = {variant, &x, x.n * variant->parameter, {}};
    measure_works(&work, 1, MEASURE_HOT);
    work.row.value = (double)work.footprint / (1 << 20);
    for (int launch = 0; launch < (run.samples || run.counts ? 1 : LAUNCHES); launch++) {
        work.row.parameter = run.samples ? "hot, MiB touched" : launches[launch];
        if (run.counts)
            work.row.parameter = "MiB touched";
        if (launch > 0)
            variant_launch(variant, &x);
        print_row(&work.row);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    arrays_free(&x);
    return work.row;
}

// Between which two sizes the rate falls most.
static void conclude(const char *kind, const struct row rows[SIZES]) {
    char name[64];
    const struct row *at = rows;
    for (int i = 1; i < SIZES - 1; i++)
        if (rows[i].gb_per_s / rows[i + 1].gb_per_s > at->gb_per_s / at[1].gb_per_s)
            at = &rows[i];
    double l2_mib = (double)run.device.l2CacheSize / (1 << 20);
    snprintf(name, sizeof name, "edge_mib, %s", kind);
    if (at[1].gb_per_s < (1 - EDGE / 100.) * at->gb_per_s)
        finding(name, at->value,
                "Hot and %s, the rate falls most from %g MiB, %.1f GB/s, to %g MiB, %.1f GB/s; L2 "
                "has %g MiB.",
                kind, at->value, at->gb_per_s, at[1].value, at[1].gb_per_s, l2_mib);
    else
        finding(
            name, at->value,
            "Hot and %s, the rate falls by %d %% from no size to the next; the steepest step is "
            "from %g MiB, %.1f GB/s, to %g MiB, %.1f GB/s.",
            kind, EDGE, at->value, at->gb_per_s, at[1].value, at[1].gb_per_s);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct row rows[KINDS][SIZES];
    run_begin(argc, argv, "03_bandwidth/l2_edge",
              "How large may data be, and still be in L2 when a kernel comes back to it?",
              "variant parameter value median_ms spread_pct gb_per_s flag check", "bytes",
              NO_ERRORS);
    check_sizes(variants, KINDS);
    size_t l2 = (size_t)run.device.l2CacheSize;
    if (run.counts)
        run.columns = "variant n bytes flops parameter value check";
    if (run.size || run.quick || !l2)
        l2 = run.size ? run.size : (size_t)CPU_BYTES;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < SIZES; i++)
            rows[kind][i] = measure_size(&variants[kind], l2 * (size_t)(FIRST + i) / 12);
    for (int kind = 0; kind < KINDS && run.samples; kind++)
        conclude(variants[kind].name, rows[kind]);
    return run_end();
}
