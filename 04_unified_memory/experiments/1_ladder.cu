// One kernel, launched with one thread, one block, many blocks. The kernel does not change: its
// loop strides over the whole grid, so any number of threads does the work. Memory is managed: one
// pointer for host and device.
//
//     nvcc -O3 -arch=native 1_ladder.cu && ./a.out
//     ../../cudacc/cudacc -O2 1_ladder.cu && ./a.out   (no GPU)
//
// The kernel is in add.h.
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "add.h"

// ---- Variants ----------------------------------------------------------------------------------
enum { ONE_THREAD, ONE_BLOCK, MANY_BLOCKS, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"one thread", launch_add, add_reference, 1, 1, 12, 1, 1, "a slow way to run a loop"},
    {"one block", launch_add, add_reference, 256, 1, 12, 1, 1, "one multiprocessor of many works"},
    {"many blocks", launch_add, add_reference, 256, 0, 12, 1, 1, "all multiprocessors work"},
};

// ---- Measure -----------------------------------------------------------------------------------
// Fills the arrays on the host, adds once, compares on the host: the pointers are the same.
static int try_managed(const struct variant *v, const struct arrays *x) {
    float *h_expected = (float *)host_malloc(x->n * sizeof(float));
    fill_floats(x->d_a, x->n, 1);
    fill_floats(x->d_out, x->n, 3);
    fill_floats(h_expected, x->n, 3);
    v->expected(h_expected, x->d_a, NULL, x->n, v->parameter);
    variant_launch(v, x);
    CUDA_CHECK(cudaDeviceSynchronize()); // without it the host would read too early
    size_t wrong = count_mismatches(h_expected, x->d_out, x->n, sizeof(float), v->name);
    free(h_expected);
    return wrong == 0;
}

static double measure_variant(const struct variant *v, struct arrays *x) {
    struct work work = {v, x, 2 * x->n * sizeof(float), variant_row(v, x, try_managed(v, x))};
    struct task task = task_of(launch_work, &work);
    work.row.parameter = "blocks";
    work.row.value = grid_of(x->n, v->block, v->parameter);
    if (run.samples) {
        measure(&task, 1, MEASURE_HOT); // its warm-up brings the pages to the device
        row_measured(&work.row, &task, work.footprint);
        if (!try_managed(v, x))
            work.row.check = "FAIL";
    }
    print_row(&work.row);
    measure_free(&task, 1);
    return work.row.median_ms;
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double ms[VARIANTS];
    run_begin(
        argc, argv, "04_unified_memory/ladder",
        "The same kernel with one thread, one block, many blocks: threads are what a GPU has.",
        "variant n block parameter value median_ms gb_per_s flag check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    platform_say();
    struct arrays x = managed_arrays(managed_size(ARTICLE_N, 2));
    for (int i = 0; i < VARIANTS; i++)
        ms[i] = measure_variant(&variants[i], &x);
    if (run.on_cpu)
        finding("adds_of_a_thread", (double)x.n,
                "One thread makes all %zu additions, each thread of a block %zu, each of many "
                "blocks 1.",
                x.n, (x.n + 255) / 256);
    if (run.samples) {
        finding("one_block_speedup", ms[ONE_THREAD] / ms[ONE_BLOCK],
                "One block of 256 threads is %.3g times as fast as one thread.",
                ms[ONE_THREAD] / ms[ONE_BLOCK]);
        finding("many_blocks_speedup", ms[ONE_BLOCK] / ms[MANY_BLOCKS],
                "%u blocks are %.3g times as fast as one.", blocks(x.n, 256),
                ms[ONE_BLOCK] / ms[MANY_BLOCKS]);
        say("These launches find their pages on the device: unified_memory shows the first.");
    }
    managed_arrays_free(&x);
    return run_end();
}
