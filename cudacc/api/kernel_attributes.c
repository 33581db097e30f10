/*
 * kernel_attributes.c: the kernels of the program: what is known of each; what a program may ask
 * and set.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include <link.h>
#include <stdlib.h>
#include <string.h>

static struct cpu_device_kernel *_Atomic kernels; /* grows at its head, read without the lock */

void cpu_device_register(struct cpu_device_kernel *k) { LIST_ADD(kernels, k); }

struct cpu_device_kernel *kernel_find(const void *function) {
    return LIST_FIND(kernels, k, k->function == function);
}

const char *cpu_device_kernel_name(const void *function) {
    struct cpu_device_kernel *k = kernel_find(function);
    return k ? k->name : "kernel";
}

/* ---- Static shared memory ---- */

struct shared_variable {
    const char *function;
    int number;         /* in that function */
    const void *kernel; /* the instance of a template; NULL: not known */
    size_t bytes;
    struct shared_variable *next;
};
static struct shared_variable *variables; /* complete before main() */

void cpu_device_shared(const char *function, int number, const void *kernel, size_t bytes) {
    struct shared_variable *v = LIST_FIND(
        variables, i, !strcmp(i->function, function) && i->number == number && i->kernel == kernel);
    if (v) { /* another instance, not to be distinguished: nothing is refused for it */
        v->bytes = bytes < v->bytes ? bytes : v->bytes;
        return;
    }
    v = malloc(sizeof *v);
    if (!v)
        abort();
    *v = (struct shared_variable){function, number, kernel, bytes, variables};
    variables = v;
}

/* Of the variables of all these functions, as a multiple of 16 (so nvcc). */
static size_t count_static(const struct cpu_device_kernel *k) {
    size_t bytes = 0;
    for (const char *line = k->shared; *line; line += strcspn(line, "\n") + 1)
        for (const struct shared_variable *v = variables; v; v = v->next)
            if (strncmp(line, v->function, strlen(v->function)) == 0 &&
                line[strlen(v->function)] == '\n' && (!v->kernel || v->kernel == k->function))
                bytes += v->bytes;
    return (bytes + 15) / 16 * 16;
}

static size_t static_shared(struct cpu_device_kernel *k) {
    if (!k || !k->shared)
        return 0;
    size_t counted = __atomic_load_n(&k->counted_bytes, __ATOMIC_RELAXED);
    if (!counted) {
        counted = count_static(k) + 1;
        __atomic_store_n(&k->counted_bytes, counted, __ATOMIC_RELAXED);
    }
    return counted - 1;
}

/* The least of the instances of a template. */
static size_t least_shared(const char *shared) {
    size_t least = SIZE_MAX;
    for (struct cpu_device_kernel *k = kernels; k; k = k->next)
        if (k->shared && strcmp(k->shared, shared) == 0 && static_shared(k) < least)
            least = static_shared(k);
    return least == SIZE_MAX ? 0 : least;
}

/* ---- Attributes ---- */

/* What a program has set for a kernel; only the first has an effect. */
struct kernel_settings {
    const void *function;
    int dynamic_shared; /* -1: not set */
    int carveout;
    struct kernel_settings *next;
};
static struct kernel_settings *kernel_settings;

/* With the lock held. */
static struct kernel_settings *settings_of(const void *function) {
    return LIST_FIND(kernel_settings, s, s->function == function);
}

/* A launch that deduces which instance of a template it means may mean any of these. */
static const struct kernel_settings *largest_of(const char *shared) {
    const struct kernel_settings *largest = NULL;
    for (const struct kernel_settings *s = kernel_settings; s; s = s->next) {
        const struct cpu_device_kernel *k = kernel_find(s->function);
        int may_be = !k || (k->shared && (!shared || strcmp(k->shared, shared) == 0));
        if (may_be && s->dynamic_shared > (largest ? largest->dynamic_shared : SHARED_BYTES))
            largest = s;
    }
    return largest;
}

void kernel_settings_reset(void) {
    WITH_LOCK(cpu_device.lock);
    LIST_EACH (kernel_settings, s)
        free(s);
    kernel_settings = NULL;
}

static int dynamic_shared(const struct kernel_settings *s, size_t static_bytes) {
    if (s && s->dynamic_shared >= 0)
        return s->dynamic_shared;
    return static_bytes < SHARED_BYTES ? SHARED_BYTES - (int)static_bytes : 0;
}

struct launch_limits kernel_limits(const void *function, const char *shared) {
    struct cpu_device_kernel *k = function ? kernel_find(function) : NULL;
    struct launch_limits limits = {MAX_THREADS, 0, 0};
    if (k && k->max_threads)
        limits.threads = (unsigned)k->max_threads;
    limits.static_shared = k ? static_shared(k) : !function && shared ? least_shared(shared) : 0;
    WITH_LOCK(cpu_device.lock);
    const struct kernel_settings *s = function ? settings_of(function) : largest_of(shared);
    limits.dynamic_shared = (size_t)dynamic_shared(s, limits.static_shared);
    return limits;
}

static int find_code(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_flags & PF_X &&
            (size_t)address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
                info->dlpi_phdr[i].p_memsz)
            return 1;
    return 0;
}

/* Not each instance of a template is in the list, so any function may be a kernel, but no data.
 * (The codes are an H200's.) */
cudaError_t kernel_refused(const void *address) {
    if (!address)
        return cudaErrorInvalidDeviceFunction;
    int may_be = kernel_find(address) || dl_iterate_phdr(find_code, (void *)address);
    return may_be ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function) {
    cudaError_t e = a ? kernel_refused(function) : cudaErrorInvalidValue;
    if (e)
        return cpu_device_return(e);
    cpu_device_start();
    struct launch_limits limits = kernel_limits(function, NULL);
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = (int)limits.threads;
    a->sharedSizeBytes = limits.static_shared;
    a->maxDynamicSharedSizeBytes = (int)limits.dynamic_shared;
    a->ptxVersion = a->binaryVersion = 90; /* as the compute capability */
    cpu_device_lock();
    const struct kernel_settings *s = settings_of(function);
    a->preferredShmemCarveout = s ? s->carveout : cudaSharedmemCarveoutDefault;
    return call_ends(cudaSuccess);
}

static int attribute_allows(enum cudaFuncAttribute attribute, int value, const void *function) {
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return value >= 0 && (size_t)value + static_shared(kernel_find(function)) <= SHARED_OPTIN;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared;
    default:
        return attribute > cudaFuncAttributePreferredSharedMemoryCarveout &&
               attribute < cudaFuncAttributeMax;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
    cudaError_t e = kernel_refused(function);
    if (!e && !attribute_allows(attribute, value, function))
        e = cudaErrorInvalidValue;
    if (e)
        return cpu_device_return(e);
    call_begins();
    struct kernel_settings *s = settings_of(function);
    if (!s && (s = malloc(sizeof *s))) {
        *s = (struct kernel_settings){function, -1, cudaSharedmemCarveoutDefault, kernel_settings};
        kernel_settings = s;
    }
    if (s && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        s->dynamic_shared = value;
    if (s && attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        s->carveout = value;
    return call_ends(s ? cudaSuccess : cudaErrorMemoryAllocation);
}
