// SPDX-License-Identifier: MIT
// Checks exercise 2.4: makes each situation with a gate for the endless kernel, and looks.
//
//   build: plain
//   runs: in-order
//   unsolved: prediction: no answer yet
#include "../../../tests/grade/work.h"
#include "../../../common/gate.h"
#include "given.h"

void predict_held(int held[SITUATIONS]); // the learner's

enum { S0, S1, FREE, ZERO, NOWHERE };

static const struct {
    const char *name;
    int endless, between, last; // streams
    int held;                   // as documented: how long to wait for the answer; not the answer
    const char *why;
} situations[SITUATIONS] = {
    {"default stream, s0 held", S0, NOWHERE, ZERO, 1,
     "the default stream waits for all ordinary streams"},
    {"s1, s0 held, default stream between", S0, ZERO, S1, 1,
     "the default stream waits for s0, and s1 for the default stream"},
    {"free, s0 held", S0, NOWHERE, FREE, 0, "streams are independent"},
    {"free, default stream held", ZERO, NOWHERE, FREE, 0,
     "non-blocking: it does not wait for the default stream"},
    {"default stream, free held", FREE, NOWHERE, ZERO, 0,
     "non-blocking: the default stream does not wait for it"},
    {"s1, default stream held", ZERO, NOWHERE, S1, 1, "ordinary streams wait for the default one"},
    {"s1, event after the kernel", S0, NOWHERE, S1, 1, "the event stands for all before it"},
    {"s1, event before the kernel", S0, NOWHERE, S1, 0,
     "the event stands for what was before it, and that was nothing"},
    {"s1, event never recorded", S0, NOWHERE, S1, 0, "it stands for nothing, and holds nothing"},
};

static cudaStream_t s[] = {NULL, NULL, NULL, 0};

static int measure(int situation, volatile int *gate) {
    struct timespec one_ms = {0, 1000000};
    int endless = situations[situation].endless, between = situations[situation].between;
    int patience_ms = situations[situation].held ? 100 : 5000;
    cudaEvent_t event, asked;
    must(cudaEventCreate(&event), "cudaEventCreate");
    must(cudaEventCreate(&asked), "cudaEventCreate");
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
    int held = 1;
    for (int ms = 0; ms < patience_ms && held && !gate[GATE_GAVE_UP]; ms++) {
        held = cudaEventQuery(asked) != cudaSuccess;
        (void)cudaGetLastError();
        nanosleep(&one_ms, NULL);
    }
    if (!open_gate(gate))
        fail("device", "the launch waited for its kernel (is CUDA_LAUNCH_BLOCKING set?)");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    must(cudaEventDestroy(event), "cudaEventDestroy");
    must(cudaEventDestroy(asked), "cudaEventDestroy");
    return held;
}

static void check_cases(void) {
    int predicted[SITUATIONS];
    for (int k = 0; k < SITUATIONS; k++)
        predicted[k] = UNKNOWN;
    calling("predict_held()");
    LEARNER(predict_held(predicted));
    SEEN(predicted);
    passed();
    if (!judging())
        return;

    volatile int *gate = create_gate();
    work_create();
    must(cudaStreamCreate(&s[S0]), "cudaStreamCreate");
    must(cudaStreamCreate(&s[S1]), "cudaStreamCreate");
    must(cudaStreamCreateWithFlags(&s[FREE], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (int k = 0; k < SITUATIONS; k++)
        predict(situations[k].name, predicted[k] == UNKNOWN ? NAN : predicted[k],
                number(measure(k, gate)), 0, situations[k].why);
}

static void check_facts(void) {}
