// What does one launch cost in a chain of short kernels, each of which needs the one before it?
// With a programmatic dependent launch the next starts early, and waits on the device itself.
//
//     nvcc -O3 -arch=native 7_dependent_launch.cu && ./a.out   (compute capability 9.0, CUDA 12.3)
//     ../../cudacc/cudacc -O2 7_dependent_launch.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "chains.h"

enum { N = 4096, CHAIN = 128 }; // elements; kernels, each after the one before it

// ---- Kernels -----------------------------------------------------------------------------------
// Both add a to out: expect the same results. In the second, all that does not need the kernel
// before it runs while that one ends; the rest, from the wait on, finds its results in memory.
__global__ void add(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += a[i];
}

#if CUDART_VERSION >= 12030 && !defined(__CUDACC_CPU__) // 11.8 has them, but not in graphs
#define HAS_DEPENDENT_LAUNCH 1
__global__ void add_dependent(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? a[i] : 0;
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion(); // the next kernel may start
    cudaGridDependencySynchronize();           // waits until the one before it is complete
#endif
    if (i < n)
        out[i] += mine;
}

static void launch_dependent(const struct arrays *x, unsigned block, size_t) {
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {blocks(x->n, block), block, 0, stream, &attribute, 1};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, add_dependent, x->d_out, (const float *)x->d_a, x->n));
}

// Compiled for a GPU without them, the kernel does not wait, and must not start early.
static int can_depend(void) {
    struct cudaFuncAttributes compiled;
    CUDA_CHECK(cudaFuncGetAttributes(&compiled, (const void *)add_dependent));
    return compiled.ptxVersion >= 90;
}
#else
static int can_depend(void) { return 0; }
#endif

static void launch_add(const struct arrays *x, unsigned block, size_t) {
    add<<<blocks(x->n, block), block, 0, stream>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void add_reference(float *out, const float *a, const float *, size_t n, size_t times) {
    for (size_t i = 0; i < n * times; i++) // rounded at each addition, as in the kernels
        out[i % n] += a[i % n];
}

static const struct variant variants[] = {
    {"add", launch_add, add_reference, 256, 1, 12, 1, 1, "starts when the one before it is done"},
#ifdef HAS_DEPENDENT_LAUNCH
    {"add_dependent", launch_dependent, add_reference, 256, 1, 12, 1, 1, "starts before that"},
#endif
};

// ---- Ways to launch a chain --------------------------------------------------------------------
enum { STREAM, DEPENDENT, GATE, DEPENDENT_GATE, GRAPH, DEPENDENT_GRAPH, WAYS };
static const char *const ways[WAYS] = {"in a stream",  "dependent, in a stream",
                                       "after a gate", "dependent, after a gate",
                                       "in a graph",   "dependent, in a graph"};

static void launch_chain(const struct arrays *x) {
    for (int i = 0; i < CHAIN; i++)
        variant_launch(&variants[0], x);
}

static void launch_dependent_chain(const struct arrays *x) {
    for (int i = 0; i < CHAIN; i++)
        variant_launch(&variants[sizeof variants / sizeof variants[0] - 1], x);
}

// Milliseconds for one kernel of the chain.
static double time_way(const struct arrays *x, const cudaGraphExec_t graphs[2], size_t way) {
    return time_chain(way % 2 ? launch_dependent_chain : launch_chain, x,
                      way >= GRAPH ? graphs[way % 2] : NULL, way >= GATE, NULL) /
           CHAIN;
}

// One chain from a known start: is every element right?
static int chain_is_right(struct arrays *x, const cudaGraphExec_t graphs[2], size_t way) {
    struct variant chain = variants[0];
    chain.parameter = (size_t)CHAIN;
    variant_expect(&chain, x);
    variant_reset(&chain, x);
    time_way(x, graphs, way);
    return variant_is_right(&chain, x);
}

// A row for each way; median_ms takes their medians. Without dependent launches, every second one.
static void measure_ways(struct arrays *x, size_t step, double *median_ms) {
    double *ms = (double *)host_malloc(WAYS * run.samples * sizeof *ms);
    size_t order[WAYS];
    cudaGraphExec_t graphs[2] = {capture(launch_chain, x),
                                 step == 1 ? capture(launch_dependent_chain, x) : NULL};
    for (size_t i = 0; i < 2 * run.samples; i++) { // the first half warms up, and is overwritten
        shuffle(order, WAYS / step);
        for (size_t turn = 0; turn < WAYS / step; turn++)
            ms[step * order[turn] * run.samples + i % run.samples] =
                time_way(x, graphs, step * order[turn]);
    }
    for (size_t way = 0; way < WAYS; way += step) {
        struct row row = variant_row(&variants[0], x, chain_is_right(x, graphs, way));
        row.variant = ways[way];
        row_times(&row, ms + way * run.samples, run.samples);
        if (run.counts)
            row.parameter = "calls for the chain", row.value = way >= GRAPH ? 1 : CHAIN;
        print_row(&row);
        median_ms[way] = row.median_ms;
    }
    for (size_t i = 0; i < 3 - step; i++)
        CUDA_CHECK(cudaGraphExecDestroy(graphs[i]));
    free(ms);
}

// ---- Main --------------------------------------------------------------------------------------
static void find(const double *ms) {
    finding("dependent_us", 1e3 * ms[DEPENDENT_GATE],
            "After a gate, a kernel of the chain takes %.2f us, as a dependent launch %.2f.",
            1e3 * ms[GATE], 1e3 * ms[DEPENDENT_GATE]);
    finding("dependent_graph_us", 1e3 * ms[DEPENDENT_GRAPH],
            "In a graph it takes %.2f us, as a dependent launch %.2f.", 1e3 * ms[GRAPH],
            1e3 * ms[DEPENDENT_GRAPH]);
}

int main(int argc, char **argv) {
    double ms[WAYS];
    run_begin(argc, argv, "01_sync_timing/dependent_launch",
              "In a chain of short kernels, a dependent launch hides the start of each.",
              "variant n parameter value samples median_ms min_ms max_ms check", NULL, NO_ERRORS);
    size_t kernels = can_depend() ? 2 : 1, step = 3 - kernels;
    chains_begin();
    check_sizes(variants, kernels);
    if (step == 2)
        say("Dependent launches need compute capability 9.0 and CUDA 12.3: here are the others.");
    struct arrays x = arrays_create(N);
    for (size_t i = 0; i < kernels; i++)
        variant_try(&variants[i], &x); // loads the kernel
    measure_ways(&x, step, ms);
    if (step == 1 && run.samples && gate_works)
        find(ms);
    chains_end();
    arrays_free(&x);
    return run_end();
}
