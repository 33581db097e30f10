// Managed memory is for several GPUs as well. Do its pages move to the GPU that uses them, and can
// two GPUs add to the same numbers at the same time?
//
//     nvcc -O3 -arch=native 8_two_gpus.cu && ./a.out
//     ../../cudacc/cudacc -O2 8_two_gpus.cu && ./a.out   (one device: it says so)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "add.h"
#include "peers.h"
#include "system_atomics.h"

enum { COUNTERS = 256, ROUNDS = 1000, VARIANTS = 2 };
static const struct variant variants[VARIANTS] = {
    {"add", launch_add, add_reference, 256, 0, 12, 1, 1, "as fast as its pages are near"},
    {"add_for_all", launch_add_for_all, rounds_reference, 256, 3, 12, 3, 1,
     "right, also when the other GPU adds in the meantime"},
};

// What is timed: adds one after another, on pages that the host has written; then sums.
enum { FIRST, HERE, OTHER, THERE, BACK, ADDS, ALONE = ADDS, TOGETHER, RESULTS };
static const char *const timed[RESULTS] = {"first GPU",         "first GPU, again", "second GPU",
                                           "second GPU, again", "first GPU, back",  "one GPU",
                                           "both GPUs"};
static struct task results[RESULTS];
static size_t wrong[RESULTS], overlaps;

// ---- Pages -------------------------------------------------------------------------------------
static void add_in_turns(size_t n, double *ms) {
    struct arrays x = managed_arrays(n);
    for (size_t i = 0; i < n; i++) {
        x.d_a[i] = small_value(i, 1);
        x.d_out[i] = small_value(i, 3);
    }
    for (int i = 0; i < ADDS; i++) {
        cudaEvent_t start, stop;
        use_gpu(i == OTHER || i == THERE);
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
        CUDA_CHECK(cudaEventRecord(start, 0));
        launch_add(&x, 256, 0);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        ms[i] = elapsed_ms(start, stop); // waits: the next GPU begins when this one is done
        CUDA_CHECK(cudaEventDestroy(start));
        CUDA_CHECK(cudaEventDestroy(stop));
    }
    for (size_t i = 0; i < n; i++)
        wrong[BACK] += x.d_out[i] != small_value(i, 3) + ADDS * small_value(i, 1);
    use_gpu(0);
    managed_arrays_free(&x);
}

// ---- Sums --------------------------------------------------------------------------------------
// So many GPUs add x to the same sums, at the same time. Milliseconds on the host's clock.
static double add_together(int gpus, size_t *different) {
    const int rounds = run.quick ? 10 : ROUNDS;
    struct arrays x[2];
    float h_x[COUNTERS], *sums = managed_malloc(COUNTERS);
    for (size_t i = 0; i < COUNTERS; i++)
        h_x[i] = small_value(i, 1) + 1, sums[i] = 0;
    memset(x, 0, sizeof x);
    for (int i = 0; i < gpus; i++) {
        use_gpu(i);
        x[i].n = COUNTERS, x[i].d_out = sums;
        CUDA_CHECK(cudaMalloc((void **)&x[i].d_a, sizeof h_x));
        CUDA_CHECK(cudaMemcpy(x[i].d_a, h_x, sizeof h_x, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    double ms = -wall_ms();
    for (int i = 0; i < gpus; i++) {
        use_gpu(i);
        launch_add_for_all(&x[i], COUNTERS, (size_t)rounds);
    }
    use_gpu(0);
    overlaps += gpus == 2 && cudaStreamQuery(0) == cudaErrorNotReady; // when the other has its work
    (void)cudaGetLastError();                                         // "not ready" was an answer
    for (int i = gpus - 1; i >= 0; i--) {
        use_gpu(i);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    ms += wall_ms();
    for (int i = 0; i < COUNTERS; i++) // below 2^24: exact
        *different += sums[i] != (float)(gpus * rounds) * h_x[i];
    for (int i = 0; i < gpus; i++)
        CUDA_CHECK(cudaFree(x[i].d_a));
    CUDA_CHECK(cudaFree(sums));
    return ms;
}

// ---- Measure -----------------------------------------------------------------------------------
static void measure_all(size_t n) {
    for (int i = 0; i < RESULTS; i++)
        results[i].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
    for (size_t round = 0; round <= run.samples; round++) { // the first to warm up
        double ms[RESULTS];
        add_in_turns(n, ms);
        ms[ALONE] = add_together(1, &wrong[ALONE]);
        ms[TOGETHER] = add_together(2, &wrong[TOGETHER]);
        for (int i = 0; i < RESULTS && round > 0; i++)
            results[i].samples_ms[results[i].samples++] = ms[i];
    }
    for (int i = 0; i < RESULTS; i++) {
        struct row row =
            row_of_floats(variants[i >= ADDS].name, i < ADDS ? n : (size_t)COUNTERS, timed[i]);
        row.check = wrong[i < ADDS ? BACK : i] ? "FAIL" : "ok";
        row_times(&row, results[i].samples_ms, results[i].samples);
        print_row(&row);
    }
}

static void conclude(void) {
    double here = task_ms(&results[HERE]), back = task_ms(&results[BACK]);
    int native = 0;
    CUDA_CHECK(
        cudaDeviceGetP2PAttribute(&native, cudaDevP2PAttrNativeAtomicSupported, gpu[0], gpu[1]));
    finding("second_gpu_ms", task_ms(&results[OTHER]),
            "On pages that the first GPU has used, the second GPU's add takes %.4f ms, its next "
            "%.4f.",
            task_ms(&results[OTHER]), task_ms(&results[THERE]));
    if (task_ratio(&results[BACK], &results[HERE]).low > 2)
        finding("back_ms", back,
                "Back on the first GPU it takes %.4f ms, before that %.4f: the pages had moved.",
                back, here);
    else
        finding("back_ms", back,
                "Back on the first GPU it takes %.4f ms, before that %.4f: the pages had stayed.",
                back, here);
    finding(
        "two_gpus_add_ms", task_ms(&results[TOGETHER]),
        "%d atomic additions to each of %d sums take one GPU %.3f ms; as many from each of two, "
        "%.3f, at the same time in %zu of %zu runs, and %zu sums are wrong (native atomics on "
        "the link: %d).",
        ROUNDS, COUNTERS, task_ms(&results[ALONE]), task_ms(&results[TOGETHER]), overlaps,
        results[TOGETHER].samples + 1, wrong[TOGETHER], native);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    int concurrent[2];
    run_begin(argc, argv, "04_unified_memory/two_gpus",
              "Two GPUs may use managed memory at the same time, as host and device may.",
              "variant n parameter median_ms min_ms max_ms check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    need_two_gpus(variants, VARIANTS);
    platform_say();
    for (int i = 0; i < 2; i++)
        CUDA_CHECK(
            cudaDeviceGetAttribute(&concurrent[i], cudaDevAttrConcurrentManagedAccess, gpu[i]));
    if (!concurrent[0] || !concurrent[1])
        say("Skipped: two processors at a time need concurrentManagedAccess.");
    else if (can_add_for_all()) {
        measure_all(managed_size(ARTICLE_N, 2));
        if (run.samples)
            conclude();
    }
    return run_end();
}
