// Five ways to take the time of a kernel, SAXPY on 2^11 to 2^28 floats, in one run: launches
// behind a gate; the same in a graph, as measure() does; one after a flush, launched or as a graph;
// and the kernel's duration as CUPTI records it. CUPTI is looked for when the program runs: without
// it or without its header that row is left out.
//
//     nvcc -O3 -arch=native tools/measure/bench/timer_check.cu -o timer && ./timer
//
// Some toolkits keep the header apart: -I/usr/local/cuda/extras/CUPTI/include, or CPATH for make.
//
// SPDX-License-Identifier: MIT
#include "../../../common/experiment/measure.h"
#include <dlfcn.h>

#if !defined(__CUDACC_CPU__) && defined(__has_include)
#if __has_include(<cupti.h>)
#include <cupti.h>
#define HAVE_CUPTI 1
#endif
#endif

enum { LEAST = 11, GPU_MOST = 28, CPU_MOST = 13, BLOCK = 256, ROUNDS = 21 };

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// The control: where block turnover is no limit, do the timers agree?
__global__ void saxpy4(float4 *y, const float4 *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = make_float4(a * x[i].x + y[i].x, a * x[i].y + y[i].y, a * x[i].z + y[i].z,
                           a * x[i].w + y[i].w);
}

static void launch_saxpy4(const struct arrays *x, unsigned block, size_t) {
    saxpy4<<<blocks(x->n / 4, block), block, 0, run.stream>>>(
        (float4 *)x->d_out, (const float4 *)x->d_a, 2.0f, x->n / 4);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"saxpy", launch_saxpy, saxpy_reference, BLOCK, 0, 12, 2, 1, ""},
    {"saxpy, float4", launch_saxpy4, saxpy_reference, BLOCK, 0, 12, 2, 1, ""},
};

// In the default stream whatever run.stream is: measure() finds nothing that it could capture.
static void launch_at_gate(void *context) {
    cudaStream_t stream = run.stream;
    run.stream = 0;
    launch_work(context);
    run.stream = stream;
}

// ---- CUPTI -------------------------------------------------------------------------------------
static double cupti_ms[ROUNDS];
static size_t cupti_count;

#ifdef HAVE_CUPTI
static CUptiResult (*next_record)(uint8_t *, size_t, CUpti_Activity **);

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most) {
    *size = (size_t)1 << 20, *most = 0;
    *buffer = (uint8_t *)aligned_alloc(8, *size);
}

static void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t used) {
    CUpti_Activity *record = NULL;
    while (next_record(buffer, used, &record) == CUPTI_SUCCESS) {
        const CUpti_ActivityKernel4 *kernel = (const CUpti_ActivityKernel4 *)record;
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && cupti_count < ROUNDS)
            cupti_ms[cupti_count++] = (double)(kernel->end - kernel->start) * 1e-6;
    }
    free(buffer);
}

// Durations of ROUNDS launches in cupti_ms; 0 if there is no CUPTI, or it refuses.
static int take_with_cupti(struct work *work) {
    void *lib = dlopen("libcupti.so", RTLD_NOW);
    if (!lib)
        lib = dlopen("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", RTLD_NOW);
    if (!lib)
        return 0;
    CUptiResult (*callbacks)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
    CUptiResult (*enable)(CUpti_ActivityKind), (*disable)(CUpti_ActivityKind), (*flush)(uint32_t);
    *(void **)&callbacks = dlsym(lib, "cuptiActivityRegisterCallbacks");
    *(void **)&enable = dlsym(lib, "cuptiActivityEnable");
    *(void **)&disable = dlsym(lib, "cuptiActivityDisable");
    *(void **)&flush = dlsym(lib, "cuptiActivityFlushAll");
    *(void **)&next_record = dlsym(lib, "cuptiActivityGetNextRecord");
    cupti_count = 0;
    if (!callbacks || !enable || !disable || !flush || !next_record ||
        callbacks(give_buffer, take_buffer) != CUPTI_SUCCESS ||
        enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS)
        return 0;
    for (int i = 0; i < ROUNDS; i++)
        launch_work(work);
    CUDA_CHECK(cudaDeviceSynchronize());
    return (flush(1) == CUPTI_SUCCESS) & (disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 0) &
           (cupti_count == ROUNDS);
}
#else
static int take_with_cupti(struct work *) { return 0; }
#endif

// ---- Measure -----------------------------------------------------------------------------------
enum { AT_GATE, IN_GRAPH, COLD, COLD_GRAPH, WAYS };
static const char *const ways[WAYS] = {"at a gate", "in a graph", "cold", "cold, a graph"};

// One launch after a flush, as a graph: what measure() would do, were it the better timer.
static void take_cold_graph(struct task *task) {
    struct sampler sampler = sampler_create(MEASURE_COLD);
    task->samples_ms = (double *)host_malloc(run.samples * sizeof(double));
    task->samples = run.samples, task->batch = 1, task->cold = 1, task->floor_ms = timer_floor_ms();
    capture(task);
    for (size_t i = 0; i < run.samples; i++)
        task->samples_ms[i] = batch_ms(&sampler, task, 1);
    CUDA_CHECK(cudaGraphExecDestroy(task->graph));
    task->graph = NULL;
    sampler_free(&sampler);
}

static void take_all_ways(struct work *work, struct task tasks[WAYS]) {
    for (int way = 0; way < WAYS; way++)
        tasks[way] = task_of(way == AT_GATE ? launch_at_gate : launch_work, work);
    measure(tasks, 2, MEASURE_HOT);
    measure(&tasks[COLD], 1, MEASURE_COLD);
    take_cold_graph(&tasks[COLD_GRAPH]);
}

static struct row row_at(const struct variant *v, struct arrays *x, const char *way, int right) {
    struct row row = variant_row(v, x, right);
    row.parameter = way;
    row.flops = 0;
    return row;
}

static void check_size(const struct variant *v, size_t n) {
    struct arrays x = arrays_create(n);
    struct work work = {v, &x, 8 * n, row_of(v->name)};
    struct task tasks[WAYS], cupti = task_of(NULL, NULL);
    int right = variant_try(v, &x);
    if (run.samples)
        take_all_ways(&work, tasks);
    int recorded = run.samples && take_with_cupti(&work);
    right &= variant_try(v, &x);
    for (int way = 0; way < WAYS; way++) {
        struct row row = row_at(v, &x, ways[way], right);
        if (run.samples)
            row_measured(&row, &tasks[way], work.footprint);
        print_row(&row);
    }
    if (recorded) {
        struct row row = row_at(v, &x, "CUPTI", right);
        cupti.samples_ms = cupti_ms, cupti.samples = ROUNDS, cupti.batch = 1;
        row_measured(&row, &cupti, work.footprint);
        print_row(&row);
    } else if (run.samples) {
        say("  CUPTI: not measured");
    }
    measure_free(tasks, run.samples ? WAYS : 0);
    arrays_free(&x);
}

int main(int argc, char **argv) {
    run_begin(argc, argv, "bench/timer_check",
              "The time of one kernel behind a gate, in a graph, cold, and by CUPTI.",
              "variant n parameter samples median_ms spread_pct gb_per_s flag check", NULL,
              NO_ERRORS);
    for (int power = LEAST; power <= (run.on_cpu ? CPU_MOST : GPU_MOST); power++)
        for (int i = 0; i < 2; i++)
            check_size(&variants[i], (size_t)1 << power);
    return run_end();
}
