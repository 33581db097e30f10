/*
 * stop.c: a kernel ends before its end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void kernel_place(char *text, size_t size) {
    struct worker *w = self;
    snprintf(text, size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)", w->launch->name,
             blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
}

/* The launch is given up. A traced one runs the blocks before this one to their end, so that it is
 * the same error that is found on every run. */
void stop(struct worker *w) {
    struct cpu_device_launch *l = w->launch;
    unsigned long long least = __atomic_load_n(&l->error_position, __ATOMIC_RELAXED);
    while (OBSERVED && w->position < least &&
           !__atomic_compare_exchange_n(&l->error_position, &least, w->position, 0,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    __atomic_store_n(&l->stop, 1, __ATOMIC_RELEASE);
    if (l->cooperation)
        l->cooperation->stop(l);
}

/* Gives the launch up, as a GPU does: this worker goes back to its own stack. */
_Noreturn void cpu_device_abandon(int error) {
    cpu_device_lose((cudaError_t)error); /* before the others stop, so that this code wins */
    stop(self);
    self->error = error;
    go_to(self, &self->own, 1);
    abort();
}

void cpu_device_print(const char *text) {
    if (write(2, text, strlen(text)) < 0)
        return;
}

/* A traced program says it when the launch has ended, so that it is the same on every run. */
_Noreturn void die(int error, const char *what, const void *pc, const char *line) {
    if (OBSERVED)
        cpu_device_observer->dies(error, what, pc, NULL);
    else
        cpu_device_print(line);
    cpu_device_abandon(error);
}

void cpu_device_die(int error, const char *what, const void *pc) {
    char line[400], place[200];
    kernel_place(place, sizeof place);
    snprintf(line, sizeof line, "CPU device: %s: %s\n", place, what);
    die(error, what, pc, line);
}

void cpu_device_trap(int error, const char *what) {
    if (!cpu_device_in_kernel())
        abort();
    cpu_device_die(error, what, __builtin_return_address(0));
}

/* The first thread of the block that waits in a warp function; one does. */
static unsigned first_waiting(const struct worker *w) {
    unsigned warp = 0;
    while (!w->waiting[warp])
        warp++;
    return warp * WARP + (unsigned)__builtin_ctz(w->waiting[warp]);
}

unsigned waiting_in_warps(const struct worker *w) {
    unsigned count = 0;
    for (unsigned i = 0; i < (w->threads + WARP - 1) / WARP; i++)
        count += (unsigned)__builtin_popcount(w->waiting[i]);
    return count;
}

void deadlock(struct worker *w) {
    char line[400], what[200];
    unsigned in_warp = waiting_in_warps(w);
    if (OBSERVED) {
        snprintf(what, sizeof what, "deadlock, %u of %u threads wait in a warp function", in_warp,
                 w->threads);
        w->error = cpu_device_observer->deadlock(what, first_waiting(w));
    } else {
        snprintf(line, sizeof line,
                 "CPU device: kernel %s, block (%u,%u,%u) can never end: of %u threads %u have "
                 "returned, %u wait at __syncthreads, %u in a warp function\n",
                 w->launch->name, blockIdx.x, blockIdx.y, blockIdx.z, w->threads, w->finished,
                 w->at_barrier, in_warp);
        cpu_device_print(line);
        w->error = cudaErrorLaunchTimeout;
    }
    stop(w);
}
