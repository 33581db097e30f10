// SPDX-License-Identifier: MIT
// Checks exercise 2.4: makes each situation with a gate for the endless kernel, and looks.
//
//   build: plain
//   runs: in-order
//   unsolved: prediction: no answer yet
#include "../../../tools/learn/queued_work.h"
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

static int measure(int situation, volatile int *gate) {
    int endless = situations[situation].endless, between = situations[situation].between;
    cudaEvent_t event;
    must(cudaEventCreate(&event), "cudaEventCreate");
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
    int held = is_held(s[situations[situation].last], gate);
    open_held(gate);
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    must(cudaEventDestroy(event), "cudaEventDestroy");
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
    for (int k = 0; k < SITUATIONS; k++)
        predict(situations[k].name, predicted[k] == UNKNOWN ? NAN : predicted[k],
                number(measure(k, gate)), 0);
}

static void check_facts(void) {}
