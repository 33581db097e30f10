// SPDX-License-Identifier: MIT
// What the device tests share: a device or a skip, codes compared by name, the experiments' gate,
// by which a test holds a stream still without depending on anybody's speed.
#ifndef TESTS_DEVICE_H
#define TESTS_DEVICE_H

#include "tap.h"
#include <time.h>
#include <cuda_runtime.h>
#define GATE_MS 5000
#include "../../common/experiment/gate.h"

// Public code still calls what is deprecated, so the tests do.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 1444
#elif defined __NVCC__ && !defined __CUDACC_CPU__
#pragma diag_suppress 1444
#endif

// A call and the code it has to return. The code it did return is shown, and not left as the last
// error: what another call leaves is seen at a program's end.
#define gives(expected, call, ...)                                                                 \
    do {                                                                                           \
        cudaError_t actual_ = (call);                                                              \
        if (!ok(actual_ == (expected), __VA_ARGS__))                                               \
            diag("%s gave %d, %s", #call, (int)actual_, cudaGetErrorName(actual_));                \
        if (actual_ != cudaSuccess)                                                                \
            (void)cudaGetLastError();                                                              \
    } while (0)
#define works(call, ...) gives(cudaSuccess, call, __VA_ARGS__)
#define invalid(call, ...) gives(cudaErrorInvalidValue, call, __VA_ARGS__)
#define no_handle(call, ...) gives(cudaErrorInvalidResourceHandle, call, __VA_ARGS__)
// A call that has to fail, where CUDA does not document with which code.
#define fails(call, ...) (ok((call) != cudaSuccess, __VA_ARGS__), (void)cudaGetLastError())

// A number and what it has to be. The one that it is is shown.
#define equals(expected, number, ...)                                                              \
    do {                                                                                           \
        const auto number_ = (number);                                                             \
        if (!ok(number_ == (expected), __VA_ARGS__))                                               \
            diag("%s is %.17g", #number, (double)number_);                                         \
    } while (0)

#define TO_DEVICE cudaMemcpyHostToDevice
#define TO_HOST cudaMemcpyDeviceToHost

// A shape that no launch can have. CUDA documents cudaErrorInvalidConfiguration, 9; the runtimes of
// 11.8 and 12.9 return it, that of 13.0 does not (with one driver, on an H200).
#define no_shape (CUDART_VERSION < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue)

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

static inline int attribute(enum cudaDeviceAttr which) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

// What is there in device memory.
template <class T> static inline T value_at(const T *d) {
    T value;
    must(cudaMemcpy(&value, d, sizeof value, TO_HOST));
    return value;
}

static inline void sleep_ms(int ms) {
    struct timespec duration = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&duration, NULL);
}

// The device has come to a gate (gate.h): all that the stream held before is done.
static inline int gate_reached(volatile int *gate) {
    for (int ms = 0; ms < 5000 && !gate[GATE_WAITED_MS]; ms++)
        sleep_ms(1);
    return gate[GATE_WAITED_MS] > 0;
}

// ---- Declared and made in one line, given back at the end of the block ----

template <class T> struct kept {
    T it;
    cudaError_t (*give_back)(T);
    ~kept() { must(give_back(it)); }
};
#define KEPT(type, name, make, give_back)                                                          \
    must(make);                                                                                    \
    const kept<type> kept_##name = {name, give_back}
#define MEMORY(type, name, bytes)                                                                  \
    type *name;                                                                                    \
    KEPT(void *, name, cudaMalloc((void **)&name, bytes), cudaFree)
#define MANAGED(type, name, ...)                                                                   \
    type *name;                                                                                    \
    KEPT(void *, name, cudaMallocManaged((void **)&name, __VA_ARGS__), cudaFree)
#define PINNED(type, name, bytes)                                                                  \
    type *name;                                                                                    \
    KEPT(void *, name, cudaMallocHost((void **)&name, bytes), cudaFreeHost)
#define STREAM(name, ...)                                                                          \
    cudaStream_t name;                                                                             \
    KEPT(cudaStream_t, name, cudaStreamCreateWithFlags(&name, __VA_ARGS__ + 0), cudaStreamDestroy)
#define EVENT(name, ...)                                                                           \
    cudaEvent_t name;                                                                              \
    KEPT(cudaEvent_t, name, cudaEventCreateWithFlags(&name, __VA_ARGS__ + 0), cudaEventDestroy)

// ---- Tests that run in the order in which they stand ----

static void (*tests[32])(void);
static int test_count;
struct registered {
    explicit registered(void (*test)(void)) { tests[test_count++] = test; }
};
#define TEST(name)                                                                                 \
    static void name(void);                                                                        \
    static const registered registered_##name(name);                                               \
    static void name(void)

// What main() returns.
static inline int run_tests(void) {
    need_device();
    for (int i = 0; i < test_count; i++)
        tests[i]();
    works(cudaGetLastError(), "no error is left over");
    return done_testing();
}

#endif
