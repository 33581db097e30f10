// Effective bandwidth: the bytes a kernel reads and writes, divided by its time. Beside the
// theoretical peak and the device's own copy, it says how much is left to gain. For SAXPY it is the
// limit that counts: the arithmetic could go faster.
//
//     nvcc -O3 -arch=native 1_bandwidth.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 1_bandwidth.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"

enum {
    ARTICLE_N = 20 << 20, // the SAXPY of the article
    GPU_N = 1 << 26,      // arrays of 256 MiB: no cache holds them
    CPU_N = 2 << 20,
};

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

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_add(const struct arrays *x, unsigned block, size_t) {
    add<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_add_by_four(const struct arrays *x, unsigned block, size_t) {
    add_by_four<<<blocks((x->n + 3) / 4, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->d_b,
                                                                         x->n);
    CUDA_CHECK(cudaGetLastError());
}

// Does not wait, although it is called a copy: between two places on the device none does.
static void launch_copy(const struct arrays *x, unsigned, size_t) {
    CUDA_CHECK(cudaMemcpyAsync(x->d_out, x->d_a, x->n * sizeof(float), cudaMemcpyDeviceToDevice,
                               run.stream));
}

// ---- References --------------------------------------------------------------------------------
static void saxpy_reference(float *y, const float *x, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

static void add_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

static void copy_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

enum { SAXPY_256, SAXPY_512, ADD_256, ADD4_256, COPY, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"saxpy_256", launch_saxpy, saxpy_reference, 256, 0, 12, 2, 1, "as add_256: the same bytes"},
    {"saxpy_512", launch_saxpy, saxpy_reference, 512, 0, 12, 2, 1, "the article's block"},
    {"add_256", launch_add, add_reference, 256, 0, 12, 1, 0, "one float per thread: not the limit"},
    {"add4_256", launch_add_by_four, add_reference, 256, 0, 12, 1, 0, "near the memory's limit"},
    {"copy", launch_copy, copy_reference, 0, 0, 8, 0, 0, "the yardstick: the device's own copy"},
};

// ---- Measure -----------------------------------------------------------------------------------
// `count` variants on n elements, each hot and cold; rates take the hot ones' GB/s.
static void measure_variants(const struct variant *variant, size_t count, size_t n, double peak,
                             double *rates) {
    struct arrays x = arrays_create(n);
    struct work works[MEASURE_COLD + 1][VARIANTS];
    for (int mode = MEASURE_HOT; mode <= MEASURE_COLD; mode++) {
        for (size_t i = 0; i < count; i++) {
            works[mode][i].variant = &variant[i], works[mode][i].x = &x;
            works[mode][i].footprint = n * (variant[i].in_place ? 8 : variant[i].bytes);
        }
        measure_works(works[mode], count, (enum measure_mode)mode);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        int mode = (int)(i % 2), known = run.samples && peak > 0;
        struct row *row = &works[mode][i / 2].row;
        if (known)
            row->value = round(1000 * row->gb_per_s / peak) / 10;
        row->parameter = mode == MEASURE_HOT ? (known ? "hot, % of peak" : "hot")
                                             : (known ? "cold, % of peak" : "cold");
        print_row(row);
    }
    for (size_t i = 0; i < count; i++)
        rates[i] = works[MEASURE_HOT][i].row.gb_per_s;
    arrays_free(&x);
}

// Without times: what a launch moves and computes, and its flops for a byte.
static void count_variants(size_t n) {
    struct arrays x = arrays_create(n);
    run.columns = "variant n bytes flops parameter value check";
    for (int i = 0; i < VARIANTS; i++) {
        struct row row = variant_row(&variants[i], &x, variant_try(&variants[i], &x));
        row.parameter = "flop/byte";
        row.value = (double)row.flops / (double)row.bytes;
        print_row(&row);
    }
    arrays_free(&x);
    const double saxpy = variants[SAXPY_512].flops / variants[SAXPY_512].bytes;
    finding("saxpy_flop_per_byte", saxpy, "SAXPY computes %g flops for %g bytes: %.3f flop/byte.",
            variants[SAXPY_512].flops, variants[SAXPY_512].bytes, saxpy);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    char formula[128];
    double rates[VARIANTS], article;
    int best = 0;
    run_begin(argc, argv, "03_bandwidth/bandwidth",
              "SAXPY is limited by the bytes it moves: compare GB/s with the peak and with a copy.",
              "variant n parameter value median_ms gb_per_s gflop_per_s flag check", "elements",
              NO_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    if (run.counts) {
        count_variants(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
        return run_end();
    }
    double peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    say("Theoretical peak: %s", formula);
    say("ECC: %s", run.device.ECCEnabled ? "on" : "off, or the memory has none");
    size_t n = run_size(GPU_N, CPU_N, ARRAYS * sizeof(float));
    measure_variants(variants, VARIANTS, n, peak, rates);
    if (run.samples && n != ARTICLE_N)
        measure_variants(&variants[SAXPY_512], 1, ARTICLE_N, peak, &article);
    if (!run.samples)
        return run_end();
    for (int i = 1; i < VARIANTS; i++)
        best = rates[i] > rates[best] ? i : best;
    double most = rates[best], percent = 100 * rates[SAXPY_512] / most;
    finding("saxpy_percent_of_best", percent,
            "saxpy_512 moves %.1f GB/s: %.1f %% of the fastest here, %s with %.1f; the device's "
            "own copy moves %.1f.",
            rates[SAXPY_512], percent, variants[best].name, most, rates[COPY]);
    finding("gflop_per_s_limit", most / 6,
            "At %.1f GB/s, SAXPY can never exceed %.1f GFLOP/s, however fast the arithmetic is: it "
            "moves 12 bytes for 2 flops.",
            most, most / 6);
    finding("saxpy_to_add_time", rates[ADD_256] / rates[SAXPY_256],
            "saxpy_256 does twice the flops of add_256 on the same bytes and takes %.3f times as "
            "long.",
            rates[ADD_256] / rates[SAXPY_256]);
    return run_end();
}
