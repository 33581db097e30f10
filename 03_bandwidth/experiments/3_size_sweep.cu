// Data that fits in the L2 cache is faster than the memory, and a rate above the memory's peak is a
// rate of the cache. The same kernel on 1/16 of L2 up to 16 times L2, with a warm and a cold cache.
//
//     nvcc -O3 -arch=native 3_size_sweep.cu && ./a.out
//     ../../cudacc/cudacc -O2 3_size_sweep.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "by_four.h"

enum {
    ARTICLE_N = 20 << 20, // the SAXPY of the article; the sweep goes beyond it
    CPU_N = 4 << 20,
    FAR = 4,                     // times L2: from there on the cache is of little help
    TOUCHED = 2 * sizeof(float), // by SAXPY for an element: x and y. It moves 12 bytes: y twice
};

// The sizes, in 256ths of the largest, which is 16 x L2: from L2/16 on, closer together around L2.
static const size_t parts[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 256};
enum { PARTS = (int)(sizeof parts / sizeof parts[0]), MODES = MEASURE_COLD + 1 };

static const struct variant variants[] = {
    {"saxpy4_256", launch_saxpy, saxpy_reference, 256, 0, 12, 2, 1, "faster than memory in L2"},
};

// ---- Measure -----------------------------------------------------------------------------------
// Fills in a row for each mode, to be printed when all are known.
static void measure_size(size_t n, struct row *rows) {
    struct arrays x = arrays_create(n);
    struct work work = {variants, &x, n * TOUCHED, {}};
    for (int mode = 0; mode < MODES; mode++) {
        if (mode == MEASURE_HOT || run.samples) // only checked: once will do
            measure_works(&work, 1, (enum measure_mode)mode);
        rows[mode] = work.row;
        rows[mode].parameter = mode == MEASURE_HOT ? "hot, MiB touched" : "cold, MiB touched";
        if (run.counts)
            rows[mode].parameter = "MiB touched";
        rows[mode].value = (double)(n * TOUCHED) / (1 << 20);
    }
    arrays_free(&x);
}

static void conclude(struct row rows[][MODES], int sizes, double peak) {
    const struct row *best = &rows[0][MEASURE_HOT], *last = &rows[sizes - 1][MEASURE_HOT];
    double l2_mib = (double)run.device.l2CacheSize / (1 << 20), apart = 0;
    int above = 0;
    for (int i = 0; i < sizes; i++) {
        const struct row *hot = &rows[i][MEASURE_HOT], *cold = &rows[i][MEASURE_COLD];
        best = hot->gb_per_s > best->gb_per_s ? hot : best;
        above += peak > 0 && hot->gb_per_s > peak;
        if (hot->value >= FAR * l2_mib)
            apart = fmax(apart, fabs(hot->gb_per_s / cold->gb_per_s - 1));
    }
    finding("fastest_gb_per_s", best->gb_per_s,
            "On %g MiB the kernel reaches %.1f GB/s, %.2f times the %.1f GB/s on %g MiB.",
            best->value, best->gb_per_s, best->gb_per_s / last->gb_per_s, last->gb_per_s,
            last->value);
    if (above > 0)
        finding(
            "sizes_above_peak", above,
            "%d of %d sizes are above the memory's peak when hot: no memory did that, the cache "
            "did. (A bar of 30 # is the peak.)",
            above, sizes);
    if (l2_mib > 0 && last->value >= FAR * l2_mib)
        finding("hot_cold_percent", 100 * apart,
                "From %d x L2 (%g MiB) on, hot and cold differ by %.1f %% at most.", FAR,
                FAR * l2_mib, 100 * apart);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    char formula[128];
    struct row rows[PARTS][MODES];
    int sizes = 0;
    run_begin(argc, argv, "03_bandwidth/size_sweep",
              "On data that fits in L2, a kernel measures the cache and beats the memory's peak.",
              "variant parameter value median_ms gb_per_s flag check", "elements", NO_ERRORS);
    check_sizes(variants, 1);
    double peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula), scale = peak;
    size_t n_gpu = 16 * (size_t)run.device.l2CacheSize / TOUCHED;
    if (run.counts)
        run.columns = "variant n bytes flops parameter value check";
    else
        say("Theoretical peak: %s", formula);
    size_t largest =
        run_size(n_gpu > ARTICLE_N ? n_gpu : (size_t)ARTICLE_N, CPU_N, ARRAYS * sizeof(float));
    guarded_free(guarded_malloc(largest * ARRAYS * sizeof(float))); // too much fails here, at once
    for (int i = 0; i < PARTS; i++) {
        size_t n = largest / 256 * parts[i] + largest % 256 * parts[i] / 256;
        if (n > 0)
            measure_size(n, rows[sizes++]);
    }
    for (int i = 0; i < sizes * MODES && peak == 0; i++)
        scale = fmax(scale, rows[i / MODES][i % MODES].gb_per_s);
    for (int i = 0; i < sizes * (run.counts ? 1 : MODES); i++) {
        struct row *row = &rows[i % sizes][i / sizes];
        row->bar = row->gb_per_s / scale;
        print_row(row);
    }
    if (run.samples)
        conclude(rows, sizes, peak);
    return run_end();
}
