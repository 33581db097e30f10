/*
 * api.h: what the parts of the API share.  This room holds the cuda* functions and nothing else; it
 * calls runtime/ and is called by programs alone.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/runtime.h"

/* Starts the device once; every function that needs it begins with this. */
void cpu_device_start(void);

/* Records e (or the error that sticks) as this thread's last error and returns it; with the second
 * one the call goes on. */
cudaError_t cpu_device_return(cudaError_t e);
cudaError_t cpu_device_note(cudaError_t e);
/* Sets the last error, and nothing else; returns what it was. */
cudaError_t last_error_set(cudaError_t e);

/* Most calls do their work under the device's lock: one takes it, once the device has started; the
 * other gives it back and ends the call. */
static inline void call_begins(void) {
    cpu_device_start();
    cpu_device_lock();
}
static inline cudaError_t call_ends(cudaError_t e) {
    cpu_device_unlock();
    return cpu_device_return(e);
}

/* A call that needs no work of the device returns so: without a look at earlier errors. */
static inline cudaError_t cpu_device_answer(cudaError_t e) {
    return e == cudaSuccess ? cudaSuccess : cpu_device_return(e);
}
static inline cudaError_t check_device(int number) { /* there is one */
    return number == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Each function that copies, sets, gives or takes memory begins with this, for an observer. */
#define CALLED() (cpu_device_call = (struct api_call){__func__, __builtin_return_address(0)})

/* Is there such a stream; and may the host wait for it? (stream.c) */
cudaError_t cpu_device_stream_check(cudaStream_t stream, int waits);
/* A function of the host in a stream: the operation that calls it. */
struct host_call {
    cudaHostFn_t function;
    void *argument;
};
void host_run(void *call);

/* The kernels of the program (kernel_attributes.c). */
struct cpu_device_kernel *kernel_find(const void *function); /* NULL: not known by its address */
cudaError_t kernel_refused(const void *address); /* what a call says of what is no kernel */
/* shared: where the function is NULL (kernel_abi.h). */
struct launch_limits kernel_limits(const void *function, const char *shared);

/* For cudaDeviceReset(): what functions were set to. */
void kernel_settings_reset(void);

/* Managed memory (managed.c): are these bytes in one allocation of it, or its variables? */
int is_managed(const void *p, size_t bytes);
enum place { NOWHERE, HOST, DEVICE };
/* Called, where it is set, with what a program asks for its pages. */
extern const struct managed_notes {
    void (*prefetched)(const void *p, size_t bytes, enum place place);
    void (*advised)(const void *p, size_t bytes, enum cudaMemoryAdvise advice, enum place place);
} * managed_notes;

/* Memory for a program (malloc.c); the second one as its functions do it, but where a capture
 * forbids it. The third is called, where it is set, before some is freed: is it a stream's, for
 * which cudaFree() does not wait? */
cudaError_t memory_give(void **out, size_t bytes, enum memory_kind kind);
cudaError_t memory_allocate(void **out, size_t bytes, enum memory_kind kind);
extern int (*memory_goes_back)(const void *p);
/* Of pinned memory (malloc.c): all that is queued ends first, as on an H200. */
cudaError_t memory_unpin(void *p, int is_registered);

/* What copies and memsets have in common. */
static inline int on_device(enum memory_kind k) { return k == MEMORY_DEVICE || k == MEMORY_SYMBOL; }
