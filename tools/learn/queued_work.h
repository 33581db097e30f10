// SPDX-License-Identifier: MIT
// Work whose progress the host can see at any moment: each piece is a kernel that, when it ends,
// adds its `units` to a word in host memory. On a GPU a piece lasts 10 ms, so a host that does not
// wait for it is too early for certain; on the CPU device CPU_DEVICE_SCHEDULE=late sees to that.
//
// And gates (gate.h) that prove something: what a check has seen while one was closed counts only
// if open_held() finds that it has held; else the check is made again (Check.pm).
//
// To change here: what the work is, and how long is_held() waits.
#ifndef QUEUED_WORK_H
#define QUEUED_WORK_H

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

static inline void open_held(volatile int *gate) {
    if (!open_gate(gate))
        fail("device", "a gate opened by itself: the machine is too busy, or the launch waited for "
                       "its kernel (is CUDA_LAUNCH_BLOCKING set?)");
}

// How long to wait for what may be held: until 20 kernels have run, one after the other, that
// nothing holds, and this thread has worked for 40 ms. On a busy machine both take longer: who
// shares the processors with it has had as much of them.
enum { OTHERS = 20, WORKED_MS = 40 };

static inline double worked_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// 1 if what is queued in the stream so far does not get done.
static inline int is_held(cudaStream_t stream) {
    double begin = worked_ms();
    int others = 0, held = 1;
    cudaEvent_t asked, other;
    must(cudaEventCreate(&asked), "cudaEventCreate");
    must(cudaEventCreate(&other), "cudaEventCreate");
    must(cudaEventRecord(asked, stream), "cudaEventRecord");
    while (held && (others < OTHERS || worked_ms() - begin < WORKED_MS)) {
        if (cudaEventQuery(other) == cudaSuccess && others++ < OTHERS) {
            queue_work(0, free_stream);
            must(cudaEventRecord(other, free_stream), "cudaEventRecord");
        }
        held = cudaEventQuery(asked) != cudaSuccess;
        (void)cudaGetLastError();
    }
    must(cudaEventDestroy(asked), "cudaEventDestroy");
    must(cudaEventDestroy(other), "cudaEventDestroy");
    return held;
}

#endif
