// A bandwidth figure is the memory's only if the data does not fit in a cache. One kernel, on ever
// more data: while it fits in L2, launches in a row run faster than any memory could feed them. A
// cold cache takes that away again, and from some 4 x L2 on it makes no difference.
//
//     nvcc -O3 2_size_sweep.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_size_sweep.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"
#include "../../common/measure.h"

enum {
    ARTICLE_N = 20 * 1024 * 1024, // the SAXPY of the article; the sweep goes beyond it
    CPU_N = 4 * 1024 * 1024,
    TOUCHED = 2 * sizeof(float), // by SAXPY for an element: x and y. It moves 12 bytes: y twice
};

// The sizes, in 256ths of the largest, which is 16 x L2: from L2/16 on, closer together round L2.
static const size_t parts[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 256};
enum { PARTS = (int)(sizeof parts / sizeof parts[0]) };

// ---- Reference ---------------------------------------------------------------------------------
static void saxpy_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
// Four elements for each thread: with one, it is not the memory that sets the limit (chapter 06).
// Expect the memory's rate for large n, more for n that fit in L2, and less again for the smallest,
// where starting a kernel takes as long as running it.
__global__ void saxpy_by_four(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)x)[i], q = ((const float4 *)y)[i];
        ((float4 *)y)[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
    }
    if (i < n % 4) // up to three elements are left at the end
        y[n - 1 - i] = a * x[n - 1 - i] + y[n - 1 - i];
}

static void launch_saxpy4_256(float *y, const float *x, const float *, size_t n) {
    size_t threads = (n + 3) / 4;
    if (n > 0)
        saxpy_by_four<<<(unsigned)((threads + 255) / 256), 256>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"saxpy4_256", launch_saxpy4_256, saxpy_reference, 12, 2, 1, "faster than the memory in L2"},
};

// ---- Measure -----------------------------------------------------------------------------------
enum { MODES = MEASURE_COLD + 1 };

static void launch_arrays(void *context) {
    variant_launch(&variants[0], (const struct arrays *)context);
}

// Fills in a row for each mode, to be printed when all are known.
static void measure_size(const struct run *run, size_t n, double peak, struct task *tasks,
                         struct row *rows) {
    struct arrays arrays = arrays_create(n);
    int right = variant_try(&variants[0], &arrays);
    for (int mode = 0; mode < MODES; mode++) {
        struct task task = {launch_arrays, &arrays, NULL, 0, 0};
        tasks[mode] = task;
        if (!run->quick)
            measure(run, &tasks[mode], 1, (enum measure_mode)mode);
    }
    if (!run->quick)
        right &= variant_try(&variants[0], &arrays);
    for (int mode = 0; mode < MODES; mode++) {
        struct row *row = &rows[mode];
        *row = run_row(run, variants[0].name);
        row->dtype = "float";
        row->n = n;
        row->block = 256;
        row->parameter = mode == MEASURE_HOT ? "hot, MiB touched" : "cold, MiB touched";
        row->value = (double)(n * TOUCHED) / (1 << 20);
        row->bytes = n * variants[0].bytes;
        row->flops = n * variants[0].flops;
        row->check = right ? "ok" : "FAIL";
        if (run->quick)
            continue;
        row_measured(row, run, &tasks[mode], n * TOUCHED);
        if (peak > 0 && row->gb_per_s > peak) // more than "may": no memory did that
            row->flag = "above the peak";
    }
    arrays_free(&arrays);
}

// What the rates say: they may be any.
static void conclude(const struct run *run, struct row rows[][MODES], int sizes, double peak) {
    const struct row *best = &rows[0][MEASURE_HOT], *last = &rows[sizes - 1][MEASURE_HOT];
    double l2_mib = (double)run->device.l2CacheSize / (1 << 20), apart = 0;
    int above = 0;
    for (int i = 0; i < sizes; i++) {
        const struct row *hot = &rows[i][MEASURE_HOT], *cold = &rows[i][MEASURE_COLD];
        best = hot->gb_per_s > best->gb_per_s ? hot : best;
        above += peak > 0 && hot->gb_per_s > peak;
        if (hot->value >= 4 * l2_mib)
            apart = fmax(apart, fabs(hot->gb_per_s / cold->gb_per_s - 1));
    }
    run_say(run, "Fastest: %.1f GB/s on %g MiB, %.2f times the %.1f GB/s on %g MiB.",
            best->gb_per_s, best->value, best->gb_per_s / last->gb_per_s, last->gb_per_s,
            last->value);
    if (peak > 0)
        run_say(run, "%d of %d sizes are above the peak when hot%s. (A bar of 30 # is the peak.)",
                above, sizes, above ? ": the cache, for no memory did that" : "");
    if (l2_mib > 0 && last->value >= 4 * l2_mib)
        run_say(run, "From 4 x L2 (%g MiB) on, hot and cold differ by %.1f %% at most.", 4 * l2_mib,
                100 * apart);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "03_bandwidth",
    "size_sweep",
    "On data that fits in L2 a kernel measures the cache, and beats the memory's theoretical peak.",
    "variant parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    char formula[128];
    double peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula), scale = peak;
    size_t n_gpu = 16 * (size_t)run.device.l2CacheSize / TOUCHED;
    struct task tasks[PARTS][MODES];
    struct row rows[PARTS][MODES];
    int sizes = 0;
    run_say(&run, "Theoretical peak: %s", formula);
    size_t largest =
        run_size(&run, n_gpu > ARTICLE_N ? n_gpu : (size_t)ARTICLE_N, CPU_N, 5 * sizeof(float));
    guarded_free(guarded_malloc(largest * 5 * sizeof(float))); // if that is too much, it fails here
    for (int i = 0; i < PARTS; i++) {
        size_t n = largest / 256 * parts[i] + largest % 256 * parts[i] / 256;
        if (n > 0) {
            measure_size(&run, n, peak, tasks[sizes], rows[sizes]);
            sizes++;
        }
    }
    for (int i = 0; i < sizes * MODES && peak == 0; i++)
        scale = fmax(scale, rows[i / MODES][i % MODES].gb_per_s);
    for (int i = 0; i < sizes * MODES; i++) {
        struct row *row = &rows[i % sizes][i / sizes];
        row->bar = row->gb_per_s / scale;
        run_print(&run, row);
    }
    if (!run.quick)
        conclude(&run, rows, sizes, peak);
    for (int i = 0; i < sizes; i++)
        measure_free(tasks[i], MODES);
    return run_end(&run);
}
