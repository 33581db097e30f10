// SPDX-License-Identifier: MIT
// What `snippet` puts in the place of the experiments' headers: the same names in their plainest
// form. No options but --errors, no guards around buffers, a row is a line of printf.
#ifndef PLAIN_ROWS_H
#define PLAIN_ROWS_H

#include "../../common/common.h"
#include <math.h>
#include <string.h>

// ---- The run -----------------------------------------------------------------------------------
static struct {
    struct cudaDeviceProp device;
    size_t device_number, samples, errors, failed_rows;
    size_t quick, size, size_count, sizes[2]; // of options that are not here
    int on_cpu;
} run;

#define say(...) (printf(__VA_ARGS__), putchar('\n'))
#define finding(name, value, ...) (printf("%s: ", name), say(__VA_ARGS__))

static void run_begin(int argc, char **argv, const char *, const char *claim, const char *,
                      const char *, int has_errors) {
    run.errors = argc == 2 && has_errors && strcmp(argv[1], "--errors") == 0;
    if (argc != 1 + (int)run.errors)
        fprintf(stderr, "%s: unknown option '%s'\n", argv[0], argv[1]), exit(2);
    CUDA_CHECK(cudaGetDeviceProperties(&run.device, 0));
    run.on_cpu = on_cpu_device(&run.device); // whose times say nothing about a GPU
    run.samples = run.on_cpu ? 1 : 21;
    say("%s\n%s", run.device.name, claim);
}

static int run_end(void) {
    puts(run.failed_rows ? "FAIL" : "PASS");
    return run.failed_rows > 0;
}

static size_t run_size(size_t gpu, size_t cpu, size_t) { return run.on_cpu ? cpu : gpu; }

// ---- Rows --------------------------------------------------------------------------------------
struct row {
    const char *variant, *dtype, *parameter, *flag, *check;
    size_t n, block, bytes, flops, samples;
    double value, median_ms, min_ms, max_ms, spread_pct, gb_per_s, gflop_per_s, bar;
};

static struct row row_of(const char *variant) {
    struct row row = {};
    row.variant = variant;
    row.value = row.median_ms = row.gb_per_s = row.gflop_per_s = NAN;
    return row;
}

static void print_row(const struct row *row) {
    const double values[] = {row->value, row->median_ms, row->gb_per_s, row->gflop_per_s};
    const char *const units[] = {"", " ms", " GB/s", " GFLOP/s"};
    printf("%-26s %-24s", row->variant, row->parameter ? row->parameter : "");
    for (int i = 0; i < 4; i++)
        if (isfinite(values[i]))
            printf(" %10.6g%s", values[i], units[i]);
    printf(" %s %s\n", row->flag ? row->flag : "", row->check ? row->check : "");
    run.failed_rows += row->check && strcmp(row->check, "ok") != 0;
}

// ---- Memory ------------------------------------------------------------------------------------
#define out_of_memory(...) (fprintf(stderr, __VA_ARGS__), exit(3))

static void *host_malloc(size_t bytes) {
    void *h = malloc(bytes + 1);
    if (!h)
        fputs("out of host memory\n", stderr), exit(3);
    return h;
}

static size_t count_mismatches(const void *expected, const void *actual, size_t n, size_t size,
                               const char *what) {
    size_t wrong = 0;
    for (size_t at = 0; at < n * size; at += size)
        if (memcmp((const char *)expected + at, (const char *)actual + at, size) && wrong++ == 0)
            fprintf(stderr, "%s: element %zu is wrong\n", what, at / size);
    return wrong;
}

// Out, its inputs a and b, and what out must become, which lies on the host.
struct arrays {
    size_t n;
    float *d_out, *d_a, *d_b, *h_expected;
    int same_for_all; // which references are
};

static struct arrays arrays_create(size_t n) {
    struct arrays x = {n, NULL, NULL, NULL, (float *)host_malloc(n * sizeof(float)), 0};
    float **d[] = {&x.d_out, &x.d_a, &x.d_b};
    for (unsigned i = 0; i < 3; i++) {
        fill_floats(x.h_expected, n, i);
        CUDA_CHECK(cudaMalloc((void **)d[i], n * sizeof(float)));
        CUDA_CHECK(cudaMemcpy(*d[i], x.h_expected, n * sizeof(float), cudaMemcpyHostToDevice));
    }
    return x;
}

static void arrays_free(struct arrays *x) {
    CUDA_CHECK(cudaFree(x->d_out));
    CUDA_CHECK(cudaFree(x->d_a));
    CUDA_CHECK(cudaFree(x->d_b));
    free(x->h_expected);
}

// ---- Variants ----------------------------------------------------------------------------------
static void variant_expect(const struct variant *v, struct arrays *x) {
    float *h = (float *)host_malloc(2 * x->n * sizeof *h);
    fill_floats(h, x->n, 1);
    fill_floats(h + x->n, x->n, 2);
    fill_floats(x->h_expected, x->n, 3);
    v->expected(x->h_expected, h, h + x->n, x->n, v->parameter);
    free(h);
}

static void variant_reset(const struct variant *, const struct arrays *x) {
    float *h = (float *)host_malloc(x->n * sizeof *h);
    fill_floats(h, x->n, 3);
    CUDA_CHECK(cudaMemcpy(x->d_out, h, x->n * sizeof *h, cudaMemcpyHostToDevice));
    free(h);
}

static int variant_is_right(const struct variant *v, const struct arrays *x) {
    float *h = (float *)host_malloc(x->n * sizeof *h);
    CUDA_CHECK(cudaMemcpy(h, x->d_out, x->n * sizeof *h, cudaMemcpyDeviceToHost));
    size_t wrong = count_mismatches(x->h_expected, h, x->n, sizeof *h, v->name);
    free(h);
    return wrong == 0;
}

// Each variant once, if a list of sizes is set.
static int check_sizes(const struct variant *variants, size_t count) {
    for (size_t i = 0; run.size_count > 1 && i < count; i++) {
        struct arrays x = arrays_create(run.sizes[1]);
        run.failed_rows += !variant_try(&variants[i], &x);
        arrays_free(&x);
    }
    return run.size_count > 1;
}

// ---- Times -------------------------------------------------------------------------------------
// Launches timed one by one.
static void measure(struct task *tasks, size_t count, enum measure_mode) {
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (struct task *task = tasks; task < tasks + count; task++) {
        task->samples_ms = (double *)host_malloc(run.samples * sizeof(double));
        task->launch(task->context); // warm-up
        for (task->samples = 0; task->samples < run.samples; task->samples++) {
            CUDA_CHECK(cudaEventRecord(start, 0));
            task->launch(task->context);
            CUDA_CHECK(cudaEventRecord(stop, 0));
            task->samples_ms[task->samples] = elapsed_ms(start, stop);
        }
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
}

static void row_measured(struct row *row, const struct task *task, size_t) {
    row_times(row, task->samples_ms, task->samples);
    row->gb_per_s = gb_per_s(row->bytes, row->median_ms);
    row->gflop_per_s = gflop_per_s(row->flops, row->median_ms);
}

#endif
