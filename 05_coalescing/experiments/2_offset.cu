// A warp that starts a few elements late touches one sector more, five instead of four, and two
// lines instead of one. It costs less than a tenth: what sticks out on one side is in the cache
// when the next warp reads it.
//
//     nvcc -O3 -arch=native 2_offset.cu && ./a.out
//     ../../cudacc/cudacc -O2 2_offset.cu && ./a.out   (no GPU)
//     ./a.out fp64         double instead of float; dev=1 chooses a device
//     ./a.out --article    4 MB, as in the article: all of it fits in L2
//
// SPDX-License-Identifier: MIT
#include "article.h"

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
        offset<<<blocks(x->n - s, block), block, 0, run.stream>>>((T *)x->d_out, x->n, s);
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
// Offsets of whole sectors against the others, all by their medians.
static void conclude(const struct point *points, size_t count) {
    const size_t size = points[0].buffers->size, whole = SECTOR / size;
    const struct point *slowest = &points[0];
    double few[MOST + 1], more[MOST + 1];
    size_t few_count = 0, more_count = 0;
    for (size_t i = 0; i < count; i++) {
        double percent = points[i].percent.median;
        if (percent < slowest->percent.median)
            slowest = &points[i];
        if (points[i].s % whole == 0)
            few[few_count++] = percent;
        else
            more[more_count++] = percent;
    }
    double share = 100 * quantile_of(more, more_count, 0.5) / quantile_of(few, few_count, 0.5);
    finding_if(slowest->percent.median <= points[0].percent.median, finding_of("slowest_percent"),
               slowest->percent.median, "The slowest case, %s, reaches %.1f %% of the rate of %s.",
               slowest->name, slowest->percent.median, points[0].name);
    if (option_article && points[0].row.n * size <= (size_t)run.device.l2CacheSize)
        finding(finding_of("launch_ms"), points[0].row.median_ms,
                "A launch on these %g MB takes %.4f ms, an empty pair of events %.4f: such rates "
                "are those of a cache and of starting a kernel.",
                (double)(points[0].row.n * size) / (1 << 20), points[0].row.median_ms,
                timer_floor_ms());
    else if (!option_article)
        finding(finding_of("extra_sector_percent"), share,
                "Over all offsets, the median rate with %zu sectors is %.1f %% of the one with "
                "%zu; if memory "
                "delivered %zu for every %zu, it would be %.1f %%.",
                size + 1, share, size, size + 1, size, 100. * (double)size / (double)(size + 1));
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    const struct sweep sweep = {"05_coalescing/offset",
                                "A warp that starts a few elements late touches one sector more, "
                                "and loses less than a tenth.",
                                "offset",
                                0,
                                {launch_offset<float>, launch_offset<double>},
                                {launch_offset<float>, launch_offset<double>},
                                0,
                                variants,
                                VARIANTS,
                                conclude};
    return sweep_main(argc, argv, &sweep);
}
