// How are two streams put in order? One waits for an event that is recorded in the other. The host
// waits for nothing, and no event needs a time for it.
//
//     nvcc -O3 -arch=native 6_event_order.cu && ./a.out
//     ../../cudacc/cudacc -O2 6_event_order.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "held.h"

enum { GPU_N = 4 << 20, CPU_N = 256 << 10 };

static cudaStream_t s[2];
static cudaEvent_t done;

// ---- Kernels -----------------------------------------------------------------------------------
__global__ void sum(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void twice(float *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] *= 2;
}

static void queue_sum(cudaStream_t stream, const struct arrays *x, unsigned block) {
    sum<<<blocks(x->n, block), block, 0, stream>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void queue_twice(cudaStream_t stream, const struct arrays *x, unsigned block) {
    twice<<<blocks(x->n, block), block, 0, stream>>>(x->d_out, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// One stream is an order by itself.
static void launch_one_stream(const struct arrays *x, unsigned block, size_t) {
    queue_sum(s[0], x, block);
    queue_twice(s[0], x, block);
}

// The second stream waits for the event, so for all that was in the first one before it.
static void launch_one_event(const struct arrays *x, unsigned block, size_t) {
    queue_sum(s[0], x, block);
    CUDA_CHECK(cudaEventRecord(done, s[0]));
    CUDA_CHECK(cudaStreamWaitEvent(s[1], done, 0));
    queue_twice(s[1], x, block);
}

// In any order.
static void launch_no_event(const struct arrays *x, unsigned block, size_t) {
    queue_sum(s[0], x, block);
    queue_twice(s[1], x, block);
}

// ---- Reference ---------------------------------------------------------------------------------
static void twice_the_sum(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = 2 * (a[i] + b[i]);
}

enum { ONE_STREAM, ONE_EVENT, NO_EVENT, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"one stream", launch_one_stream, twice_the_sum, 256, 0, 20, 2, 0, "right: a stream's order"},
    {"two streams, one event", launch_one_event, twice_the_sum, 256, 0, 20, 2, 0, "the same"},
    {"two streams, no event", launch_no_event, sum_reference, 256, 0, 20, 2, 0,
     "wrong: after a closed gate, twice is first"},
};

// ---- A gate, then both kernels -----------------------------------------------------------------
// Returns 0 if the launches waited for the gate: then no order shows.
static int print_order(int v, const char *result, int last, cudaError_t expected,
                       struct arrays *x) {
    variant_expect(&variants[v], x);
    variant_reset(&variants[v], x);
    CUDA_CHECK(cudaDeviceSynchronize());
    close_gate(gate, s[0]);
    variant_launch(&variants[v], x);
    cudaError_t answer = ask(s[last], expected); // not done, if the last stream waits
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    int right = variant_is_right(&variants[v], x) && (!held || answer == expected);
    if (held || v != NO_EVENT)
        print_value(variants[v].name, 0, result, answer, right);
    return held;
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "02_events/event_order",
              "One event puts two streams in order; without it they run in any.",
              "variant parameter value check", "elements", NO_ERRORS);
    CUDA_CHECK(cudaStreamCreate(&s[0]));
    CUDA_CHECK(cudaStreamCreate(&s[1]));
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&asked, cudaEventDisableTiming));
    check_sizes(variants, NO_EVENT);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    gate = create_gate();          // which waits for the copies of `x`, too
    launch_one_stream(&x, 256, 0); // no kernel may be new to the device while a gate is closed
    int held = print_order(ONE_STREAM, "2 (a + b)", 0, cudaErrorNotReady, &x);
    held = print_order(ONE_EVENT, "2 (a + b)", 1, cudaErrorNotReady, &x) && held;
    held = held && print_order(NO_EVENT, "a + b", 1, cudaSuccess, &x);
    if (held && !run.failed_rows)
        finding("event_orders", 1,
                "With the event the second stream waits for the first. Without it, it runs past.");
    if (!held)
        say("Launches wait for their kernel here (CUDA_LAUNCH_BLOCKING=1?): no order shows.");
    free_gate(gate);
    arrays_free(&x);
    return run_end();
}
