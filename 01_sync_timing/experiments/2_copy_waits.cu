// Does a copy wait for the kernel before it? A call returns at once or when the kernel has ended:
// it depends on the call, the direction, the kind of host memory, and the number of bytes.
//
//     nvcc -O3 -arch=native 2_copy_waits.cu && ./a.out
//     ../../cudacc/cudacc -O2 2_copy_waits.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/gate.h"
#include "../../common/experiment/variants.h"

enum { SIZES = 4, FLOATS = 256 << 10, HOLD_NS = 2000 * 1000, CPU_HOLD_NS = 5 * HOLD_NS };
static const size_t sizes[SIZES] = {4, 64 << 10, (64 << 10) + 4, 1 << 20}; // bytes

static volatile int *ended; // memory that host and device see

// ---- Kernels -----------------------------------------------------------------------------------
// Keeps its stream busy, then says so.
__global__ void hold(volatile int *ended, long long ns) {
    long long start = device_ns();
    while (device_ns() - start < ns)
        ;
    *ended = 1;
}

__global__ void negate(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = -a[i];
}

static void launch_negate(const struct arrays *x, unsigned block, size_t ns) {
    hold<<<1, 1>>>(ended, (long long)ns);
    negate<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void negate_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = -a[i];
}

static struct variant late = {
    "late negate", launch_negate, negate_reference, 256, HOLD_NS, 8, 1, 0, "copies must wait"};

// ---- Calls -------------------------------------------------------------------------------------
enum memory { PINNED, PAGEABLE, MEMORIES };
static const enum cudaMemcpyKind IN = cudaMemcpyHostToDevice, OUT = cudaMemcpyDeviceToHost,
                                 ON = cudaMemcpyDeviceToDevice;
static const char *const calls[] = {"cudaMemcpy", "cudaMemcpyAsync"};
static const struct form {
    const char *finding, *name;
    enum cudaMemcpyKind direction;
    int async;
    enum memory memory;
} forms[] = {
    {"from_pinned", "pinned to device", IN, 0, PINNED},
    {"from_pinned_async", "pinned to device", IN, 1, PINNED},
    {"from_pageable", "pageable to device", IN, 0, PAGEABLE},
    {"from_pageable_async", "pageable to device", IN, 1, PAGEABLE},
    {"to_pinned", "device to pinned", OUT, 0, PINNED},
    {"to_pinned_async", "device to pinned", OUT, 1, PINNED},
    {"to_pageable", "device to pageable", OUT, 0, PAGEABLE},
    {"to_pageable_async", "device to pageable", OUT, 1, PAGEABLE},
    {"on_device", "device to device", ON, 0, PAGEABLE},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static struct arrays x;                       // a copy reads out, which negate writes, or writes b
static float pageable[FLOATS], right[FLOATS]; // right: what has to arrive
static float *h[MEMORIES] = {NULL, pageable};
static size_t launch_waited; // so often, by CUDA_LAUNCH_BLOCKING: it shows nothing of the copies

// One call while the kernels before it are at work; counts in *waited if they had ended when it
// returned. Returns 1 if the right bytes arrive; what the host may overwrite at once, it does.
static int call_once(const struct form *form, size_t bytes, double *ms, size_t *waited) {
    float *h_own = h[form->memory];
    void *to = form->direction == OUT ? h_own : x.d_b;
    const void *from = form->direction == IN ? h_own : x.d_out;
    memcpy(h_own, right, bytes);
    if (form->direction != IN)
        memset(h_own, POISON_BYTE, bytes);
    poison(x.d_out, bytes);
    poison(x.d_b, bytes);
    CUDA_CHECK(cudaDeviceSynchronize());
    *ended = 0;
    variant_launch(&late, &x);
    launch_waited += (size_t)*ended;
    double start = wall_ms();
    CUDA_CHECK(form->async ? cudaMemcpyAsync(to, from, bytes, form->direction, 0)
                           : cudaMemcpy(to, from, bytes, form->direction));
    *ms = wall_ms() - start;
    *waited += (size_t)*ended;
    if (form->direction == IN && (form->memory == PAGEABLE || !form->async))
        memset(h_own, POISON_BYTE, bytes);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (form->direction != OUT)
        CUDA_CHECK(cudaMemcpy(h_own, x.d_b, bytes, cudaMemcpyDeviceToHost));
    return !count_mismatches(right, h_own, bytes / sizeof(float), sizeof(float), form->name);
}

// A row; returns the share of the calls that waited.
static double measure_call(const struct form *form, size_t bytes) {
    size_t samples = run.samples ? run.samples : 1, waited = 0, warm_up = 0;
    double *ms = (double *)host_malloc(samples * sizeof *ms);
    int ok = call_once(form, bytes, ms, &warm_up);
    for (size_t i = 0; i < samples; i++)
        ok &= call_once(form, bytes, &ms[i], &waited);
    struct row row = row_of(form->name);
    row.parameter = calls[form->async], row.bytes = bytes, row.check = ok ? "ok" : "FAIL";
    row.value = (double)waited / (double)samples;
    row_times(&row, ms, run.samples);
    print_row(&row);
    free(ms);
    return row.value;
}

// Its value is the smallest copy that waited, in bytes, or -1. (Any call may be interrupted.)
static void find(const struct form *form, const double *share) {
    const char *call = calls[form->async];
    int first = 0, waiting = 0;
    for (int i = 0; i < SIZES; i++)
        first += share[i] < 0.1 && first == i, waiting += share[i] > 0.9;
    if (first == SIZES)
        finding(form->finding, -1, "%s, %s: does not wait for the kernel.", call, form->name);
    else if (waiting == SIZES)
        finding(form->finding, 4, "%s, %s: waits for the kernel.", call, form->name);
    else if (first + waiting == SIZES)
        finding(form->finding, (double)sizes[first],
                "%s, %s: waits for the kernel from %zu bytes on, but not with %zu or less.", call,
                form->name, sizes[first], sizes[first - 1]);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double share[FORMS][SIZES];
    run_begin(argc, argv, "01_sync_timing/copy_waits",
              "Whether a copy waits for the kernel before it: by memory, direction and size.",
              "variant parameter bytes value median_ms min_ms max_ms check", NULL, NO_ERRORS);
    if (run.on_cpu) // where the host may wait for a core
        late.parameter = CPU_HOLD_NS;
    CUDA_CHECK(cudaHostAlloc((void **)&ended, sizeof *ended, cudaHostAllocMapped));
    check_sizes(&late, 1);
    x = arrays_create(FLOATS);
    CUDA_CHECK(cudaMallocHost((void **)&h[PINNED], sizeof pageable));
    fill_floats(pageable, FLOATS, 1);
    negate_reference(right, pageable, NULL, FLOATS, 0);
    for (int f = 0; f < FORMS; f++)
        for (int i = 0; i < SIZES; i++)
            share[f][i] = measure_call(&forms[f], sizes[i]);
    say("value: the share of the calls that returned after the kernel had ended.");
    if (run.on_cpu)
        say("The CPU device waits where CUDA's documents say so; a GPU shows what a driver does.");
    for (int f = 0; f < FORMS && run.samples && !run.on_cpu && launch_waited < FORMS; f++)
        find(&forms[f], share[f]);
    CUDA_CHECK(cudaFreeHost((void *)ended));
    CUDA_CHECK(cudaFreeHost(h[PINNED]));
    arrays_free(&x);
    return run_end();
}
