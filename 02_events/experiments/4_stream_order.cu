// Which stream waits for which? The legacy default stream waits for all streams but the
// non-blocking ones, and they for it; no other stream waits for another.
//
//     nvcc -O3 -arch=native 4_stream_order.cu && ./a.out
//     nvcc -O3 -arch=native --default-stream per-thread 4_stream_order.cu && ./a.out
//     ../../cudacc/cudacc -O2 4_stream_order.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM // by nvcc's flag: then it is there from the first line on
enum { FLAG = 1 };
#else
enum { FLAG = 0 };
#endif
// Too late, and without effect: nvcc includes cuda_runtime.h before the first line of a file.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1

#include "held.h"

enum { N = 256 << 10 };

// The first three are made by create_streams. Under LEGACY and PER_THREAD the two default streams
// have fixed names; which of them stream 0 is, the build decides.
enum { S0, S1, NON_BLOCKING, LEGACY, PER_THREAD, ZERO, NONE };
static cudaStream_t s[] = {NULL, NULL, NULL, cudaStreamLegacy, cudaStreamPerThread, 0};

static void create_streams(void) {
    CUDA_CHECK(cudaStreamCreate(&s[S0]));
    CUDA_CHECK(cudaStreamCreate(&s[S1]));
    CUDA_CHECK(cudaStreamCreateWithFlags(&s[NON_BLOCKING], cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&asked, cudaEventDisableTiming));
}

// ---- Kernel ------------------------------------------------------------------------------------
__global__ void twice(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * a[i];
}

static void launch_twice(const struct arrays *x, unsigned block, size_t stream) {
    twice<<<blocks(x->n, block), block, 0, s[stream]>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void twice_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = 2 * a[i];
}

static const struct variant variants[] = {
    {"twice", launch_twice, twice_reference, 256, S0, 8, 1, 0, "the same in every stream"},
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

// Returns the answer; or -1 if the launches waited for the gate, so that nothing ran beside it.
static int print_question(const struct question *q, struct arrays *x) {
    variant_reset(variants, x);
    CUDA_CHECK(cudaDeviceSynchronize());
    close_gate(gate, s[q->held]);
    if (q->between != NONE)
        launch_twice(x, 256, q->between);
    launch_twice(x, 256, q->stream);
    cudaError_t answer = ask(s[q->stream], q->expected);
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    int right = variant_is_right(variants, x) && held && answer == q->expected;
    if (held || q != questions)
        print_value(q->name, 0, q->when, answer, right);
    return held ? (int)answer : -1;
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    int answer[QUESTIONS] = {0};
    run_begin(argc, argv, "02_events/stream_order",
              "No stream waits for another, but for the legacy default stream.",
              "variant parameter value check", NULL, NO_ERRORS);
    create_streams();
    check_sizes(variants, 1);
    struct arrays x = arrays_create(N);
    variant_expect(variants, &x);
    gate = create_gate();              // which waits for the copies of `x`, too
    for (int i = S0; i <= ZERO; i++) { // nothing may be new to the device while a gate is closed
        launch_twice(&x, 256, i);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    for (int i = 0; i < QUESTIONS && answer[0] >= 0; i++)
        answer[i] = print_question(&questions[i], &x);
    if (answer[0] < 0) {
        say("Launches wait for their kernel here (CUDA_LAUNCH_BLOCKING=1?): no order shows.");
    } else {
        say("0 is done, %d not ready. Built %s --default-stream per-thread.", cudaErrorNotReady,
            FLAG ? "with" : "without");
        if (answer[STREAM_0])
            finding("stream_0_waits", 1, "As built here, stream 0 waits for the other streams.");
        else
            finding("stream_0_waits", 0, "As built here, stream 0 does not wait for the others.");
    }
    free_gate(gate);
    arrays_free(&x);
    return run_end();
}
