// Effective bandwidth: the bytes a kernel reads and writes, divided by its time. Beside the
// theoretical peak and the device's own copy, it says how much is left to gain. For SAXPY it is the
// limit that counts: the arithmetic could go faster.
//
//     nvcc -O3 -arch=native 1_bandwidth.cu && ./a.out
//     ../../cudacc/cudacc -O2 1_bandwidth.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "yardsticks.h"

enum {
    ARTICLE_N = 20 << 20, // the SAXPY of the article
    GPU_N = 1 << 26,      // arrays of 256 MiB: no cache holds them
    CPU_N = 2 << 20,
};

// ---- Kernel ------------------------------------------------------------------------------------
// Reads x and y, writes y: 12 bytes and 2 flops for an element. The writes go where the reads came
// from, so it moves three arrays but touches two.
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaGetLastError());
}

enum { SAXPY_256, SAXPY_512, ADD_256, ADD4_256, COPY, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"saxpy_256", launch_saxpy, saxpy_reference, 256, 0, 12, 2, 1, "as add_256: the same bytes"},
    {"saxpy_512", launch_saxpy, saxpy_reference, 512, 0, 12, 2, 1, "the article's block"},
    {"add_256", launch_add, sum_reference, 256, 0, 12, 1, 0, "one float per thread: not the limit"},
    {"add4_256", launch_add_by_four, sum_reference, 256, 0, 12, 1, 0, "near the memory's limit"},
    {"copy", launch_copy, copy_reference, 0, 0, 8, 0, 0, "the yardstick: the device's own copy"},
};

// ---- Measure -----------------------------------------------------------------------------------
// What a row's value is: the share of the peak, or, without times, the flops for a byte.
static void set_value(struct row *row, int mode, double peak) {
    const int known = run.samples && peak > 0;
    row->parameter = mode == MEASURE_HOT ? (known ? "hot, % of peak" : "hot")
                                         : (known ? "cold, % of peak" : "cold");
    if (known)
        row->value = round(1000 * row->gb_per_s / peak) / 10;
    if (run.counts)
        row->parameter = "flop/byte", row->value = (double)row->flops / (double)row->bytes;
}

// `count` variants on n elements, each hot and cold; rates take the hot ones' GB/s.
static void measure_variants(const struct variant *variant, size_t count, size_t n, double peak,
                             double *rates) {
    const size_t modes = run.counts ? 1 : 2;
    struct arrays x = arrays_create(n);
    struct work works[MEASURE_COLD + 1][VARIANTS];
    for (size_t mode = 0; mode < modes; mode++) {
        for (size_t i = 0; i < count; i++) {
            works[mode][i].variant = &variant[i], works[mode][i].x = &x;
            works[mode][i].footprint = n * (variant[i].in_place ? 8 : variant[i].bytes);
        }
        measure_works(works[mode], count, (enum measure_mode)mode);
    }
    for (size_t i = 0; i < modes * count; i++) {
        struct row *row = &works[i % modes][i / modes].row;
        set_value(row, (int)(i % modes), peak);
        print_row(row);
        rates[i / modes] = works[MEASURE_HOT][i / modes].row.gb_per_s;
    }
    arrays_free(&x);
}

// ---- Findings ----------------------------------------------------------------------------------
static void conclude(const double *rates) {
    int best = 0;
    for (int i = 1; i < VARIANTS; i++)
        best = rates[i] > rates[best] ? i : best;
    const struct variant *saxpy = &variants[SAXPY_256], *add = &variants[ADD_256];
    double most = rates[best], percent = 100 * (rates[SAXPY_512] / most);
    double limit = most * saxpy->flops / saxpy->bytes;
    finding_if(percent <= 100, "saxpy_percent_of_best", percent,
               "saxpy_512 moves %.1f GB/s: %.1f %% of the fastest here, %s with %.1f; the device's "
               "own copy moves %.1f.",
               rates[SAXPY_512], percent, variants[best].name, most, rates[COPY]);
    finding_if(
        rates[SAXPY_256] <= most && rates[SAXPY_512] <= most, "gflop_per_s_limit", limit,
        "At %.1f GB/s, SAXPY can never exceed %.1f GFLOP/s, however fast the arithmetic is: it "
        "moves %g bytes for %g flops.",
        most, limit, saxpy->bytes, saxpy->flops);
    finding_if(
        saxpy->flops == 2 * add->flops && saxpy->bytes == add->bytes, "saxpy_to_add_time",
        rates[ADD_256] / rates[SAXPY_256],
        "saxpy_256 does twice the flops of add_256 on the same bytes and takes %.3f times as "
        "long.",
        rates[ADD_256] / rates[SAXPY_256]);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    const struct variant *saxpy = &variants[SAXPY_512];
    char formula[128];
    double rates[VARIANTS], article, peak = 0;
    run_begin(argc, argv, "03_bandwidth/bandwidth",
              "SAXPY is limited by the bytes it moves: compare GB/s with the peak and with a copy.",
              "variant n parameter value median_ms gb_per_s gflop_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(variants, VARIANTS);
    if (run.counts) {
        run.columns = "variant n bytes flops parameter value check";
    } else {
        peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
        say("Theoretical peak: %s", formula);
        say("ECC: %s", run.device.ECCEnabled ? "on" : "off, or the memory has none");
    }
    size_t n = run_size(GPU_N, CPU_N, ARRAYS * sizeof(float));
    measure_variants(variants, VARIANTS, n, peak, rates);
    if (run.samples && n != ARTICLE_N)
        measure_variants(saxpy, 1, ARTICLE_N, peak, &article);
    if (run.counts)
        finding("saxpy_flop_per_byte", saxpy->flops / saxpy->bytes,
                "SAXPY computes %g flops for %g bytes: %.3f flop/byte.", saxpy->flops, saxpy->bytes,
                saxpy->flops / saxpy->bytes);
    if (run.samples)
        conclude(rates);
    return run_end();
}
