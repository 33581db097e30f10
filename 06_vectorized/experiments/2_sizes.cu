// From which size on does it pay to give a thread four floats? On little data a kernel takes a few
// microseconds whatever it does; how much data that is, and where four floats gain most, is
// measured here. The launches of a sample are in a graph, so that these are times of kernels.
//
//     nvcc -O3 -arch=native 2_sizes.cu && ./a.out
//     ../../cudacc/cudacc -O2 2_sizes.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum {
    SMALLEST = 1 << 10, // from there on doubled
    GPU_N = 1 << 26,
    CPU_N = 1 << 14,
    ARTICLE_N = 32 * 1024 * 1024, // the article's program: one launch, blocks of 128
    ARTICLE_BLOCK = 128,
    SIZES = 64,
    PAYS = 5, // percent: less does not count
};

// The kernels, their launches and the reference are in elementwise.h.
enum { FLOAT, FLOAT4, UNROLLED4, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"float", launch<add_float, 1>, sum_reference, 256, 0, 12, 1, 0, "as float4 while n is small"},
    {"float4", launch<add_float4, 4>, sum_reference, 256, 0, 12, 1, 0, "faster when n is large"},
    {"4 floats", launch<add_unrolled4, 4>, sum_reference, 256, 0, 12, 1, 0, "as float4"},
};

static const struct in_flight in_flight[VARIANTS] = {
    {(const void *)add_float, 8, 0, 4, 4},
    {(const void *)add_float4, 32, 0, 16, 16},
    {(const void *)add_unrolled4, 32, 0, 4, 4},
};

// ---- Measure -----------------------------------------------------------------------------------
// SMALLEST, 2 * SMALLEST and so on, and the largest. Returns how many sizes that is.
static int choose_sizes(size_t sizes[SIZES], size_t largest) {
    int count = 0;
    for (size_t n = SMALLEST; n < largest; n *= 2)
        sizes[count++] = n;
    sizes[count++] = largest;
    return count;
}

static void measure_size(size_t n, struct work *works) {
    static struct arrays x; // the works keep its address
    x = arrays_create(n);
    measure_table(works, variants, VARIANTS, &x);
    for (int i = 0; i < VARIANTS; i++)
        describe(&works[i], &in_flight[i]);
    for (int i = 0; i < VARIANTS && run.on_cpu; i++) {
        works[i].row.parameter = "requests to load";
        works[i].row.value = load_requests(&in_flight[i], n);
    }
    arrays_free(&x);
}

// The article's program times one launch with one pair of events. So do these rows, many times.
static void measure_article(void) {
    size_t room, total, bytes = ARRAYS * sizeof(float) * (size_t)ARTICLE_N;
    CUDA_CHECK(cudaMemGetInfo(&room, &total));
    if (bytes > room / 2) {
        say("The article's size needs %zu bytes, %zu are free: left out.", bytes, room);
        return;
    }
    struct arrays x = arrays_create(ARTICLE_N);
    double *ms = (double *)host_malloc(run.samples * sizeof *ms);
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = FLOAT; i <= FLOAT4; i++) {
        struct variant variant = variants[i];
        variant.block = ARTICLE_BLOCK;
        struct row row = variant_row(&variant, &x, variant_try(&variant, &x)); // the warm-up, too
        for (size_t k = 0; k < run.samples; k++) {
            CUDA_CHECK(cudaEventRecord(start, 0));
            variant_launch(&variant, &x);
            CUDA_CHECK(cudaEventRecord(stop, 0));
            ms[k] = elapsed_ms(start, stop);
        }
        row.parameter = "article: one launch";
        row_times(&row, ms, run.samples);
        row.gb_per_s = gb_per_s(row.bytes, row.median_ms);
        row.gflop_per_s = gflop_per_s(row.flops, row.median_ms);
        print_row(&row);
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    free(ms);
    arrays_free(&x);
}

// ---- Findings ----------------------------------------------------------------------------------
static double gain(const struct work *of_size) {
    return of_size[FLOAT].row.median_ms / of_size[FLOAT4].row.median_ms;
}

static void say_findings(struct work works[][VARIANTS], int sizes) {
    const struct work *first = works[0], *last = works[sizes - 1];
    int from = sizes, best = 0; // from this size on float4 pays at every size
    for (int i = sizes; i-- > 0;) {
        best = gain(works[i]) > gain(works[best]) ? i : best;
        from = 100 * (gain(works[i]) - 1) >= PAYS && from == i + 1 ? i : from;
    }
    if (from < sizes)
        finding_if(gain(works[best]) >= gain(works[from]), "float4_pays_from",
                   (double)works[from]->row.n,
                   "From n = %zu on, float4 is faster by %d %% or more; at best, at n = %zu, it is "
                   "%.2f times as fast.",
                   works[from]->row.n, PAYS, works[best]->row.n, gain(works[best]));
    else
        finding("float4_pays_from", NAN, "At the largest size, float4 is not faster by %d %%.",
                PAYS);
    finding("float4_gb_per_s", last[FLOAT4].row.gb_per_s,
            "At n = %zu, float reaches %.1f GB/s, float4 %.1f and 4 floats %.1f.", last->row.n,
            last[FLOAT].row.gb_per_s, last[FLOAT4].row.gb_per_s, last[UNROLLED4].row.gb_per_s);
    finding("smallest_us", 1e3 * first[FLOAT4].row.median_ms,
            "At n = %zu, a kernel takes %.2f us with float and %.2f us with float4: one after "
            "another, with none waiting for the host.",
            first->row.n, 1e3 * first[FLOAT].row.median_ms, 1e3 * first[FLOAT4].row.median_ms);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct work works[SIZES][VARIANTS];
    size_t sizes[SIZES];
    run_begin(argc, argv, "06_vectorized/sizes",
              "From which size on does it pay to give a thread four floats?",
              "variant n block parameter value median_ms spread_pct gb_per_s flag check",
              "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    int count = choose_sizes(sizes, run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    for (int i = count; i-- > 0;)
        measure_size(sizes[i], works[i]);
    print_works(works[0], (size_t)count * VARIANTS);
    if (run.samples)
        measure_article();
    if (run.samples)
        say_findings(works, count);
    return run_end();
}
