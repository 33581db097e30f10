// SPDX-License-Identifier: MIT
// Work whose progress the host can see at any moment: each piece is a kernel that, when it ends,
// adds its `units` to a word in host memory. On a GPU a piece lasts 10 ms, so a host that does not
// wait for it is too early for certain; on the CPU device CPU_DEVICE_SCHEDULE=late sees to that.
//
// And gates (gate.h) that prove something: where one has opened by itself, the check is made again
// (Check.pm).
#ifndef QUEUED_WORK_H
#define QUEUED_WORK_H

// No verdict is to depend on how slow a function or a machine is: on the CPU device a gate that
// waits costs no processor time.
#ifdef __CUDACC_CPU__
#define GATE_MS 20000
#endif
#include "../../common/experiment/gate.h"
#include "check.h"

static volatile int *work_done;  // units, so far
static cudaStream_t free_stream; // that nothing holds

static __global__ void do_work(volatile int *done, int units) {
#ifndef __CUDACC_CPU__
    for (long long start = device_ns(); device_ns() - start < 10 * 1000 * 1000;)
        ;
#endif
    *done = *done + units;
}

static inline void queue_work(int units, cudaStream_t stream) {
    do_work<<<1, 1, 0, stream>>>(work_done, units);
    must(cudaGetLastError(), "launch");
}

static inline void work_create(void) {
    int *p;
    must(cudaHostAlloc((void **)&p, sizeof *p, cudaHostAllocMapped), "cudaHostAlloc");
    *p = 0;
    work_done = p;
    must(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking),
         "cudaStreamCreateWithFlags");
    queue_work(0, 0); // so that the kernel is loaded
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

// What was seen while it was closed counts only if it still is: ask before anything is said.
static inline void must_hold(volatile int *gate) {
    if (gate[GATE_GAVE_UP])
        fail("device", "a gate opened by itself: the machine is too busy, your function takes "
                       "seconds, or a launch waited for its kernel (is CUDA_LAUNCH_BLOCKING set?)");
}

static inline void open_held(volatile int *gate) {
    (void)open_gate(gate);
    must_hold(gate);
}

// How long to wait for what may be held: until 20 kernels have run, one after the other, that
// nothing holds, and the gate has waited for 100 ms more, by the clock by which it gives up. It
// sleeps between, as the gate does: what shares a processor with both has had its turns.
enum { OTHERS = 20, PATIENCE_MS = 100 };

// 1 if the event has no time while the gate is closed.
static inline int event_is_held(cudaEvent_t asked, volatile int *gate) {
    struct timespec rest = {0, 200000};
    int others = 0, held = 1, begin = gate[GATE_WAITED_MS];
    cudaEvent_t other;
    must(cudaEventCreate(&other), "cudaEventCreate");
    while (held && !gate[GATE_GAVE_UP] &&
           (others < OTHERS || gate[GATE_WAITED_MS] - begin < PATIENCE_MS)) {
        if (cudaEventQuery(other) == cudaSuccess && others++ < OTHERS) {
            queue_work(0, free_stream);
            must(cudaEventRecord(other, free_stream), "cudaEventRecord");
        }
        nanosleep(&rest, NULL);
        held = cudaEventQuery(asked) != cudaSuccess;
        (void)cudaGetLastError();
    }
    must_hold(gate);
    must(cudaEventDestroy(other), "cudaEventDestroy");
    return held;
}

// 1 if what is queued in the stream so far does not get done while the gate is closed. Ask before
// the host waits for a stream that a learner's code may have made wait for what the gate holds.
static inline int is_held(cudaStream_t stream, volatile int *gate) {
    cudaEvent_t asked;
    must(cudaEventCreate(&asked), "cudaEventCreate");
    must(cudaEventRecord(asked, stream), "cudaEventRecord");
    int held = event_is_held(asked, gate);
    must(cudaEventDestroy(asked), "cudaEventDestroy");
    return held;
}

#endif
