// SPDX-License-Identifier: MIT
// What the device tests share: a device or a skip, codes compared by name, and a gate: a kernel
// that waits until the host lets it go on. The gate is how a test holds a stream still without
// depending on anybody's speed; it gives up after some seconds, so no test can hang on it.
#ifndef TESTS_DEVICE_H
#define TESTS_DEVICE_H

#include "tap.h"
#include <time.h>
#include <cuda_runtime.h>
#include "../../common/experiment/gate.h"

// Public code still calls what is deprecated, so the tests do.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 1444
#elif defined __NVCC__ && !defined __CUDACC_CPU__
#pragma diag_suppress 1444
#endif

// A call and the code it has to return. The code it did return is shown.
#define gives(expected, call, ...)                                                                 \
    do {                                                                                           \
        cudaError_t actual_ = (call);                                                              \
        if (!ok(actual_ == (expected), __VA_ARGS__))                                               \
            diag("%s gave %d, %s", #call, (int)actual_, cudaGetErrorName(actual_));                \
    } while (0)
#define works(call, ...) gives(cudaSuccess, call, __VA_ARGS__)
// A call that has to fail, where CUDA does not document with which code.
#define fails(call, ...) ok((call) != cudaSuccess, __VA_ARGS__)

// Preparation: what the test itself does not examine.
#define must(call)                                                                                 \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) {                                                                \
            ok(0, "%s gave %s", #call, cudaGetErrorName(code_));                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline void need_device(void) {
    // Loading a kernel at its first launch may wait for the device, and so for a closed gate.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
        plan_skip_all("no usable CUDA device");
    must(cudaFree(0));
}

static inline void sleep_ms(int ms) {
    struct timespec duration = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&duration, NULL);
}

// ---- The gate ----

enum { OPEN, REACHED, GAVE_UP, GATE_SIZE };

__global__ void wait_at(volatile int *gate) {
    gate[REACHED] = 1;
    long long start = device_ns();
    while (!gate[OPEN]) {
        if (device_ns() - start > 5000000000LL) {
            gate[GAVE_UP] = 1;
            break;
        }
    }
}

static inline volatile int *gate_create(void) {
    int *gate;
    must(cudaHostAlloc((void **)&gate, GATE_SIZE * sizeof(int), cudaHostAllocMapped));
    return gate; // in no state yet: gate_close() sets it
}

// Holds the stream until gate_open().
static inline void gate_close(volatile int *gate, cudaStream_t stream) {
    for (int i = 0; i < GATE_SIZE; i++)
        gate[i] = 0;
    wait_at<<<1, 1, 0, stream>>>(gate);
    must(cudaGetLastError());
}

// The device has come to the gate: all that the stream held before is done.
static inline int gate_reached(volatile int *gate) {
    for (int ms = 0; ms < 5000 && !gate[REACHED]; ms++)
        sleep_ms(1);
    return gate[REACHED];
}

// Returns 0 when the kernel did not wait for us: then the host was held up, not the stream.
static inline int gate_open(volatile int *gate) {
    int in_time = !gate[GAVE_UP];
    gate[OPEN] = 1;
    return in_time;
}

#endif
