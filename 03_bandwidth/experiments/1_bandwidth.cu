// Effective bandwidth: the bytes a kernel reads and writes, divided by its time. Beside the
// theoretical peak and the device's own copy it tells how much is left to gain. For SAXPY it is the
// limit that counts: the arithmetic could go faster.
//
//     nvcc -O3 1_bandwidth.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 1_bandwidth.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"
#include "../../common/measure.h"

enum {
    ARTICLE_N = 20 * 1024 * 1024, // the SAXPY of the article
    GPU_N = 1 << 28,              // arrays of 1 GiB: no cache holds them, no launch gap shows
    CPU_N = 2 * 1024 * 1024,
};

// ---- Reference ---------------------------------------------------------------------------------
static void saxpy_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

static void add_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

static void copy_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
// Reads x and y, writes y: 12 bytes and 2 flops for an element. The writes go where the reads came
// from, so it moves three arrays but touches two.
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// As many bytes, half the flops: if the bytes are the limit, expect the same time.
__global__ void add(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

// Four elements for each thread, 16 bytes for each access: more bytes on their way at a time.
// Expect it to show how far the memory goes; chapter 06 says why.
__global__ void add_by_four(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)a)[i], q = ((const float4 *)b)[i];
        ((float4 *)out)[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
    if (i < n % 4) // up to three elements are left at the end
        out[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];
}

static void launch_saxpy_256(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        saxpy<<<blocks(n, 256), 256>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_saxpy_512(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        saxpy<<<blocks(n, 512), 512>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_add_256(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        add<<<blocks(n, 256), 256>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_add4_256(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        add_by_four<<<blocks((n + 3) / 4, 256), 256>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}

// Does not wait, although it is called a copy: between two places on the device none does.
static void launch_copy(float *out, const float *a, const float *, size_t n) {
    CUDA_CHECK(cudaMemcpyAsync(out, a, n * sizeof(float), cudaMemcpyDeviceToDevice, 0));
}

// The block of each is in its name.
static const struct variant variants[] = {
    {"saxpy_256", launch_saxpy_256, saxpy_reference, 12, 2, 1, "as add_256: the same bytes"},
    {"saxpy_512", launch_saxpy_512, saxpy_reference, 12, 2, 1, "the article's block"},
    {"add_256", launch_add_256, add_reference, 12, 1, 0, "one float per thread: not the limit"},
    {"add4_256", launch_add4_256, add_reference, 12, 1, 0, "near the memory's limit"},
    {"copy", launch_copy, copy_reference, 8, 0, 0, "the yardstick: the device's own copy"},
};
enum { SAXPY_256, SAXPY_512, ADD_256, ADD4_256, COPY, VARIANTS };

// ---- Measure -----------------------------------------------------------------------------------
struct work {
    const struct variant *variant;
    struct arrays *arrays;
};

static void launch_work(void *context) {
    const struct work *work = (const struct work *)context;
    variant_launch(work->variant, work->arrays);
}

// Prints a row; returns its GB/s.
static double print_row(struct run *run, const struct work *work, const struct task *task,
                        enum measure_mode mode, int right) {
    char formula[128];
    const struct variant *variant = work->variant;
    const char *block = strrchr(variant->name, '_');
    double peak = peak_gb_per_s((int)run->device_number, formula, sizeof formula);
    struct row row = run_row(run, variant->name);
    row.dtype = "float";
    row.n = work->arrays->n;
    row.block = block ? strtoul(block + 1, NULL, 10) : 0;
    row.bytes = row.n * variant->bytes;
    row.flops = row.n * variant->flops;
    row.parameter = mode == MEASURE_HOT ? "hot" : "cold";
    row.check = right ? "ok" : "FAIL";
    if (!run->quick)
        row_measured(&row, run, task, row.bytes - (variant->in_place ? row.n * sizeof(float) : 0));
    if (!run->quick && peak > 0) {
        row.parameter = mode == MEASURE_HOT ? "hot, % of peak" : "cold, % of peak";
        row.value = round(1000 * row.gb_per_s / peak) / 10;
    }
    run_print(run, &row);
    return row.gb_per_s;
}

// `count` variants on n elements, each hot and cold; rates[] takes the hot ones' GB/s.
static void measure_variants(struct run *run, const struct variant *variant, size_t count, size_t n,
                             double *rates) {
    struct arrays arrays = arrays_create(n);
    struct task tasks[MEASURE_COLD + 1][VARIANTS];
    struct work work[VARIANTS];
    int right[VARIANTS];
    for (size_t i = 0; i < count; i++) {
        work[i].variant = &variant[i];
        work[i].arrays = &arrays;
        for (int mode = MEASURE_HOT; mode <= MEASURE_COLD; mode++) {
            struct task task = {launch_work, &work[i], NULL, 0, 0};
            tasks[mode][i] = task;
        }
        right[i] = variant_try(&variant[i], &arrays);
    }
    for (int mode = MEASURE_HOT; mode <= MEASURE_COLD && !run->quick; mode++)
        measure(run, tasks[mode], count, (enum measure_mode)mode);
    for (size_t i = 0; i < count && !run->quick; i++)
        right[i] &= variant_try(&variant[i], &arrays);
    for (size_t i = 0; i < count; i++) {
        rates[i] = print_row(run, &work[i], &tasks[MEASURE_HOT][i], MEASURE_HOT, right[i]);
        print_row(run, &work[i], &tasks[MEASURE_COLD][i], MEASURE_COLD, right[i]);
    }
    for (int mode = MEASURE_HOT; mode <= MEASURE_COLD; mode++)
        measure_free(tasks[mode], count);
    arrays_free(&arrays);
}

// What the rates say, and how: they may be any.
static void conclude(const struct run *run, const double *rates) {
    int best = 0;
    for (int i = 1; i < VARIANTS; i++)
        best = rates[i] > rates[best] ? i : best;
    size_t flops = variants[SAXPY_512].flops, bytes = variants[SAXPY_512].bytes;
    double intensity = (double)flops / (double)bytes, ratio = rates[ADD_256] / rates[SAXPY_256];
    run_say(run,
            "The fastest here is %s with %.1f GB/s; the device's own copy moves %.1f (read + "
            "written).\nsaxpy_512 moves %.1f GB/s, %.1f %% of the fastest.",
            variants[best].name, rates[best], rates[COPY], rates[SAXPY_512],
            100 * rates[SAXPY_512] / rates[best]);
    run_say(run,
            "%zu flops for %zu bytes are %.3f flop/byte: at %.1f GB/s no more than %.1f GFLOP/s, "
            "whatever the\narithmetic could do. saxpy_256 does twice the flops of add_256 on as "
            "many bytes and takes\n%.3f times as long: %s.",
            flops, bytes, intensity, rates[best], intensity * rates[best], ratio,
            ratio < 1.1 ? "the arithmetic is not what takes the time"
                        : "flops, or another program, cost time here");
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "03_bandwidth",
    "bandwidth",
    "SAXPY is limited by the bytes it moves: compare GB/s with the peak and with a plain copy.",
    "variant n parameter value median_ms gb_per_s gflop_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    char formula[128];
    double rates[VARIANTS], article[1];
    peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    run_say(&run, "Theoretical peak: %s", formula);
    size_t n = run_size(&run, GPU_N, CPU_N, 7 * sizeof(float)); // 3 references are kept

    measure_variants(&run, variants, VARIANTS, n, rates);
    if (!run.quick && n != ARTICLE_N)
        measure_variants(&run, &variants[SAXPY_512], 1, ARTICLE_N, article);
    if (!run.quick)
        conclude(&run, rates);
    return run_end(&run);
}
