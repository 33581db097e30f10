// What waits for what: two streams run in no order until an event gives them one. The legacy
// default stream waits for all streams but the non-blocking ones, and they for it; no other stream
// does.
//
//     nvcc -O3 -arch=native 4_stream_order.cu && ./a.out
//     nvcc -O3 -arch=native --default-stream per-thread 4_stream_order.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 4_stream_order.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM // by nvcc's flag: then it is there from the first line on
enum { FLAG = 1 };
#else
enum { FLAG = 0 };
#endif
// Too late, and without effect: nvcc includes cuda_runtime.h before the first line of a file.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1

#include "../../common/variants.h"
#include "../../common/gate.h"

enum {
    GPU_N = 4 << 20,
    CPU_N = 256 << 10,
    BLOCK = 256,
    PATIENCE = 20, // ms that work must not be done for, to be called held
};

// The first three are made by create_streams. Under LEGACY and PER_THREAD the two default streams
// have fixed names; which of them stream 0 is, the build decides.
enum { S0, S1, NON_BLOCKING, LEGACY, PER_THREAD, ZERO, NONE };
static cudaStream_t s[] = {NULL, NULL, NULL, cudaStreamLegacy, cudaStreamPerThread, 0};
static cudaEvent_t done, asked; // they order streams and need no time: so they have none
static volatile int *gate;

static void create_streams(void) {
    CUDA_CHECK(cudaStreamCreate(&s[S0]));
    CUDA_CHECK(cudaStreamCreate(&s[S1]));
    CUDA_CHECK(cudaStreamCreateWithFlags(&s[NON_BLOCKING], cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&asked, cudaEventDisableTiming));
}

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
    queue_sum(s[S0], x, block);
    queue_twice(s[S0], x, block);
}

// The second stream waits for the event, so for all that was in the first one before it. The host
// waits for nothing.
static void launch_one_event(const struct arrays *x, unsigned block, size_t) {
    queue_sum(s[S0], x, block);
    CUDA_CHECK(cudaEventRecord(done, s[S0]));
    CUDA_CHECK(cudaStreamWaitEvent(s[S1], done, 0));
    queue_twice(s[S1], x, block);
}

// In any order.
static void launch_no_event(const struct arrays *x, unsigned block, size_t) {
    queue_sum(s[S0], x, block);
    queue_twice(s[S1], x, block);
}

// ---- References --------------------------------------------------------------------------------
// Twice the sum; in the other order it would be the sum alone.
static void pipeline_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = 2 * (a[i] + b[i]);
}

static void sum_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

// The last one is right only after a closed gate.
enum { ONE_STREAM, ONE_EVENT, NO_EVENT, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"one stream", launch_one_stream, pipeline_reference, BLOCK, 0, 20, 2, 0,
     "right: the stream's order"},
    {"two streams, one event", launch_one_event, pipeline_reference, BLOCK, 0, 20, 2, 0,
     "the same result"},
    {"two streams, no event", launch_no_event, sum_reference, BLOCK, 0, 20, 2, 0,
     "the sum, if twice is first"},
};

// ---- What waits for what -----------------------------------------------------------------------
// A kernel after a closed gate in one stream, one in `between`, then one in another: can the last
// one end while the gate is closed?
static const struct question {
    const char *name, *when;
    int held, between, stream;
    cudaError_t expected;
} questions[] = {
    {"another stream", "a stream held", S0, NONE, S1, cudaSuccess},
    {"the same, stream 0 between", "a stream held", S0, LEGACY, S1, cudaErrorNotReady},
    {"legacy default stream", "a stream held", S0, NONE, LEGACY, cudaErrorNotReady},
    {"stream 0 as built", "a stream held", S0, NONE, ZERO, FLAG ? cudaSuccess : cudaErrorNotReady},
    {"per-thread default stream", "a stream held", S0, NONE, PER_THREAD, cudaSuccess},
    {"legacy default stream", "non-blocking held", NON_BLOCKING, NONE, LEGACY, cudaSuccess},
    {"another stream", "legacy held", LEGACY, NONE, S1, cudaErrorNotReady},
    {"per-thread default stream", "legacy held", LEGACY, NONE, PER_THREAD, cudaErrorNotReady},
    {"non-blocking stream", "legacy held", LEGACY, NONE, NON_BLOCKING, cudaSuccess},
};
enum { QUESTIONS = (int)(sizeof questions / sizeof questions[0]), STREAM_0 = 3 };

// Is all that is in the stream done? "Not ready" only after PATIENCE; where success is expected, it
// waits until the gate gives up.
static cudaError_t ask(cudaStream_t stream, cudaError_t expected) {
    double start = wall_ms();
    cudaError_t answer;
    CUDA_CHECK(cudaEventRecord(asked, stream));
    while ((answer = cudaEventQuery(asked)) == cudaErrorNotReady && !gate[GATE_GAVE_UP])
        if (expected == cudaErrorNotReady && wall_ms() - start > PATIENCE)
            break;
    (void)cudaGetLastError(); // a version may keep "not ready" as the last error
    return answer;
}

static void print_answer(const char *name, const char *when, int code, int ok) {
    struct row row = row_of(name);
    row.parameter = when;
    row.value = code;
    row.check = ok ? "ok" : "FAIL";
    print_row(&row);
}

// Returns the answer; or -1 if the launches waited for the gate, so that nothing ran beside it.
static int print_question(const struct question *q, const struct arrays *x) {
    close_gate(gate, s[q->held]);
    if (q->between != NONE)
        queue_twice(s[q->between], x, BLOCK);
    queue_twice(s[q->stream], x, BLOCK);
    cudaError_t answer = ask(s[q->stream], q->expected);
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (held || q != &questions[0])
        print_answer(q->name, q->when, answer, held && answer == q->expected);
    return held ? (int)answer : -1;
}

// The launches of a variant after a closed gate in the first stream. Without an event `twice`
// overtakes the gate and `sum`, which then writes the sum.
static void print_order(int v, const char *result, int last, cudaError_t expected,
                        struct arrays *x) {
    variant_expect(&variants[v], x);
    variant_reset(&variants[v], x);
    CUDA_CHECK(cudaDeviceSynchronize());
    close_gate(gate, s[S0]);
    variant_launch(&variants[v], x);
    cudaError_t answer = ask(s[last], expected);
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    print_answer(variants[v].name, result, answer,
                 variant_is_right(&variants[v], x) && (!held || answer == expected));
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    int answer[QUESTIONS] = {0};
    run_begin(argc, argv, "02_events/stream_order",
              "Streams run in no order but what events and the default stream impose.",
              "variant parameter value check", "elements", NO_ERRORS);
    create_streams();
    if (check_sizes(variants, NO_EVENT))
        return run_end();
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    gate = create_gate();              // which waits for the copies of `x`, too
    for (int i = S0; i <= ZERO; i++) { // nothing may be new to the device while a gate is closed
        queue_sum(s[i], &x, BLOCK);
        queue_twice(s[i], &x, BLOCK);
    }
    for (int i = 0; i < QUESTIONS && answer[0] >= 0; i++)
        answer[i] = print_question(&questions[i], &x);
    print_order(ONE_STREAM, "2 (a + b)", S0, cudaErrorNotReady, &x);
    print_order(ONE_EVENT, "2 (a + b)", S1, cudaErrorNotReady, &x);
    if (answer[0] >= 0) {
        print_order(NO_EVENT, "a + b", S1, cudaSuccess, &x);
        say("0 is done, %d not ready. Built %s --default-stream per-thread.", cudaErrorNotReady,
            FLAG ? "with" : "without");
        if (answer[STREAM_0])
            finding("stream_0_waits", 1, "As built here, stream 0 waits for the other streams.");
        else
            finding("stream_0_waits", 0, "As built here, stream 0 does not wait for the others.");
    } else {
        say("Launches wait for their kernel here (CUDA_LAUNCH_BLOCKING=1?): no order shows.");
    }
    free_gate(gate);
    arrays_free(&x);
    return run_end();
}
