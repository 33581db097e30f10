// A warp that starts a few elements late touches one sector more, five instead of four. It costs
// next to nothing: what sticks out on one side is in the cache when the next warp asks for it.
//
//     nvcc -O3 2_offset.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_offset.cu && ./a.out   (no GPU)
//     ./a.out fp64         double instead of float; dev=1 chooses a device
//     ./a.out --article    4 MB, as in the article: all of it fits in L2
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// ---- Reference ---------------------------------------------------------------------------------
template <int S> static void offset_reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = S; i < n; i++)
        out[i] += 1;
}

// ---- Kernel ------------------------------------------------------------------------------------
// The lanes of a warp take neighbours, and the whole grid starts s elements late. Expect 4 sectors
// for 32 floats where s is a multiple of 8, else 5; for 32 doubles 8 or 9.
template <typename T> __global__ void offset(T *a, size_t n, size_t s) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + s;
    if (i < n)
        a[i] = a[i] + 1;
}

template <typename T> static void launch_on(T *a, size_t n, size_t s) {
    if (n > s)
        offset<<<(unsigned)((n - s + BLOCK - 1) / BLOCK), BLOCK>>>(a, n, s);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_point(void *context) {
    const struct point *point = (const struct point *)context;
    void *d_a = point->buffers->d_a;
    if (point->buffers->size == sizeof(double))
        launch_on((double *)d_a, point->n, point->s);
    else
        launch_on((float *)d_a, point->n, point->s);
}

template <int S> static void launch(float *out, const float *, const float *, size_t n) {
    launch_on(out, n, S);
}

// Some of the sweep, for the tests; main() takes all of it.
static const struct variant variants[] = {
    {"offset 0", launch<0>, offset_reference<0>, 8, 1, 1, "4 sectors"},
    {"offset 1", launch<1>, offset_reference<1>, 8, 1, 1, "5 sectors, and nearly as fast"},
    {"offset 8", launch<8>, offset_reference<8>, 8, 1, 1, "4 sectors"},
    {"offset 31", launch<31>, offset_reference<31>, 8, 1, 1, "5 sectors"},
    {"offset 32", launch<32>, offset_reference<32>, 8, 1, 1, "4 sectors"},
};

// ---- Sweep -------------------------------------------------------------------------------------
enum { POINTS = MOST + 1 };

static int sectors_with_offset(size_t s, size_t size) {
    size_t address[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        address[lane] = (lane + s) * size;
    return count_sectors(address, LANES);
}

// What the rates say: they may be any.
static void conclude(const struct run *run, const struct point *points, size_t count, size_t size) {
    const struct point *slowest = &points[0], *fastest = &points[0];
    double few[POINTS], more[POINTS]; // rates with as few sectors as can be, and with more
    size_t few_count = 0, more_count = 0;
    for (size_t i = 0; i < count; i++) {
        slowest = points[i].row.gb_per_s < slowest->row.gb_per_s ? &points[i] : slowest;
        fastest = points[i].row.gb_per_s > fastest->row.gb_per_s ? &points[i] : fastest;
        if (points[i].sectors == points[0].sectors)
            few[few_count++] = points[i].row.gb_per_s;
        else
            more[more_count++] = points[i].row.gb_per_s;
    }
    double ratio = quantile_of(more, more_count, 0.5) / quantile_of(few, few_count, 0.5);
    run_say(run,
            "Measured: %.1f GB/s (%s) to %.1f (%s); with %d sectors the median rate is\n%.1f %% of "
            "the median with %d.",
            slowest->row.gb_per_s, slowest->name, fastest->row.gb_per_s, fastest->name,
            points[1].sectors, 100 * ratio, points[0].sectors);
    if (option_article)
        run_say(run,
                "A launch on these 4 MB takes %.4f ms (%s), an empty pair of events %.4f.\nSuch "
                "rates are those of a cache and of starting a kernel.",
                points[0].row.median_ms, points[0].name, timer_floor_ms());
    else if (!run->on_cpu)
        run_say(run, "If memory delivered %d sectors for every %d, it would be %.1f %%. %s",
                points[1].sectors, points[0].sectors, 100.0 * points[0].sectors / points[1].sectors,
                ratio > 0.9 ? "It does not: a sector\nthat two warps share comes once."
                            : "Here it is no better\nthan that.");
    run_say(run,
            "By arithmetic, on any device: %d sectors at an offset of a multiple of %zu elements, "
            "else %d.",
            points[0].sectors, SECTOR / size, points[1].sectors);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "05_coalescing",
    "offset",
    "A warp that starts a few elements late touches one sector more, and loses next to nothing.",
    "variant value gb_per_s check",
    "elements",
    0,
    sweep_options,
};

static void sweep(struct run *run, int right) {
    size_t n = sweep_size(run), size = option_fp64 ? sizeof(double) : sizeof(float), count = 0;
    struct buffers buffers = buffers_create(option_article ? n * POINTS : n + MOST, size);
    struct point points[POINTS];
    struct task tasks[POINTS];
    for (size_t s = 0; s <= MOST; s++) {
        struct point point = {s, n + s, s, 1, &buffers, 0, sectors_with_offset(s, size), "", {}};
        point_name(&point, "offset");
        if (sweep_has(s)) // n elements, from the s-th on
            points[count++] = point;
    }
    sweep_measure(run, points, tasks, count, launch_point, right);
    for (size_t i = 0; i < count && !option_article && !run->on_cpu; i++)
        points[i].row.value = points[0].row.gb_per_s; // no more bytes from memory: no slower
    sweep_print(run, points, count);
    if (!run->quick) {
        conclude(run, points, count, size);
        measure_free(tasks, count);
    }
    buffers_free(&buffers);
}

int main(int argc, char **argv) {
    struct run run = sweep_begin(&program, argc, argv);
    int right = variants_right(variants, sizeof variants / sizeof variants[0]);
    sweep(&run, right);
    if (!option_article && !run.on_cpu && !run.size) {
        option_article = SOME_OF_ARTICLE;
        sweep(&run, right);
    }
    return run_end(&run);
}
