// A warp that starts a few elements late touches one sector more, five instead of four. It costs
// next to nothing: what sticks out on one side is in the cache when the next warp reads it.
//
//     nvcc -O3 2_offset.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_offset.cu && ./a.out   (no GPU)
//     ./a.out fp64         double instead of float; dev=1 chooses a device
//     ./a.out --article    4 MB, as in the article: all of it fits in L2
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// ---- Kernel ------------------------------------------------------------------------------------
// The lanes of a warp read neighbors, and the whole grid starts s elements late. Expect 4 sectors
// for 32 floats where s is a multiple of 8, else 5; for 32 doubles 8 or 9.
template <typename T> __global__ void offset(T *a, size_t n, size_t s) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + s;
    if (i < n)
        a[i] = a[i] + 1;
}

template <typename T> static void launch_offset(const struct arrays *x, unsigned block, size_t s) {
    if (x->n > s)
        offset<<<blocks(x->n - s, block), block>>>((T *)x->d_out, x->n, s);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Reference ---------------------------------------------------------------------------------
static void offset_reference(float *out, const float *, const float *, size_t n, size_t s) {
    for (size_t i = s; i < n; i++)
        out[i] += 1;
}

// Some of the sweep, against the host; main() takes all of it.
enum { VARIANTS = 5 };
static const struct variant variants[VARIANTS] = {
    {"offset 0", launch_offset<float>, offset_reference, BLOCK, 0, 8, 1, 1, "4 sectors"},
    {"offset 1", launch_offset<float>, offset_reference, BLOCK, 1, 8, 1, 1, "5, hardly slower"},
    {"offset 8", launch_offset<float>, offset_reference, BLOCK, 8, 8, 1, 1, "4 sectors"},
    {"offset 31", launch_offset<float>, offset_reference, BLOCK, 31, 8, 1, 1, "5 sectors"},
    {"offset 32", launch_offset<float>, offset_reference, BLOCK, 32, 8, 1, 1, "4 sectors"},
};

// ---- Findings ----------------------------------------------------------------------------------
static void conclude(const struct point *points, size_t count, size_t size) {
    const struct point *slowest = &points[0];
    double few[MOST + 1], more[MOST + 1]; // rates with as few sectors as can be, and with one more
    size_t few_count = 0, more_count = 0;
    int sectors = points[0].sectors;
    for (size_t i = 0; i < count; i++) {
        double rate = points[i].row.gb_per_s;
        if (rate < slowest->row.gb_per_s)
            slowest = &points[i];
        if (points[i].sectors == sectors)
            few[few_count++] = rate;
        else
            more[more_count++] = rate;
    }
    double slow = 100 * slowest->row.gb_per_s / points[0].row.gb_per_s;
    double share = 100 * quantile_of(more, more_count, 0.5) / quantile_of(few, few_count, 0.5);
    finding(option_article ? "article_slowest_percent" : "slowest_percent", slow,
            "The slowest, %s, has %.1f %% of the rate of %s.", slowest->name, slow, points[0].name);
    if (option_article)
        finding("article_launch_ms", points[0].row.median_ms,
                "A launch on these 4 MB takes %.4f ms, an empty pair of events %.4f: such rates "
                "are those of a cache and of starting a kernel.",
                points[0].row.median_ms, timer_floor_ms());
    else
        finding("extra_sector_percent", share,
                "With %d sectors the median rate is %.1f %% of the median with %d; if memory "
                "delivered %d for every %d, it would be %.1f %%.",
                sectors + 1, share, sectors, sectors + 1, sectors, 100.0 * sectors / (sectors + 1));
    say("By arithmetic, on any device: %d sectors at an offset of a multiple of %zu elements, else "
        "%d.",
        sectors, SECTOR / size, sectors + 1);
}

// ---- Main --------------------------------------------------------------------------------------
static void sweep(int right) {
    size_t n = sweep_size(), total = option_article ? n * (MOST + 1) : n + MOST, count = 0;
    struct buffers buffers =
        option_fp64 ? buffers_create<double>(total) : buffers_create<float>(total);
    struct point points[MOST + 1] = {};
    for (size_t s = 0; s <= MOST; s++) {
        struct point *point = &points[count];
        point->launch = option_fp64 ? launch_offset<double> : launch_offset<float>;
        point->buffers = &buffers;
        point->s = point->first = s;
        point->step = 1;
        point->count = n;
        point->sectors = strided_sectors(s, 1, buffers.size);
        snprintf(point->name, sizeof point->name,
                 option_article ? "offset %zu, article" : "offset %zu", s);
        count += (size_t)sweep_has(s);
    }
    sweep_measure(points, count, right);
    for (size_t i = 0; i < count && !option_article && !run.on_cpu; i++)
        points[i].row.value = points[0].row.gb_per_s; // no more bytes from memory: no slower
    sweep_print(points, count);
    if (run.samples)
        conclude(points, count, buffers.size);
    buffers_free(&buffers);
}

int main(int argc, char **argv) {
    run.own = sweep_options;
    run_begin(argc, argv, "05_coalescing/offset",
              "A warp that starts a few elements late touches one sector more, and loses next to "
              "nothing.",
              "variant n check", "elements", NO_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    int right = variants_right(variants, VARIANTS);
    sweep(right);
    if (!option_article && !run.on_cpu && !run.size) {
        option_article = SOME_OF_ARTICLE;
        sweep(right);
    }
    return run_end();
}
