// SPDX-License-Identifier: MIT
// Work whose progress the host can see at any moment: each piece is a kernel that, when it ends,
// adds its `units` to a word in host memory. On a GPU a piece lasts 10 ms, so a host that does not
// wait for it is too early for certain; on the CPU device CPU_DEVICE_SCHEDULE=late sees to that.
//
// To change here: what the work is. A check asks only how much of it is done (work_done).
#ifndef QUEUED_WORK_H
#define QUEUED_WORK_H

#include "../../common/experiment/gate.h"
#include "check.h"

static volatile int *work_done; // units, so far

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
    queue_work(0, 0); // so that the kernel is loaded
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

#endif
