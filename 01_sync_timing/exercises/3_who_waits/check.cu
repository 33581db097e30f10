// SPDX-License-Identifier: MIT
// Checks exercise 1.3: queues a piece of work, makes the call, and looks whether the work is done.
//
//   build: plain
//   runs: late
//   unsolved: prediction: no answer yet
#include "../../../tests/grade/work.h"
#include "given.h"

void predict_waits(int waits[CALLS]); // the learner's

static const struct {
    const char *name, *why;
} calls[CALLS] = {
    {"another launch", "it is a message in the queue, as the first one was"},
    {"cudaMemset", "on device memory it is queued like a kernel"},
    {"cudaMemcpy on the device", "no host memory takes part, so the host need not wait"},
    {"cudaMemcpy to the host", "it returns when the data is there, and it comes after the kernel"},
    {"cudaMemcpy from pinned memory",
     "it returns when the copy is made, and that is after the kernel"},
    {"cudaMemcpy of 1 MiB from malloc", "the driver waits for the stream, then reads the array"},
    {"cudaMemcpyAsync to pinned memory", "the device writes there by itself, later"},
    {"cudaMemcpyAsync to pageable memory",
     "asynchronous by name: the data goes by way of the driver"},
    {"cudaEventRecord", "it only queues the event"},
    {"cudaEventSynchronize", "the event comes after the kernel"},
    {"synchronizing another stream", "it is empty, and does not wait for the default stream"},
};

static int *d_a, *d_b, *pinned, *pageable;
static cudaEvent_t event;
static cudaStream_t other;

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
    case EVENT_RECORD:
        must(cudaEventRecord(event, 0), "cudaEventRecord");
        break;
    case EVENT_SYNCHRONIZE:
        must(cudaEventRecord(event, 0), "cudaEventRecord");
        must(cudaEventSynchronize(event), "cudaEventSynchronize");
        break;
    case ANOTHER_STREAM:
        must(cudaStreamSynchronize(other), "cudaStreamSynchronize");
        break;
    default:
        break;
    }
}

static void check_cases(void) {
    int waits[CALLS];
    for (int call = 0; call < CALLS; call++)
        waits[call] = UNKNOWN;
    calling("predict_waits()");
    LEARNER(predict_waits(waits));
    SEEN(waits);
    passed();
    if (!judging()) // who measures has none of the learner's code
        return;

    work_create();
    must(cudaMalloc((void **)&d_a, BYTES), "cudaMalloc");
    must(cudaMalloc((void **)&d_b, BYTES), "cudaMalloc");
    must(cudaMallocHost((void **)&pinned, 4096), "cudaMallocHost");
    pageable = (int *)host_malloc(BYTES);
    memset(pageable, 0, BYTES);
    *pinned = 0;
    must(cudaEventCreate(&event), "cudaEventCreate");
    must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (int call = 0; call < CALLS; call++) {
        must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        int before = *work_done;
        queue_work(1, 0);
        make_call(call);
        int waited = *work_done > before;
        predict(calls[call].name, waits[call] == UNKNOWN ? NAN : waits[call], number(waited), 0,
                calls[call].why);
    }
}

static void check_facts(void) {}
