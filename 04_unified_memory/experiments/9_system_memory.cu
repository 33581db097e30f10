// Where the system lets a kernel use any memory of the host (HMM, or one set of page tables for
// both processors), not even cudaMallocManaged is needed: a pointer from malloc will do. What does
// the first add cost there, and the next?
//
//     nvcc -O3 -arch=native 9_system_memory.cu && ./a.out
//     ../../cudacc/cudacc -O2 9_system_memory.cu && ./a.out   (no GPU: it says so)
//
// The kernel is in add.h.
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "add.h"

enum { ADDS = 2, VARIANTS = 1 };
static const struct variant variants[VARIANTS] = {
    {"add", launch_add, add_reference, 256, 0, 12, 1, 1, "as fast as its pages are near"},
};
static const enum memory memories[] = {MANAGED, PAGEABLE};
static const char *const names[] = {"cudaMallocManaged", "malloc"};
enum { MEMORIES = 2 };
static struct task tasks[MEMORIES][ADDS];

// Two adds on arrays that the host has just written; returns how many elements are wrong.
static size_t run_adds(enum memory memory, size_t n, double *ms) {
    struct array x = array_create(memory, n), y = array_create(memory, n);
    float *h_expected = (float *)host_malloc(n * sizeof(float));
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (size_t i = 0; i < n; i++) {
        x.host[i] = small_value(i, 1);
        y.host[i] = small_value(i, 3);
        h_expected[i] = y.host[i] + ADDS * x.host[i];
    }
    for (int i = 0; i < ADDS; i++) {
        CUDA_CHECK(cudaEventRecord(start, 0));
        add<<<blocks(n, 256), 256>>>(y.device, x.device, n);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaEventRecord(stop, 0));
        ms[i] = elapsed_ms(start, stop);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    size_t wrong = count_mismatches(h_expected, y.host, n, sizeof(float), "y");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    free(h_expected);
    array_free(memory, x);
    array_free(memory, y);
    return wrong;
}

static void measure_memory(int m, size_t n) {
    double ms[ADDS];
    size_t wrong = 0;
    for (int i = 0; i < ADDS; i++)
        tasks[m][i].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
    for (size_t round = 0; round <= run.samples; round++) { // the first one loads the kernel
        wrong += run_adds(memories[m], n, ms);
        for (int i = 0; i < ADDS && round > 0; i++)
            tasks[m][i].samples_ms[tasks[m][i].samples++] = ms[i];
    }
    for (int i = 0; i < ADDS; i++) {
        struct row row = row_of_floats(names[m], n, i ? "second add" : "first add");
        row.check = wrong ? "FAIL" : "ok";
        row_times(&row, tasks[m][i].samples_ms, tasks[m][i].samples);
        print_row(&row);
    }
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "04_unified_memory/system_memory",
              "Where the system allows it, a kernel uses memory from malloc as it is.",
              "variant n parameter median_ms min_ms max_ms check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    platform_say();
    size_t n = managed_size(ARTICLE_N, 2);
    int supported = attribute(cudaDevAttrPageableMemoryAccess);
    for (int m = 0; m < (supported ? MEMORIES : 1); m++)
        measure_memory(m, n);
    if (!supported)
        say("Skipped: a kernel on memory from malloc needs pageableMemoryAccess 1; here it is 0.");
    if (supported && run.samples)
        finding("malloc_first_ms", task_ms(&tasks[1][0]),
                "In memory from malloc the first add takes %.4f ms, the next %.4f; in managed "
                "memory %.4f and %.4f.",
                task_ms(&tasks[1][0]), task_ms(&tasks[1][1]), task_ms(&tasks[0][0]),
                task_ms(&tasks[0][1]));
    measure_free(&tasks[0][0], MEMORIES * ADDS);
    return run_end();
}
