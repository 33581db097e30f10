// A kernel that touches a few pages of a large array moves those pages, and the neighbors that the
// driver thinks will be needed next. How much moves for a page?
//
//     nvcc -O3 -arch=native 4_sparse_access.cu && ./a.out
//     ../../cudacc/cudacc -O2 4_sparse_access.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "managed.h"
#include "page_counters.h"

enum { PAGE = 1024 };          // floats in a page of 4 KiB
enum { STANDARD_N = 1 << 22 }; // 16 MiB, the eight largest blocks in which a driver moves pages
enum { MOST_RUNS = 3 };        // counted, and as many timed: what the driver guesses differs

// ---- Kernel ------------------------------------------------------------------------------------
// Adds 1 to the first float of each step-th page. Expect as many faults as pages are touched, or
// fewer where the driver has guessed right.
__global__ void touch(float *a, size_t n, size_t step) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * step * PAGE;
    if (i < n)
        a[i] += 1;
}

static size_t pages_touched(size_t n, size_t step) { return (n + step * PAGE - 1) / (step * PAGE); }

static void launch_touch(const struct arrays *x, unsigned block, size_t step) {
    touch<<<blocks(pages_touched(x->n, step), block), block>>>(x->d_out, x->n, step);
    CUDA_CHECK(cudaGetLastError());
}

static void touch_reference(float *out, const float *, const float *, size_t n, size_t step) {
    for (size_t i = 0; i < n; i += step * PAGE)
        out[i] += 1;
}

#define ONE_IN(step)                                                                               \
    {                                                                                              \
        "one page in " #step, launch_touch, touch_reference, 256, step, 8.0 / (step) / PAGE, 0, 1, \
            "fewer bytes than the array, more than the pages"                                      \
    }
// A driver that takes a block whole when over half of it is wanted takes all of it for one in 31.
static const struct variant variants[] = {
    ONE_IN(1),  ONE_IN(2),  ONE_IN(4),  ONE_IN(8),   ONE_IN(16),  ONE_IN(31),
    ONE_IN(32), ONE_IN(33), ONE_IN(64), ONE_IN(128), ONE_IN(256), ONE_IN(512),
};
enum {
    VARIANTS = sizeof variants / sizeof variants[0],
    IN_16 = 4,
    IN_31,
    IN_32,
    IN_33,
    IN_512 = 11
};

// ---- Measure -----------------------------------------------------------------------------------
// One kernel on an array that the host has just written: its milliseconds, or with `counts` what
// moves. Adds to *wrong how many elements are not as they should be.
static double run_touch(const struct variant *v, size_t n, const float *h_expected,
                        struct counters *counts, size_t *wrong) {
    struct arrays x;
    cudaEvent_t start, stop;
    memset(&x, 0, sizeof x);
    x.n = n;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    if (counts)
        counters_start();
    x.d_out = managed_malloc(n);
    fill_floats(x.d_out, n, 3);
    CUDA_CHECK(cudaEventRecord(start, 0));
    variant_launch(v, &x);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    double ms = elapsed_ms(start, stop);
    if (counts)
        *counts = counters_stop();
    *wrong += count_mismatches(h_expected, x.d_out, n, sizeof(float), v->name);
    CUDA_CHECK(cudaFree(x.d_out));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms;
}

// Prints a variant's row; returns the bytes that moved to the device, the median of some counts.
static double measure_touch(const struct variant *v, size_t n, int can_count) {
    float *h_expected = (float *)host_malloc(n * sizeof(float));
    double ms[MOST_RUNS], moved[MOST_RUNS];
    size_t wrong = 0, samples = run.samples < MOST_RUNS ? run.samples : (size_t)MOST_RUNS;
    struct counters counters;
    fill_floats(h_expected, n, 3);
    v->expected(h_expected, NULL, NULL, n, v->parameter);
    run_touch(v, n, h_expected, NULL, &wrong); // loads the kernel
    for (int i = 0; i < MOST_RUNS && can_count; i++) {
        run_touch(v, n, h_expected, &counters, &wrong);
        moved[i] = (double)counters.traffic[TO_THE_DEVICE].bytes;
    }
    for (size_t i = 0; i < samples; i++)
        ms[i] = run_touch(v, n, h_expected, NULL, &wrong);
    struct row row = row_of_floats(v->name, n, "KiB touched");
    row.block = v->block;
    row.value = 4 * (double)pages_touched(n, v->parameter);
    row.bytes = can_count ? (size_t)quantile_of(moved, MOST_RUNS, 0.5) : 0;
    row.check = wrong ? "FAIL" : "ok";
    row_times(&row, ms, samples);
    print_row(&row);
    if (can_count && quantile_of(moved, MOST_RUNS, 0) < quantile_of(moved, MOST_RUNS, 1))
        say("  from %.0f to %.0f KiB moved", quantile_of(moved, MOST_RUNS, 0) / 1024,
            quantile_of(moved, MOST_RUNS, 1) / 1024);
    free(h_expected);
    return (double)row.bytes;
}

static void conclude(const double *moved, size_t n) {
    const double page = PAGE * sizeof(float), touched = page * (double)pages_touched(n, 16);
    const double lone = moved[IN_512] / (double)pages_touched(n, 512);
    int all = 0;
    while (all + 1 < VARIANTS && moved[all + 1] >= moved[0])
        all++;
    finding("one_in_16_share", moved[IN_16] / moved[0],
            "With one page in 16 touched, %.0f %% of the array moved to the device: %.1f times as "
            "many bytes as these pages have.",
            100 * moved[IN_16] / moved[0], moved[IN_16] / touched);
    if (all == 0)
        finding("all_moved_up_to", 1, "With every second page touched, not all of it moved.");
    else
        finding("all_moved_up_to", (double)variants[all].parameter,
                "All of it moved as long as one page in %zu was touched.", variants[all].parameter);
    finding("one_in_31_share", moved[IN_31] / moved[0],
            "One page in 31 moved %.0f %% of the array, one in 32 %.0f %%, one in 33 %.0f %%.",
            100 * moved[IN_31] / moved[0], 100 * moved[IN_32] / moved[0],
            100 * moved[IN_33] / moved[0]);
    finding("lone_page_kib", lone / 1024,
            "With one page in 512 touched, %.0f KiB moved for each page of 4 KiB.", lone / 1024);
    if (run.on_cpu)
        say("These are the CPU device's pages, by a model that guesses nothing.");
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double moved[VARIANTS];
    run_begin(argc, argv, "04_unified_memory/sparse_access",
              "A kernel that touches few pages moves few pages, and some of their neighbors.",
              "variant parameter value bytes median_ms min_ms max_ms check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    if (!platform_say())
        say("Without concurrentManagedAccess all pages move at each launch.");
    size_t n = managed_size(STANDARD_N, 1);
    const char *why = run.quick && !run.on_cpu ? "--quick counts nothing" : counters_open();
    for (int i = 0; i < VARIANTS; i++)
        moved[i] = measure_touch(&variants[i], n, why == NULL);
    if (why)
        say("Bytes are not counted: %s.", why);
    else if (!run.quick)
        conclude(moved, n);
    return run_end();
}
