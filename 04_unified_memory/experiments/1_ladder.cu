// One kernel, launched with one thread, one block, many blocks. The kernel does not change: its
// loop strides over the whole grid, so any number of threads does the work. Memory is managed: one
// pointer for host and device.
//
//     nvcc -O3 1_ladder.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 1_ladder.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"
#include "../../common/measure.h"
#include "managed.h"

// ---- Reference ---------------------------------------------------------------------------------
static void add_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + y[i];
}

// ---- Kernel ------------------------------------------------------------------------------------
// Thread t takes elements t, t + threads, t + 2 * threads...: neighbours work on neighbours. With
// one thread it is the loop that a CPU would run.
__global__ void add(float *y, const float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)blockDim.x * gridDim.x;
    for (size_t i = first; i < n; i += step)
        y[i] = x[i] + y[i];
}

static void launch_one_thread(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        add<<<1, 1>>>(y, x, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_one_block(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        add<<<1, 256>>>(y, x, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_many_blocks(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        add<<<blocks(n, 256), 256>>>(y, x, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"one thread", launch_one_thread, add_reference, 12, 1, 1, "a slow way to run a loop"},
    {"one block", launch_one_block, add_reference, 12, 1, 1, "one multiprocessor of many at work"},
    {"many blocks", launch_many_blocks, add_reference, 12, 1, 1, "all multiprocessors at work"},
};
enum { ONE_THREAD, ONE_BLOCK, MANY_BLOCKS, VARIANTS };

// ---- Measure -----------------------------------------------------------------------------------
struct work {
    const struct variant *variant;
    float *x, *y, *h_expected;
    size_t n;
};

static void launch_work(void *context) {
    const struct work *work = (const struct work *)context;
    work->variant->launch(work->y, work->x, NULL, work->n);
}

// Fills the arrays on the host, adds once, compares on the host: the pointers are the same.
static int try_work(const struct work *work) {
    fill_floats(work->x, work->n, 1);
    fill_floats(work->y, work->n, 3);
    fill_floats(work->h_expected, work->n, 3);
    work->variant->reference(work->h_expected, work->x, NULL, work->n);
    work->variant->launch(work->y, work->x, NULL, work->n);
    CUDA_CHECK(cudaDeviceSynchronize()); // without it the host would read too early
    return count_mismatches(work->h_expected, work->y, work->n, sizeof(float), 0,
                            work->variant->name) == 0;
}

static double measure_variant(struct run *run, struct work *work) {
    struct task task = {launch_work, work, NULL, 0, 0};
    struct row row = run_row(run, work->variant->name);
    int right = try_work(work);
    row.dtype = "float";
    row.n = work->n;
    row.block = work->variant == &variants[ONE_THREAD] ? 1 : 256;
    row.parameter = "blocks";
    row.value = work->variant == &variants[MANY_BLOCKS] ? blocks(work->n, 256) : 1;
    row.bytes = row.n * work->variant->bytes;
    row.flops = row.n * work->variant->flops;
    if (!run->quick) {
        measure(run, &task, 1, MEASURE_HOT); // its warm-up brings the pages to the device
        right &= try_work(work);
        row_measured(&row, run, &task, 2 * row.n * sizeof(float));
    }
    row.check = right ? "ok" : "FAIL";
    run_print(run, &row);
    measure_free(&task, 1);
    return row.median_ms;
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "04_unified_memory",
    "ladder",
    "The same kernel with one thread, one block, many blocks: threads are what a GPU has.",
    "variant n block parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    double ms[VARIANTS];
    platform_say(&run);
    size_t n = managed_size(&run);
    struct work work = {NULL, managed_malloc(n), managed_malloc(n),
                        (float *)host_malloc(n * sizeof(float)), n};
    for (int i = 0; i < VARIANTS; i++) {
        work.variant = &variants[i];
        ms[i] = measure_variant(&run, &work);
    }
    if (!run.quick)
        run_say(
            &run,
            "One block takes %.4g times as long as one thread, %u blocks %.4g times as long as one "
            "block.\nThese are launches whose pages are on the device already: unified_memory "
            "shows the first.",
            ms[ONE_BLOCK] / ms[ONE_THREAD], blocks(n, 256), ms[MANY_BLOCKS] / ms[ONE_BLOCK]);
    CUDA_CHECK(cudaFree(work.x));
    CUDA_CHECK(cudaFree(work.y));
    free(work.h_expected);
    return run_end(&run);
}
