// SPDX-License-Identifier: MIT
// The two clocks of the course, the host's and the device's. Chapters 01 and 02 write both out by
// hand: use these when you know what they hide. (In C: -std=gnu11, c11 hides clock_gettime.)
#ifndef TIMERS_H
#define TIMERS_H

#include <time.h>
#include "cuda_check.h"

// Milliseconds on a clock that nobody sets and that runs on while the process sleeps. It knows
// nothing of the device: synchronise before you read it, at both ends.
static inline double wall_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// Two events that the device stamps when it gets to them in their stream.
struct event_timer {
    cudaEvent_t start, stop;
};

static inline struct event_timer event_timer_create(void) {
    struct event_timer timer;
    CUDA_CHECK(cudaEventCreate(&timer.start));
    CUDA_CHECK(cudaEventCreate(&timer.stop));
    return timer;
}

static inline void event_timer_start(struct event_timer *timer, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(timer->start, stream));
}

static inline void event_timer_stop(struct event_timer *timer, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(timer->stop, stream));
}

// Waits for the stop event; milliseconds between the two stamps.
static inline double event_timer_ms(struct event_timer *timer) {
    float ms;
    CUDA_CHECK(cudaEventSynchronize(timer->stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, timer->start, timer->stop));
    return ms;
}

static inline void event_timer_destroy(struct event_timer *timer) {
    CUDA_CHECK(cudaEventDestroy(timer->start));
    CUDA_CHECK(cudaEventDestroy(timer->stop));
}

#endif
