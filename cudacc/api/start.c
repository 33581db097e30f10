/*
 * start.c: the device starts with the first call that needs it, and can be waited for; a thread's
 * last error.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/observer.h"
#include "runtime/capture.h"
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The last error ---------------------------------------------------------------------- */

static __thread cudaError_t last_error;

cudaError_t last_error_set(cudaError_t e) {
    cudaError_t before = last_error;
    last_error = e;
    return before;
}

cudaError_t cpu_device_note(cudaError_t e) {
    int lost = atomic_load(&cpu_device.lost);
    if (in_host_function)
        e = cudaErrorNotPermitted;
    if (lost)
        e = (cudaError_t)lost;
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last_error = e;
    return e;
}

cudaError_t cpu_device_return(cudaError_t e) {
    if (OBSERVED && !cpu_device_in_kernel())
        OBSERVE(returns);
    return cpu_device_note(e);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t e = last_error;
    last_error = cudaSuccess;
    OBSERVE(error_asked);
    return e;
}

cudaError_t cudaPeekAtLastError(void) {
    OBSERVE(error_asked);
    return last_error;
}

/* ---- Starting ---------------------------------------------------------------------------- */

static void read_schedule(void) {
    const char *s = getenv("CPU_DEVICE_SCHEDULE");
    if (!s || !*s || !strcmp(s, "inorder"))
        return;
    char *end = NULL;
    if (!strcmp(s, "late")) {
        cpu_device.late = 1;
    } else if (!strcmp(s, "stacks")) {
        cpu_device.schedule = STACKS;
    } else if (!strcmp(s, "reversed")) {
        cpu_device.schedule = REVERSED;
    } else if (!strncmp(s, "shuffled:", 9)) {
        cpu_device.schedule = SHUFFLED;
        cpu_device.seed = (unsigned)strtoul(s + 9, &end, 10);
    }
    if ((cpu_device.schedule == SHUFFLED && (end == s + 9 || *end)) ||
        (!cpu_device.late && cpu_device.schedule == IN_ORDER)) {
        fprintf(stderr,
                "CPU device: CPU_DEVICE_SCHEDULE is late, stacks, reversed or shuffled:SEED, not "
                "'%s'\n",
                s);
        exit(2);
    }
}

static void read_patience(void) {
    const char *s = getenv("CPU_DEVICE_PATIENCE");
    char *end = NULL;
    cpu_device.patience = s && *s ? strtod(s, &end) : 10;
    if (!(cpu_device.patience > 0) || (end && *end)) {
        fprintf(stderr, "CPU device: CPU_DEVICE_PATIENCE is a number of seconds, not '%s'\n", s);
        exit(2);
    }
}

/* The C library takes a thread's variables from its stack, and __shared__ variables are such:
 * those of two hundred kernels of 48 KiB would leave it no stack. */
static int add_thread_variables(struct dl_phdr_info *info, size_t size, void *bytes) {
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)bytes += info->dlpi_phdr[i].p_memsz;
    return 0;
}
static void keep_stacks_large(void) {
    size_t stack, variables = 0;
    pthread_attr_t a;
    dl_iterate_phdr(add_thread_variables, &variables);
    if (pthread_getattr_default_np(&a))
        return;
    if (!pthread_attr_getstacksize(&a, &stack) && !pthread_attr_setstacksize(&a, stack + variables))
        pthread_setattr_default_np(&a);
    pthread_attr_destroy(&a);
}

static void start(void) {
    cpu_set_t set;
    keep_stacks_large();
    cpu_device.workers = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    if (cpu_device.workers > MAX_WORKERS)
        cpu_device.workers = MAX_WORKERS;
    cpu_device.page = (size_t)sysconf(_SC_PAGESIZE);
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    const char *old = getenv("CPU_DEVICE_NO_CONCURRENT_MANAGED");
    cpu_device.one_at_a_time = old && *old && strcmp(old, "0") != 0;
    cpu_device.launch_blocking = blocking && !strcmp(blocking, "1");
    read_schedule();
    read_patience();
    pthread_mutex_init(&cpu_device.lock, NULL);
    pthread_cond_init(&cpu_device.progressed, NULL);
    cpu_device_memory_start();
    OBSERVE(started);
    cpu_device_fault_start();
    streams_start();
}

void cpu_device_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

/* ---- Waiting ------------------------------------------------------------------------------ */

cudaError_t cudaDeviceSynchronize(void) {
    cpu_device_start();
    cpu_device_lock();
    cudaError_t e = capture_refuses_wait(NULL);
    cpu_device_unlock();
    return cpu_device_return(e ? e : cpu_device_wait());
}
