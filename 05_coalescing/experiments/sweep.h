// SPDX-License-Identifier: MIT
// What the offset and the stride sweep have in common: the article's options, the buffers, the
// check of every element, the table.
#ifndef SWEEP_H
#define SWEEP_H

#include "../../common/arrays.h"
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
// The article's setting: not, all of it, or some rows of it behind the fair sweep.
enum { FAIR, ARTICLE, SOME_OF_ARTICLE };

static size_t option_device = SIZE_MAX, option_fp64, option_article;

static const struct option sweep_options[] = {
    {"dev=", "the same as --device", &option_device, 0, INT32_MAX},
    {"fp64", "double instead of float", &option_fp64, 0, 0},
    {"--article", "4 MB in L2, a growing footprint, one launch at a time", &option_article, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};

static inline struct run sweep_begin(const struct program *program, int argc, char **argv) {
    struct run run = run_parse(program, argc, argv);
    if (option_device != SIZE_MAX)
        run.device_number = option_device;
    run_open(&run);
    return run;
}

// How many elements a launch works on.
static inline size_t sweep_size(const struct run *run) {
    size_t size = option_fp64 ? sizeof(double) : sizeof(float);
    size_t beyond_l2 = 4 * (size_t)run->device.l2CacheSize / size;
    if (!option_article)
        return run_size(run, beyond_l2 > SWEEP_N ? beyond_l2 : (size_t)SWEEP_N, SWEEP_CPU_N,
                        4 * size);
    if (run->quick || run->size)
        return run_size(run, 1, 1, 4 * (MOST + 1) * size);
    run_say(run, "Size: %zu elements (4 MB, the article's)", ARTICLE_BYTES / size);
    return ARTICLE_BYTES / size;
}

// ---- Buffers -----------------------------------------------------------------------------------
// `total` elements each: a, what it starts as, that + 1, and what a must become.
struct buffers {
    size_t total, size, bytes;
    char *d_a, *d_start, *d_plus_one, *d_expected;
};

template <typename T> static void fill(T *h, size_t n, int plus) {
    for (size_t i = 0; i < n; i++)
        h[i] = (T)fill_value(i, 3) + (T)plus;
}

static inline struct buffers buffers_create(size_t total, size_t size) {
    struct buffers b = {total, size, total * size, NULL, NULL, NULL, NULL};
    char **const all[] = {&b.d_a, &b.d_start, &b.d_plus_one, &b.d_expected};
    for (int i = 0; i < 4; i++)
        *all[i] = (char *)guarded_malloc(b.bytes);
    void *h = host_malloc(b.bytes);
    for (int plus = 0; plus <= 1; plus++) {
        size == sizeof(double) ? fill((double *)h, total, plus) : fill((float *)h, total, plus);
        CUDA_CHECK(cudaMemcpy(*all[1 + plus], h, b.bytes, cudaMemcpyHostToDevice));
    }
    free(h);
    return b;
}

static inline void buffers_free(struct buffers *b) {
    guarded_free(b->d_a);
    guarded_free(b->d_start);
    guarded_free(b->d_plus_one);
    guarded_free(b->d_expected);
}

// ---- Points of the sweep -----------------------------------------------------------------------
// One launch: elements first, first + step, ... below n become one more, the others stay.
struct point {
    size_t s, n, first, step;
    const struct buffers *buffers;
    int read_only; // it must change nothing
    int sectors;   // for each request of a warp
    char name[32];
    struct row row; // row.value is the prediction in GB/s, and the caller's to set
};

// Resets, launches once, compares every element. What a must become is put together by copies from
// what the host filled in, so that no kernel vouches for another.
static inline int point_try(struct point *point, void (*launch)(void *point)) {
    const struct buffers *b = point->buffers;
    size_t start = point->first * b->size, pitch = point->step * b->size;
    size_t count = (point->n - point->first + point->step - 1) / point->step;
    const enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
    CUDA_CHECK(cudaMemcpy(b->d_a, b->d_start, b->bytes, kind));
    CUDA_CHECK(cudaMemcpy(b->d_expected, b->d_start, b->bytes, kind));
    if (point->read_only)
        ;
    else if (point->step == 1)
        CUDA_CHECK(cudaMemcpy(b->d_expected + start, b->d_plus_one + start, count * b->size, kind));
    else
        CUDA_CHECK(cudaMemcpy2D(b->d_expected + start, pitch, b->d_plus_one + start, pitch, b->size,
                                count, kind));
    launch(point);
    size_t wrong = check_on_device(b->d_a, b->d_expected, b->total, b->size, point->name);
    return !(wrong + count_guard_damage(b->d_a, b->bytes, point->name));
}

// As the article does it: clear all that was allocated, then time one launch.
static inline void measure_cleared(const struct run *run, struct task *tasks, size_t count) {
    struct event_timer timer = event_timer_create();
    for (size_t i = 0; i < count; i++) {
        const struct buffers *b = ((struct point *)tasks[i].context)->buffers;
        tasks[i].samples_ms = (double *)host_malloc(run->samples * sizeof(double));
        tasks[i].batch = 1;
        tasks[i].floor_ms = timer_floor_ms();
        tasks[i].launch(tasks[i].context); // warm-up
        for (size_t sample = 0; sample < run->samples; sample++) {
            CUDA_CHECK(cudaMemsetAsync(b->d_a, 0, b->bytes, 0));
            queue_batch(&timer, &tasks[i], 1);
            tasks[i].samples_ms[sample] = event_timer_ms(&timer);
        }
    }
    event_timer_destroy(&timer);
}

// The launches of the table against their references on the host, a little data: 1 if all are
// right.
static inline int variants_right(const struct variant *variants, size_t count) {
    struct arrays arrays = arrays_create(10007);
    int right = 1;
    for (size_t i = 0; i < count; i++)
        right &= variant_try(&variants[i], &arrays);
    arrays_free(&arrays);
    return right;
}

// Checks all points, measures them, checks them again, and fills in their rows. `right`: whether
// what was checked before was.
static inline void sweep_measure(const struct run *run, struct point *points, struct task *tasks,
                                 size_t count, void (*launch)(void *point), int right) {
    for (size_t i = 0; i < count; i++) {
        struct point *point = &points[i];
        size_t span = point->n - point->first;
        struct task task = {launch, point, NULL, 0, 0};
        tasks[i] = task;
        point->row = run_row(run, point->name);
        point->row.dtype = point->buffers->size == sizeof(double) ? "double" : "float";
        point->row.block = BLOCK;
        point->row.n = (span + point->step - 1) / point->step;
        point->row.bytes = (point->read_only ? 1 : 2) * point->row.n * point->buffers->size;
        point->row.parameter = "predicted GB/s";
        point->row.check = point_try(point, launch) && right ? "ok" : "FAIL";
    }
    if (run->quick)
        return;
    if (option_article)
        measure_cleared(run, tasks, count);
    else
        measure(run, tasks, count, MEASURE_HOT);
    for (size_t i = 0; i < count; i++) {
        struct point *point = &points[i];
        row_measured(&point->row, run, &tasks[i], (point->n - point->first) * point->buffers->size);
        if (!point_try(point, launch))
            point->row.check = "FAIL";
    }
}

// Whether the sweep has a point s: some of the article are 0, 1, 2, 4, 8, 16, 32.
static inline int sweep_has(size_t s) {
    return option_article != SOME_OF_ARTICLE || (s & (s - 1)) == 0 || s == 0;
}

static inline void point_name(struct point *point, const char *pattern) {
    snprintf(point->name, sizeof point->name, "%s %zu%s", pattern, point->s,
             option_article ? ", article" : "");
}

// ---- Table -------------------------------------------------------------------------------------
// "-" for what is not known.
static inline void print_number(const char *format, int width, double value) {
    char text[32];
    snprintf(text, sizeof text, format, value);
    printf("  %*s", width, isnan(value) ? "-" : text);
}

// Wider than run_print's table, with what the sweep is about. CSV and JSON have the plain rows.
static inline void sweep_print(struct run *run, const struct point *points, size_t count) {
    double first = points[0].row.gb_per_s, most = first;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, points[i].row.gb_per_s);
    if (!run->csv)
        printf("%-16s  dtype   sectors   median_ms  useful_gb_per_s   share  predicted  off_by  "
               "%-16s  check\n",
               "variant", "flag");
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &points[i].row;
        if (run->csv) {
            run_print(run, row);
            continue;
        }
        printf("%-16s  %-6s  %7d", row->variant, row->dtype, points[i].sectors);
        print_number("%.4f", 10, row->median_ms);
        print_number("%.1f", 15, row->gb_per_s);
        print_number("%.1f%%", 6, 100 * row->gb_per_s / first);
        print_number("%.1f", 9, row->value);
        print_number("%+.1f%%", 6, 100 * (row->gb_per_s / row->value - 1));
        printf("  %-16s  %-5s", row->flag ? row->flag : "-", row->check);
        for (int k = 0; k < 30 * row->gb_per_s / most - 0.5; k++)
            fputs(k ? "#" : " #", stdout);
        putchar('\n');
        run_keep(run, row);
    }
    fflush(stdout);
}

#endif
