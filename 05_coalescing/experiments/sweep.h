// SPDX-License-Identifier: MIT
// What the sweeps over offsets and strides share: the article's options, an array of float or
// double, the check of every element, the table.
#ifndef SWEEP_H
#define SWEEP_H

#include "../../common/measure.h"
#include "sectors.h"

enum {
    BLOCK = 256,             // the article's, as are the next two
    MOST = 32,               // the largest offset and stride
    ARTICLE_BYTES = 4 << 20, // of useful data; it allocates 33 times that
    SWEEP_N = 1 << 26,       // for a GPU, or 4 x L2 if that is more
    SWEEP_CPU_N = 1 << 18,
    LINE = 128, // bytes of a line in L2, 4 sectors
};

// ---- Options -----------------------------------------------------------------------------------
// The article's setting: not, all of it, or some rows of it after the fair sweep.
enum { FAIR, ARTICLE, SOME_OF_ARTICLE };

static size_t option_fp64, option_article;

static const struct option sweep_options[] = {
    {"dev=", "the same as --device", &run.device_number, 0, INT32_MAX},
    {"fp64", "double instead of float", &option_fp64, 0, 0},
    {"--article", "4 MB in L2, a growing footprint, one launch at a time", &option_article, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};

// How many elements a launch works on.
static inline size_t sweep_size(void) {
    size_t size = option_fp64 ? sizeof(double) : sizeof(float);
    if (!option_article)
        return run_size(beyond_l2(SWEEP_N, size), SWEEP_CPU_N, 4 * size);
    if (run.quick || run.size)
        return run_size(1, 1, 4 * (MOST + 1) * size);
    say("Size: %zu elements (4 MB, the article's)", ARTICLE_BYTES / size);
    return ARTICLE_BYTES / size;
}

// Some of the article are 0, 1, 2, 4, 8, 16, 32.
static inline int sweep_has(size_t s) { return option_article < SOME_OF_ARTICLE || !(s & (s - 1)); }

// ---- Buffers -----------------------------------------------------------------------------------
// `total` elements of `size` bytes: a; what a must become, what it starts as, and that + 1.
struct buffers {
    size_t total, size, bytes;
    char *d_a, *d_expected, *d_start, *d_plus_one; // the last three in one piece
};

template <typename T> static struct buffers buffers_create(size_t total) {
    size_t bytes = total * sizeof(T);
    char *d_a = (char *)guarded_malloc(bytes), *d_expected = (char *)guarded_malloc(3 * bytes);
    T *h = (T *)host_malloc(2 * bytes);
    for (size_t i = 0; i < total; i++) {
        h[i] = (T)fill_value(i, 3);
        h[total + i] = h[i] + 1;
    }
    CUDA_CHECK(cudaMemcpy(d_expected + bytes, h, 2 * bytes, cudaMemcpyHostToDevice));
    free(h);
    return {total, sizeof(T), bytes, d_a, d_expected, d_expected + bytes, d_expected + 2 * bytes};
}

static inline void buffers_free(struct buffers *b) {
    guarded_free(b->d_a);
    guarded_free(b->d_expected);
}

// ---- Points of the sweep -----------------------------------------------------------------------
typedef void launch_function(const struct arrays *x, unsigned block, size_t parameter);

// One launch: `count` elements, `first` and then every step-th, become one more, the others stay.
struct point {
    launch_function *launch;
    const struct buffers *buffers;
    size_t s, first, step, count; // s is the launch's parameter
    int read_only;                // it must change nothing
    int sectors;                  // for each request of a warp
    char name[32];
    struct row row; // row.value is the prediction in GB/s, and the caller's to set
};

// With fp64, d_out is an array of double: so are the launch and all that is compared.
static inline void launch_point(void *context) {
    const struct point *point = (const struct point *)context;
    struct arrays x = {};
    x.n = point->first + point->step * point->count;
    x.d_out = (float *)point->buffers->d_a;
    point->launch(&x, BLOCK, point->s);
}

// Resets, launches once, compares every element. What a must become is put together by copies from
// what the host filled in, so that no kernel vouches for another.
static inline int point_try(struct point *point) {
    const struct buffers *b = point->buffers;
    const enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
    const size_t pitch = point->step * b->size, start = point->first * b->size;
    char *to = b->d_expected + start, *from = b->d_plus_one + start;
    CUDA_CHECK(cudaMemcpy(b->d_a, b->d_start, b->bytes, kind));
    CUDA_CHECK(cudaMemcpy(b->d_expected, b->d_start, b->bytes, kind));
    if (!point->read_only && point->step == 1)
        CUDA_CHECK(cudaMemcpy(to, from, point->count * b->size, kind));
    else if (!point->read_only)
        CUDA_CHECK(cudaMemcpy2D(to, pitch, from, pitch, b->size, point->count, kind));
    launch_point(point);
    return !(count_mismatches_on_device(b->d_expected, b->d_a, b->total, b->size, point->name) +
             count_guard_damage(b->d_a, b->bytes, point->name));
}

// As the article does it: clear all that was allocated, then time one launch.
static inline void measure_cleared(struct task *tasks, size_t count) {
    struct sampler sampler = sampler_create(MEASURE_HOT);
    for (size_t i = 0; i < count; i++) {
        const struct buffers *b = ((struct point *)tasks[i].context)->buffers;
        tasks[i].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
        tasks[i].samples = run.samples;
        tasks[i].batch = 1;
        tasks[i].floor_ms = timer_floor_ms();
        launch_point(tasks[i].context); // warm-up
        for (size_t sample = 0; sample < run.samples; sample++) {
            CUDA_CHECK(cudaMemsetAsync(b->d_a, 0, b->bytes, 0));
            tasks[i].samples_ms[sample] = batch_ms(&sampler, &tasks[i], 1);
        }
    }
    sampler_free(&sampler);
}

// The table's launches against their references on the host, on a little data: 1 if all are right.
static inline int variants_right(const struct variant *variants, size_t count) {
    struct arrays x = arrays_create(10007);
    int right = 1;
    for (size_t i = 0; i < count; i++)
        right &= variant_try(&variants[i], &x);
    arrays_free(&x);
    return right;
}

// Checks all points, measures them, checks them again, and fills in their rows. `right`: whether
// what was checked before was.
static inline void sweep_measure(struct point *points, size_t count, int right) {
    struct task *tasks = (struct task *)host_malloc(count * sizeof *tasks);
    for (size_t i = 0; i < count; i++) {
        struct point *point = &points[i];
        struct row *row = &point->row;
        tasks[i] = task_of(launch_point, point);
        *row = row_of(point->name);
        row->dtype = point->buffers->size == sizeof(double) ? "double" : "float";
        row->block = BLOCK;
        row->n = point->count;
        row->bytes = (point->read_only ? 1 : 2) * row->n * point->buffers->size;
        row->parameter = "predicted GB/s";
        row->check = point_try(point) && right ? "ok" : "FAIL";
    }
    if (run.samples)
        option_article ? measure_cleared(tasks, count) : measure(tasks, count, MEASURE_HOT);
    for (size_t i = 0; i < count && run.samples; i++) {
        struct point *point = &points[i];
        row_measured(&point->row, &tasks[i], point->step * point->count * point->buffers->size);
        if (!point_try(point))
            point->row.check = "FAIL";
    }
    measure_free(tasks, run.samples ? count : 0);
    free(tasks);
}

// ---- Table -------------------------------------------------------------------------------------
// "-" for what is not known.
static inline void print_number(const char *format, int width, double value) {
    char text[32];
    snprintf(text, sizeof text, format, value);
    fprintf(talk(), "  %*s", width, isnan(value) ? "-" : text);
}

// Wider than print_row's table, with what the sweep is about. CSV has the plain rows.
static inline void sweep_print(const struct point *points, size_t count) {
    double first = points[0].row.gb_per_s, most = first;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, points[i].row.gb_per_s);
    say("%-16s  dtype   sectors   median_ms  useful_gb_per_s   share  predicted  off_by  %-16s  "
        "check",
        "variant", "flag");
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &points[i].row;
        fprintf(talk(), "%-18s  %-6s  %7d", row->variant, row->dtype, points[i].sectors);
        print_number("%.4f", 10, row->median_ms);
        print_number("%.1f", 15, row->gb_per_s);
        print_number("%.1f%%", 6, 100 * row->gb_per_s / first);
        print_number("%.1f", 9, row->value);
        print_number("%+.1f%%", 6, 100 * (row->gb_per_s / row->value - 1));
        fprintf(talk(), "  %-16s  %-5s", row->flag ? row->flag : "-", row->check);
        for (int k = 0; k < 30 * row->gb_per_s / most - 0.5; k++)
            fputs(k ? "#" : " #", talk());
        fputc('\n', talk());
        keep_row(row);
    }
    fflush(talk());
}

#endif
