// SPDX-License-Identifier: MIT
// Checks exercise 2.4: makes each situation with a gate for the endless kernel, and looks.
//
//   build: plain
//   runs: in-order
//   unsolved: prediction: no answer yet
#include "../../../tools/learn/queued_work.h"
#include "../../../common/experiment/gate.h"
#include "given.h"

void predict_held(int held[SITUATIONS]); // the learner's

enum { S0, S1, FREE, ZERO, NOWHERE };

static const struct {
    const char *name;
    int endless, between, last; // streams
} situations[SITUATIONS] = {
    {"default stream, s0 held", S0, NOWHERE, ZERO},
    {"s1, s0 held, default stream between", S0, ZERO, S1},
    {"free, s0 held", S0, NOWHERE, FREE},
    {"free, default stream held", ZERO, NOWHERE, FREE},
    {"default stream, free held", FREE, NOWHERE, ZERO},
    {"s1, default stream held", ZERO, NOWHERE, S1},
    {"s1, event after the kernel", S0, NOWHERE, S1},
    {"s1, event before the kernel", S0, NOWHERE, S1},
    {"s1, event never recorded", S0, NOWHERE, S1},
};

static cudaStream_t s[] = {NULL, NULL, NULL, 0};
static cudaStream_t meter; // non-blocking

// How long to wait for a kernel that may be held: until 20 others have run, one after the other,
// that nothing holds, and this thread has worked for 40 ms. On a busy machine both take longer: who
// shares the processors with it has had as much of them.
enum { OTHERS = 20, WORKED_MS = 40 };

static double worked_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int is_held(cudaEvent_t asked, cudaEvent_t other, const volatile int *gate) {
    double begin = worked_ms();
    int others = 0;
    while ((others < OTHERS || worked_ms() - begin < WORKED_MS) && !gate[GATE_GAVE_UP]) {
        int held = cudaEventQuery(asked) != cudaSuccess;
        int ran = cudaEventQuery(other) == cudaSuccess;
        (void)cudaGetLastError();
        if (!held)
            return 0;
        if (ran && others++ < OTHERS) {
            queue_work(0, meter);
            must(cudaEventRecord(other, meter), "cudaEventRecord");
        }
    }
    return 1;
}

static int measure(int situation, volatile int *gate) {
    int endless = situations[situation].endless, between = situations[situation].between;
    cudaEvent_t event, asked, other;
    must(cudaEventCreate(&event), "cudaEventCreate");
    must(cudaEventCreate(&asked), "cudaEventCreate");
    must(cudaEventCreate(&other), "cudaEventCreate");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (situation == EVENT_BEFORE_KERNEL)
        must(cudaEventRecord(event, s[endless]), "cudaEventRecord");
    close_gate(gate, s[endless]);
    if (situation == EVENT_AFTER_KERNEL)
        must(cudaEventRecord(event, s[endless]), "cudaEventRecord");
    if (situation >= EVENT_AFTER_KERNEL)
        must(cudaStreamWaitEvent(s[S1], event, 0), "cudaStreamWaitEvent");
    if (between != NOWHERE)
        queue_work(0, s[between]);
    queue_work(0, s[situations[situation].last]);
    must(cudaEventRecord(asked, s[situations[situation].last]), "cudaEventRecord");
    int held = is_held(asked, other, gate);
    if (!open_gate(gate))
        fail("device", "the launch waited for its kernel (is CUDA_LAUNCH_BLOCKING set?)");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    must(cudaEventDestroy(event), "cudaEventDestroy");
    must(cudaEventDestroy(asked), "cudaEventDestroy");
    must(cudaEventDestroy(other), "cudaEventDestroy");
    return held;
}

static void check_cases(void) {
    int predicted[SITUATIONS];
    ASK(predict_held, predicted, int);
    if (!judging())
        return;

    volatile int *gate = create_gate();
    work_create();
    must(cudaStreamCreate(&s[S0]), "cudaStreamCreate");
    must(cudaStreamCreate(&s[S1]), "cudaStreamCreate");
    must(cudaStreamCreateWithFlags(&s[FREE], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    must(cudaStreamCreateWithFlags(&meter, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (int k = 0; k < SITUATIONS; k++)
        predict(situations[k].name, predicted[k] == UNKNOWN ? NAN : predicted[k],
                number(measure(k, gate)), 0);
}

static void check_facts(void) {}
