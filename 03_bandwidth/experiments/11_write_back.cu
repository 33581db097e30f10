// A kernel has ended, but what it wrote may still be in L2 alone. Who pays when it goes to memory?
// Launches in a row (hot), and a launch that finds L2 full of other data, only read (cold).
//
//     nvcc -O3 -arch=native 11_write_back.cu && ./a.out
//     ../../cudacc/cudacc -O2 11_write_back.cu && ./a.out   (no GPU: counts only)
//
// SPDX-License-Identifier: MIT
#include "by_four.h"

enum {
    CPU_BYTES = 3 << 20, // where there is no L2, or no time
    SIZES = 3,
    MODES = MEASURE_COLD + 1,
};

// Sizes in halves of L2: all larger than L2.
static const size_t sizes[SIZES] = {3, 8, 16};
static const char *const size_names[SIZES] = {"1.5 x L2", "4 x L2", "8 x L2"};

// The parameter: the bytes that a launch touches for an element.
enum { KINDS = 2, IN_PLACE = 0, READ_ONLY };
static const struct variant variants[KINDS] = {
    {"in place", launch_saxpy, saxpy_reference, 256, 8, 12, 2, 1, "longer hot than cold"},
    {"read only", launch_read, read_reference, 256, 4, 4, 1, 1, "as long"},
};

// ---- Measure -----------------------------------------------------------------------------------
// Prints a row for each mode. Returns how much longer a launch takes when hot, in microseconds.
static double measure_size(const struct variant *variant, size_t bytes) {
    static const char *const modes[MODES] = {"hot, MiB touched", "cold, MiB touched"};
    struct arrays x = arrays_create(bytes / variant->parameter);
    struct work work = {variant, &x, x.n * variant->parameter, {}};
    double ms[MODES] = {0, 0};
    for (int mode = 0; mode < (run.samples ? MODES : 1); mode++) {
        measure_works(&work, 1, (enum measure_mode)mode);
        work.row.parameter = run.counts ? "MiB touched" : modes[mode];
        work.row.value = (double)work.footprint / (1 << 20);
        ms[mode] = work.row.median_ms;
        print_row(&work.row);
    }
    arrays_free(&x);
    return 1e3 * (ms[MEASURE_HOT] - ms[MEASURE_COLD]);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double longer_us[SIZES][KINDS];
    run_begin(argc, argv, "03_bandwidth/write_back",
              "Does a launch pay for what the launch before it wrote?",
              "variant parameter value median_ms spread_pct gb_per_s flag check", NULL, NO_ERRORS);
    check_sizes(variants, KINDS);
    size_t l2 = (size_t)run.device.l2CacheSize;
    if (run.counts)
        run.columns = "variant n bytes flops parameter value check";
    for (int i = 0; i < SIZES; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t bytes = run.on_cpu || run.quick || !l2 ? (size_t)CPU_BYTES : l2 / 2;
            longer_us[i][kind] = measure_size(&variants[kind], bytes * sizes[i]);
        }
    for (int i = 0; i < SIZES && run.samples && l2; i++)
        finding(size_names[i], longer_us[i][IN_PLACE] - longer_us[i][READ_ONLY],
                "On %s, hot less cold: %.1f us in place, %.1f us read only.", size_names[i],
                longer_us[i][IN_PLACE], longer_us[i][READ_ONLY]);
    return run_end();
}
