// SPDX-License-Identifier: MIT
// One copy, from an idle device or after a running kernel, and what copy_calls takes of it: a time,
// or whether its call returned early.
#ifndef TAKES_H
#define TAKES_H

#include "copies.h"

// ---- Kernel ------------------------------------------------------------------------------------
// One thread, for a time.
static __global__ void busy(long long ns) {
    long long start = device_ns();
    while (device_ns() - start < ns)
        continue;
}

static inline void launch_busy(void) {
    const long long ms = 1000 * 1000;
    busy<<<1, 1>>>(run.on_cpu ? 10 * ms : ms); // there the host may wait for a core
    CUDA_CHECK(cudaGetLastError());
}

// ---- Takes -------------------------------------------------------------------------------------
// What is taken of a copy, each of a copy of its own, so that none lies in the time of another.
enum {
    HOST,   // milliseconds by the host's clock, until the device is idle again
    EVENTS, // milliseconds between two events
    EARLY,  // 100 (percent): the call returned before its copy was done, or the kernel ahead of it
    TAKES
};
enum { IDLE, BUSY, STATES }; // the device when the copy comes: idle, or in a kernel
enum { CASES = FORMS * STATES * TAKES };

static inline double take(const struct arrays *x, int at, cudaEvent_t *events) {
    int form = at / TAKES / STATES, state = at / TAKES % STATES, what = at % TAKES;
    CUDA_CHECK(cudaDeviceSynchronize());
    if (state == BUSY) {
        launch_busy();
        CUDA_CHECK(cudaEventRecord(events[2], 0));
    }
    double start = wall_ms();
    if (what == EVENTS)
        CUDA_CHECK(cudaEventRecord(events[0], 0));
    copy(form, form & TO_HOST ? x->d_a : x->d_out, x->n);
    if (what == EVENTS) {
        CUDA_CHECK(cudaEventRecord(events[1], 0));
        return elapsed_ms(events[0], events[1]);
    }
    if (what == EARLY) {
        cudaError_t left = state == IDLE ? cudaStreamQuery(0) : cudaEventQuery(events[2]);
        (void)cudaGetLastError(); // "not ready" is no failure
        return left == cudaErrorNotReady ? 100 : 0;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return wall_ms() - start;
}

#endif
