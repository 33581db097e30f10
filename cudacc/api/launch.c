/*
 * launch.c: kernel launches: refused, or queued in their stream.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/observer.h"
#include "runtime/queue.h"
#include "include/cpu_device/stores.h"
#include <stdlib.h>
#include <string.h>

/* ---- Pointers to host memory ---- */

const void *cpu_device_pointer(struct cpu_device_launch *l, unsigned argument, const void *p,
                               const struct cpu_device_element *element) {
    cpu_device_start();
    OBSERVE(argument, l, argument, p, element);
    if (cpu_device_in_kernel() && !cpu_device_in_stacks(p)) /* the heap of kernels is the host's */
        return p;
    if ((size_t)p < cpu_device.page || cpu_device_memory_ours(p) ||
        cpu_device_memory_find(p).kind != MEMORY_HOST)
        return p;
    unsigned n = l->host_pointer_count;
    if (n == sizeof l->host_pointers / sizeof l->host_pointers[0])
        return p;
    const char *replacement = cpu_device_memory_faulting(n, p);
    if (!replacement)
        return p;
    l->host_pointers[l->host_pointer_count++] =
        (struct cpu_device_host_pointer){p, replacement, argument};
    return replacement;
}

/* ---- Launches ---- */

#pragma weak cpu_device_launches

/* Up to CUDA 12 a shape that no launch can have has an error of its own; CUDA 13 documents it, too,
 * but returns "invalid argument" (an H200 with the runtimes 11.8, 12.9 and 13.0). */
static cudaError_t check_launch(const struct cpu_device_launch *l,
                                const struct launch_limits *limits) {
    unsigned long long threads =
        (unsigned long long)l->block_dim[0] * l->block_dim[1] * l->block_dim[2];
    cudaError_t no_shape =
        cpu_device_cudart_version < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
    if (!l->grid_dim[0] || !l->grid_dim[1] || !l->grid_dim[2] || l->grid_dim[0] > 2147483647u ||
        l->grid_dim[1] > 65535 || l->grid_dim[2] > 65535)
        return no_shape;
    if (!threads || l->block_dim[0] > MAX_THREADS || l->block_dim[1] > MAX_THREADS ||
        l->block_dim[2] > 64 || threads > MAX_THREADS)
        return no_shape;
    return threads > limits->threads || l->shared_bytes > limits->dynamic_shared ||
                   limits->static_shared > SHARED_BYTES
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

struct cpu_device_launch *cpu_device_launch_new(const struct cpu_device_config *c,
                                                const void *function, const char *name,
                                                const char *shared) {
    struct cpu_device_launch *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    l->name = name;
    l->function = function;
    l->shared = shared;
    l->grid_dim[0] = c->grid_dim.x, l->grid_dim[1] = c->grid_dim.y, l->grid_dim[2] = c->grid_dim.z;
    l->block_dim[0] = c->block_dim.x, l->block_dim[1] = c->block_dim.y,
    l->block_dim[2] = c->block_dim.z;
    l->shared_bytes = c->shared_bytes;
    l->stream = c->stream;
    l->cooperation = c->cooperation;
    return l;
}

void cpu_device_launch_queue(struct cpu_device_launch *l, const void *arguments, size_t bytes,
                             size_t alignment) {
    cpu_device_start();
    if (cpu_device_launches)
        cpu_device_launches(l->name, l->stream, l->grid_dim, l->block_dim);
    if (posix_memalign(&l->arguments, alignment < sizeof(void *) ? sizeof(void *) : alignment,
                       bytes))
        abort();
    memcpy(l->arguments, arguments, bytes);
    struct launch_limits limits = kernel_limits(l->function, l->shared);
    cudaError_t wrong = check_launch(l, &limits), e = cpu_device_note(wrong);
    if (wrong)
        OBSERVE(launch_refused, l, &limits);
    else if (e)
        OBSERVE(launch_lost, l);
    if (e) {
        if (!cpu_device_in_kernel())
            cpu_device_stream_spoil((cudaStream_t)l->stream);
        cpu_device_launch_end(l);
        return;
    }
    if (cpu_device_in_kernel()) {
        if (cpu_device_return(cpu_device_child_put(l)))
            cpu_device_launch_end(l);
        return;
    }
    cpu_device_printf_flush();
    if (OBSERVED && cpu_device_stream_check((cudaStream_t)l->stream, 0))
        OBSERVE(launch_refused, l, NULL);
    else if (OBSERVED && !cpu_device_stream_captures((cudaStream_t)l->stream))
        OBSERVE(launch_queued, l);
    e = cpu_device_stream_enqueue((cudaStream_t)l->stream,
                                  (struct operation){.run = cpu_device_launch_run,
                                                     .end = cpu_device_launch_end,
                                                     .data = l,
                                                     .kernel = l->name,
                                                     .even_if_lost = 1},
                                  cpu_device.launch_blocking);
    /* What goes wrong in the kernel shows in a later call, however fast it was. */
    if (e || cpu_device.launch_blocking)
        cpu_device_note(e);
    OBSERVE(returns);
}
