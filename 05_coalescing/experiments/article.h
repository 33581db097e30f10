// SPDX-License-Identifier: MIT
// What offset and stride do alike, after Mark Harris's program: its options, its sweep over 0 or 1
// to 32 in float and in double, and beside it the sweep as the program itself does it.
#ifndef ARTICLE_H
#define ARTICLE_H

#include "sweep.h"

enum { ARTICLE_BYTES = 4 << 20 }; // of useful data; it allocates 33 times that
enum { FLOATS, DOUBLES, TYPES };

static size_t option_fp64, option_article;

static const struct option article_options[] = {
    {"dev=", "the same as --device", &run.device_number, 0, INT32_MAX},
    {"fp64", "double instead of float", &option_fp64, 0, 0},
    {"--article", "4 MB in L2, a growing footprint, one launch at a time", &option_article, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};

// A program's sweep: launches for floats and doubles, over all of an array and as in the article.
struct sweep {
    const char *program, *claim, *name; // "stride": its rows are "stride 8" and "stride 8, article"
    size_t low;                         // the first s, 0 or 1; the last is MOST
    launch_function *fair[TYPES], *article[TYPES];
    int strided; // s is how far apart elements are, not where they begin
    const struct variant *variants;
    size_t variant_count;
    void (*conclude)(const struct point *points, size_t count); // points[0] is s = low
};

// How many elements a launch works on.
static inline size_t sweep_size(size_t size) {
    if (!option_article)
        return run_size(beyond_l2(SWEEP_N, size), SWEEP_CPU_N, 4 * size);
    if (run.quick || run.size)
        return run_size(1, 1, 4 * (MOST + 1) * size);
    say("Size: %zu elements (4 MB, the article's)", ARTICLE_BYTES / size);
    return ARTICLE_BYTES / size;
}

// As the article does it: clear all that was allocated, then time one launch.
static inline void measure_cleared(struct task *tasks, size_t count) {
    struct sampler sampler = sampler_create(MEASURE_HOT);
    for (size_t i = 0; i < count; i++) {
        tasks[i].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
        tasks[i].samples = run.samples;
        tasks[i].batch = 1;
        tasks[i].floor_ms = timer_floor_ms();
        launch_point(tasks[i].context); // warm-up
    }
    for (size_t sample = 0; sample < run.samples; sample++)
        for (size_t i = 0; i < count; i++) {
            const struct buffers *b = ((struct point *)tasks[i].context)->buffers;
            CUDA_CHECK(cudaMemsetAsync(b->d_a, 0, b->bytes, 0));
            tasks[i].samples_ms[sample] = batch_ms(&sampler, &tasks[i], 1);
        }
    sampler_free(&sampler);
}

// The requests of the first few points, where no bar shows what they cost.
static inline void draw_points(const struct point *points, size_t count, int strided) {
    for (size_t i = 0; i < count && points[i].s <= 8; i++)
        if ((points[i].s & (points[i].s - 1)) == 0) // 0, 1, 2, 4, 8
            draw_strided(points[i].name, points[i].first, strided ? points[i].s : 1,
                         points[i].buffers->size);
}

static inline void sweep_points(const struct sweep *sweep, int right) {
    const size_t size = option_fp64 ? sizeof(double) : sizeof(float), n = sweep_size(size);
    const size_t total = option_article ? n * (MOST + 1) : n + MOST;
    struct buffers buffers =
        option_fp64 ? buffers_create<double>(total) : buffers_create<float>(total);
    struct point points[MOST + 1] = {};
    size_t count = 0;
    for (size_t s = sweep->low; s <= MOST; s++) {
        struct point *point = &points[count++];
        point->launch = (option_article ? sweep->article : sweep->fair)[option_fp64];
        point->buffers = &buffers;
        point->s = s;
        point->from = point->first = sweep->strided ? 0 : s;
        point->step = sweep->strided && option_article ? s : 1;
        point->count = n;
        point->reads = point->writes = 1;
        point->request = strided_request(point->first, sweep->strided ? s : 1, size);
        snprintf(point->name, sizeof point->name, "%s %zu%s", sweep->name, s,
                 option_article ? ", article" : "");
    }
    points_measure(points, count, right, option_article ? measure_cleared : measure_hot);
    if (run.on_cpu)
        draw_points(points, count, sweep->strided);
    points_print(points, count);
    if (sweep->strided && run.on_cpu && !option_article)
        finding("sectors", points[count - 1].request.sectors,
                "By arithmetic on addresses, a load touches %d sectors at stride 1 and %d at %d.",
                (int)points[0].request.sectors, (int)points[count - 1].request.sectors, MOST);
    if (run.samples)
        sweep->conclude(points, count);
    buffers_free(&buffers);
}

// The name of a finding: that of floats as it is, others with what they are of before it.
static inline const char *finding_of(const char *name) {
    static char full[64];
    snprintf(full, sizeof full, "%s%s%s", option_article ? "article_" : "",
             option_fp64 ? "double_" : "", name);
    return full;
}

// On a GPU the default run has three sweeps: floats, doubles, and floats as in the article.
static inline int sweep_main(int argc, char **argv, const struct sweep *sweep) {
    run.own = article_options;
    run_begin(argc, argv, sweep->program, sweep->claim,
              "variant dtype parameter value median_ms spread_pct gb_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(sweep->variants, sweep->variant_count);
    int right = variants_right(sweep->variants, sweep->variant_count);
    int more = !run.on_cpu && !run.size && !option_fp64 && !option_article;
    sweep_points(sweep, right);
    if (more) {
        option_fp64 = 1;
        sweep_points(sweep, right);
        option_fp64 = 0, option_article = 1;
        sweep_points(sweep, right);
    }
    return run_end();
}

#endif
