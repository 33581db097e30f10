// What waits for what: two streams run in no order until an event gives them one. The legacy
// default stream waits for all streams but the non-blocking ones, and they for it; no other stream
// does.
//
//     nvcc -O3 4_stream_order.cu && ./a.out
//     nvcc -O3 --default-stream per-thread 4_stream_order.cu && ./a.out
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

#include "../../common/arrays.h"
#include "gate.h"

enum {
    GPU_N = 4 * 1024 * 1024,
    CPU_N = 256 * 1024,
    PATIENCE = 20, // ms that work must not be done for, to be called held
};

// The first three are made by create_streams. Under LEGACY and PER_THREAD the two default streams
// have fixed names; which of them stream 0 is, the build decides.
enum { S0, S1, NON_BLOCKING, LEGACY, PER_THREAD, ZERO, NONE };
static cudaStream_t s[] = {NULL, NULL, NULL, cudaStreamLegacy, cudaStreamPerThread, 0};
static cudaEvent_t done, asked; // they order, nobody asks for their time: so they have none
static volatile int *gate;

static void create_streams(void) {
    if (done)
        return;
    CUDA_CHECK(cudaStreamCreate(&s[S0]));
    CUDA_CHECK(cudaStreamCreate(&s[S1]));
    CUDA_CHECK(cudaStreamCreateWithFlags(&s[NON_BLOCKING], cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&asked, cudaEventDisableTiming));
}

// ---- Reference ---------------------------------------------------------------------------------
// Twice the sum; were the order another, it would be the sum alone.
static void pipeline_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = 2 * (a[i] + b[i]);
}

static void sum_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
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

static void launch_sum(cudaStream_t stream, float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        sum<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_twice(cudaStream_t stream, float *out, size_t n) {
    if (n > 0)
        twice<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    CUDA_CHECK(cudaGetLastError());
}

// One stream is an order by itself.
static void launch_one_stream(float *out, const float *a, const float *b, size_t n) {
    create_streams();
    launch_sum(s[S0], out, a, b, n);
    launch_twice(s[S0], out, n);
}

// The second stream waits for the event, so for all that was in the first one before it. The host
// waits for nothing.
static void launch_one_event(float *out, const float *a, const float *b, size_t n) {
    create_streams();
    launch_sum(s[S0], out, a, b, n);
    CUDA_CHECK(cudaEventRecord(done, s[S0]));
    CUDA_CHECK(cudaStreamWaitEvent(s[S1], done, 0));
    launch_twice(s[S1], out, n);
}

// Whatever comes first. Not in the table of what is right.
static void launch_no_event(float *out, const float *a, const float *b, size_t n) {
    launch_sum(s[S0], out, a, b, n);
    launch_twice(s[S1], out, n);
}

static const struct variant variants[] = {
    {"one stream", launch_one_stream, pipeline_reference, 20, 2, 0, "right: the stream's order"},
    {"two streams, one event", launch_one_event, pipeline_reference, 20, 2, 0, "the same result"},
};
static const struct variant no_event = {
    "two streams, no event",     launch_no_event, sum_reference, 20, 2, 0,
    "the sum, if twice is first"};

// ---- What waits for what -----------------------------------------------------------------------
// A kernel behind a closed gate in one stream, one in `between`, then one in another: can the last
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
enum { QUESTIONS = (int)(sizeof questions / sizeof questions[0]) };

// Is all that is in the stream done? "Not ready" only after PATIENCE; who expects success waits
// until the gate gives up.
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

static void print_answer(struct run *run, const char *name, const char *when, int code, int ok) {
    struct row row = run_row(run, name);
    row.parameter = when;
    row.value = code;
    row.check = ok ? "ok" : "FAIL";
    run_print(run, &row);
}

// Returns the answer; or -1 if the launches waited for the gate, so that nothing ran beside it.
static int print_question(struct run *run, const struct question *q, const struct arrays *arrays) {
    close_gate(gate, s[q->held]);
    if (q->between != NONE)
        launch_twice(s[q->between], arrays->d_out, arrays->n);
    launch_twice(s[q->stream], arrays->d_out, arrays->n);
    cudaError_t answer = ask(s[q->stream], q->expected);
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (held || q != &questions[0])
        print_answer(run, q->name, q->when, answer, held && answer == q->expected);
    return held ? (int)answer : -1;
}

// The launches of a variant behind a closed gate in the first stream. Without an event `twice`
// overtakes the gate and `sum`, which then writes the sum.
static void print_order(struct run *run, const struct variant *variant, cudaStream_t last,
                        cudaError_t expected, struct arrays *arrays) {
    variant_reset(variant, arrays);
    CUDA_CHECK(cudaDeviceSynchronize());
    close_gate(gate, s[S0]);
    variant_launch(variant, arrays);
    cudaError_t answer = ask(last, expected);
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    print_answer(run, variant->name, variant == &no_event ? "a + b" : "2 (a + b)", answer,
                 variant_is_right(variant, arrays) && (!held || answer == expected));
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "02_events",
    "stream_order",
    "Streams run in no order but what events and the default stream impose.",
    "variant parameter value check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    struct arrays arrays = arrays_create(run_size(&run, GPU_N, CPU_N, 3 * sizeof(float)));
    int answer[QUESTIONS] = {0};
    create_streams();
    gate = create_gate();              // which waits for the copies of `arrays`, too
    for (int i = S0; i <= ZERO; i++) { // nothing may be new to the device behind a gate
        launch_sum(s[i], arrays.d_out, arrays.d_a, arrays.d_b, arrays.n);
        launch_twice(s[i], arrays.d_out, arrays.n);
    }
    for (int i = 0; i < QUESTIONS && answer[0] >= 0; i++)
        answer[i] = print_question(&run, &questions[i], &arrays);
    print_order(&run, &variants[0], s[S0], cudaErrorNotReady, &arrays);
    print_order(&run, &variants[1], s[S1], cudaErrorNotReady, &arrays);
    if (answer[0] >= 0) {
        print_order(&run, &no_event, s[S1], cudaSuccess, &arrays);
        run_say(&run, "Values: 0 done, %d not ready. Built %s the flag, stream 0 %s.",
                cudaErrorNotReady, FLAG ? "with" : "without",
                answer[3] ? "waits for the others" : "does not wait for the others");
    } else {
        run_say(&run,
                "Launches wait for their kernel here (CUDA_LAUNCH_BLOCKING=1?): no order shows.");
    }
    free_gate(gate);
    arrays_free(&arrays);
    return run_end(&run);
}
