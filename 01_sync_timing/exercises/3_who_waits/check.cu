// SPDX-License-Identifier: MIT
// Checks exercise 1.3: queues a piece of work, makes the call, and looks whether the work is done.
//
//   build: plain
//   runs: late
//   unsolved: prediction: no answer yet
#include "../../../tools/learn/queued_work.h"
#include "given.h"

void predict_waits(int waits[CALLS]); // the learner's

static const char *const calls[CALLS] = {
    "another launch",
    "cudaMemset",
    "cudaMemcpy on the device",
    "cudaMemcpy to the host",
    "cudaMemcpy from pinned memory",
    "cudaMemcpy of 1 MiB from malloc",
    "cudaMemcpyAsync to pinned memory",
    "cudaMemcpyAsync to pageable memory",
    "cudaGetLastError",
    "cudaStreamQuery",
    "cudaDeviceSynchronize",
};

static int *d_a, *d_b, *pinned, *pageable;

enum { BYTES = 1 << 20 };

static void make_call(int call) {
    switch (call) {
    case ANOTHER_LAUNCH:
        queue_work(0, 0);
        break;
    case MEMSET:
        must(cudaMemset(d_a, 0, BYTES), "cudaMemset");
        break;
    case COPY_ON_DEVICE:
        must(cudaMemcpy(d_a, d_b, BYTES, cudaMemcpyDeviceToDevice), "cudaMemcpy");
        break;
    case COPY_TO_HOST:
        must(cudaMemcpy(pageable, d_a, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
        break;
    case COPY_FROM_PINNED:
        must(cudaMemcpy(d_a, pinned, 4, cudaMemcpyHostToDevice), "cudaMemcpy");
        break;
    case COPY_FROM_MALLOC:
        must(cudaMemcpy(d_a, pageable, BYTES, cudaMemcpyHostToDevice), "cudaMemcpy");
        break;
    case ASYNC_TO_PINNED:
        must(cudaMemcpyAsync(pinned, d_a, 4, cudaMemcpyDeviceToHost, 0), "cudaMemcpyAsync");
        break;
    case ASYNC_TO_PAGEABLE:
        must(cudaMemcpyAsync(pageable, d_a, 4, cudaMemcpyDeviceToHost, 0), "cudaMemcpyAsync");
        break;
    case LAST_ERROR:
        must(cudaGetLastError(), "cudaGetLastError");
        break;
    case QUERY:
        (void)cudaStreamQuery(0); // cudaErrorNotReady is an answer, and no error that stays
        break;
    case SYNCHRONIZE:
        must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        break;
    default:
        break;
    }
}

static void check_cases(void) {
    int waits[CALLS];
    ASK(predict_waits, waits, int);
    if (!judging())
        return;

    work_create();
    must(cudaMalloc((void **)&d_a, BYTES), "cudaMalloc");
    must(cudaMalloc((void **)&d_b, BYTES), "cudaMalloc");
    must(cudaMallocHost((void **)&pinned, 4096), "cudaMallocHost");
    pageable = (int *)host_malloc(BYTES);
    memset(pageable, 0, BYTES);
    *pinned = 0;
    for (int call = 0; call < CALLS; call++) {
        must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        int before = *work_done;
        queue_work(1, 0);
        make_call(call);
        int waited = *work_done > before;
        predict(calls[call], waits[call] == UNKNOWN ? NAN : waits[call], number(waited), 0);
    }
}

static void check_facts(void) {}
