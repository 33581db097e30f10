/*
 * launch.c: kernel launches: refused, or queued in their stream; the kernels of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/observer.h"
#include "runtime/queue.h"
#include <stdlib.h>
#include <string.h>

struct launch_data {
    struct cpu_device_launch *launch;
};
static void run_launch(void *data) {
    struct cpu_device_launch *l = ((struct launch_data *)data)->launch;
    if (!atomic_load(&cpu_device.lost)) {
        cpu_device_pages_launch();
        cpu_device_kernel_run(l);
    } else {
        OBSERVE(launch_lost, l);
    }
    l->destroy(l->arguments);
    free(l);
}

/* ---- Pointers to host memory ---- */

const void *cpu_device_pointer(struct cpu_device_launch *l, unsigned argument, const void *p) {
    cpu_device_start();
    OBSERVE(argument, l, argument, p);
    if ((size_t)p < cpu_device.page || cpu_device_memory_ours(p) ||
        cpu_device_memory_find(p).kind != MEMORY_HOST)
        return p;
    unsigned n = l->host_pointer_count;
    if (n == sizeof l->host_pointers / sizeof l->host_pointers[0])
        return p;
    const char *replacement = cpu_device_memory_faulting(n, p);
    if (!replacement)
        return p;
    l->host_pointers[n].given = p;
    l->host_pointers[n].replacement = replacement;
    l->host_pointers[n].argument = argument;
    l->host_pointer_count++;
    return replacement;
}

/* ---- The kernels of the program ---- */

static struct cpu_device_kernel *_Atomic kernels; /* grows at its head, read without the lock */

static struct cpu_device_kernel *kernel_find(const void *function) {
    struct cpu_device_kernel *k = kernels;
    while (k && k->function != function)
        k = k->next;
    return k;
}

static unsigned most_threads(const struct cpu_device_launch *l) { /* of a block */
    const struct cpu_device_kernel *k = kernel_find(l->function);
    return k && k->max_threads ? (unsigned)k->max_threads : MAX_THREADS;
}

static cudaError_t check_launch(const struct cpu_device_launch *l) {
    unsigned long long threads =
        (unsigned long long)l->block_dim[0] * l->block_dim[1] * l->block_dim[2];
    if (!l->grid_dim[0] || !l->grid_dim[1] || !l->grid_dim[2] || l->grid_dim[0] > 2147483647u ||
        l->grid_dim[1] > 65535 || l->grid_dim[2] > 65535)
        return cudaErrorInvalidConfiguration;
    if (!threads || l->block_dim[0] > MAX_THREADS || l->block_dim[1] > MAX_THREADS ||
        l->block_dim[2] > 64 || threads > MAX_THREADS)
        return cudaErrorInvalidConfiguration;
    if (l->shared_bytes > SHARED_BYTES)
        return cudaErrorInvalidValue;
    return threads > most_threads(l) ? cudaErrorInvalidValue : cudaSuccess;
}

void cpu_device_launch_queue(struct cpu_device_launch *l) {
    cpu_device_start();
    if (cpu_device_in_kernel())
        cpu_device_trap(cudaErrorNotSupported, "a kernel launches a kernel: not supported");
    cudaError_t wrong = check_launch(l), e = cpu_device_return(wrong);
    if (wrong)
        OBSERVE(launch_refused, l, most_threads(l));
    else if (e)
        OBSERVE(launch_lost, l);
    struct launch_data *d = e ? NULL : malloc(sizeof *d);
    if (!d) {
        l->destroy(l->arguments);
        free(l->trace_arguments);
        free(l);
        return;
    }
    cpu_device_printf_flush();
    d->launch = l;
    OBSERVE(launch_queued, l);
    e = cpu_device_stream_enqueue(
        (cudaStream_t)l->stream,
        (struct operation){.run = run_launch, .data = d, .even_if_lost = 1},
        cpu_device.launch_blocking);
    /* What goes wrong in the kernel shows in a later call, however fast it was. */
    if (e || cpu_device.launch_blocking)
        cpu_device_return(e);
}

void cpu_device_register(struct cpu_device_kernel *k) {
    k->next = kernels;
    kernels = k;
}

void cpu_device_learn(const void *function,
                      void (*launch)(const void *, const struct cpu_device_launch *, void **)) {
    cpu_device_start();
    cpu_device_lock();
    struct cpu_device_kernel *k = kernel_find(function) ? NULL : calloc(1, sizeof *k);
    if (k) {
        k->function = function;
        k->name = "kernel";
        k->launch = launch;
        cpu_device_register(k);
    }
    cpu_device_unlock();
}

const char *cpu_device_kernel_name(const void *function) {
    struct cpu_device_kernel *k = kernel_find(function);
    return k ? k->name : "kernel";
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
    struct cpu_device_kernel *k = kernel_find(function);
    if (!k)
        return cpu_device_return(cudaErrorInvalidDeviceFunction);
    struct cpu_device_launch l;
    memset(&l, 0, sizeof l);
    l.grid_dim[0] = grid.x, l.grid_dim[1] = grid.y, l.grid_dim[2] = grid.z;
    l.block_dim[0] = block.x, l.block_dim[1] = block.y, l.block_dim[2] = block.z;
    l.shared_bytes = shared_bytes;
    l.stream = stream;
    cudaError_t before = last_error_set(cudaSuccess);
    k->launch(function, &l, arguments);
    cudaError_t e = last_error_set(cudaSuccess);
    OBSERVE(error_asked); /* this call tells it */
    last_error_set(e ? e : before);
    return e;
}

/* What a program has set for a kernel; it is told again and has no effect. */
struct kernel_settings {
    const void *function;
    int dynamic_shared, carveout;
    struct kernel_settings *next;
};
static struct kernel_settings *kernel_settings;

/* With the lock held. */
static struct kernel_settings *settings_of(const void *function) {
    struct kernel_settings *s = kernel_settings;
    while (s && s->function != function)
        s = s->next;
    return s;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function) {
    if (!a || !function)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_start();
    struct cpu_device_kernel *k = kernel_find(function);
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = k && k->max_threads ? k->max_threads : MAX_THREADS;
    a->maxDynamicSharedSizeBytes = SHARED_BYTES;
    a->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    cpu_device_lock();
    const struct kernel_settings *s = settings_of(function);
    if (s) {
        a->maxDynamicSharedSizeBytes = s->dynamic_shared;
        a->preferredShmemCarveout = s->carveout;
    }
    cpu_device_unlock();
    return cpu_device_return(cudaSuccess);
}

static int attribute_allows(enum cudaFuncAttribute attribute, int value) {
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return value >= 0 && value <= SHARED_BYTES;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared;
    default:
        return attribute > cudaFuncAttributePreferredSharedMemoryCarveout &&
               attribute < cudaFuncAttributeMax;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
    if (!function)
        return cpu_device_return(cudaErrorInvalidDeviceFunction);
    if (!attribute_allows(attribute, value))
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_start();
    cpu_device_lock();
    struct kernel_settings *s = settings_of(function);
    if (!s && (s = malloc(sizeof *s))) {
        *s = (struct kernel_settings){function, SHARED_BYTES, cudaSharedmemCarveoutDefault,
                                      kernel_settings};
        kernel_settings = s;
    }
    if (s && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        s->dynamic_shared = value;
    if (s && attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        s->carveout = value;
    cpu_device_unlock();
    return cpu_device_return(s ? cudaSuccess : cudaErrorMemoryAllocation);
}
