/*
 * wrong_calls.c: calls of the program that were wrong, in words: launches that were refused, copies
 * and sets, frees, leaks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include "trace/check/check.h"
#include "trace/names/heap.h"
#include "trace/names/host.h"
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else /* musl */
static int backtrace(void **frames, int room) {
    (void)frames, (void)room;
    return 0;
}
#endif

static const struct trace_launch no_launch = {.kernel = ""};

/* ---- Launches that were refused, calls that failed --------------------------------------- */

/* Only those that the program has not asked about, with cudaGetLastError() or its like. */
struct refused {
    const char *kernel, *function; /* one of them */
    const void *pc;
    char why[200];
};
static struct refused *refused;
static size_t refused_count;
static pthread_mutex_t refused_lock = PTHREAD_MUTEX_INITIALIZER;

static void keep_refused(struct refused r) {
    WITH_LOCK(refused_lock);
    TRACE_ADD(refused, refused_count, r);
}

int trace_calls(void **frames, int room) { return backtrace(frames, room); }

const void *trace_caller_among(void *const *frames, int count) {
    for (int i = 0; i < count; i++) {
        struct trace_source s = trace_source_find(frames[i]);
        if (s.line && !trace_source_is_ours(&s) && trace_same_object(frames[i], trace_caller))
            return frames[i];
    }
    return NULL;
}

const void *trace_caller(void) {
    void *frames[16];
    return trace_caller_among(frames, trace_calls(frames, 16));
}

void trace_launch_refused(const struct cpu_device_launch *l, const struct launch_limits *limits) {
    const unsigned *g = l->grid_dim, *b = l->block_dim;
    unsigned long long threads = (unsigned long long)b[0] * b[1] * b[2];
    struct refused r = {.pc = trace_caller(), .kernel = trace_kernel_name(l->name, l->function)};
#define WHY(...) snprintf(r.why, sizeof r.why, __VA_ARGS__)
    if (!limits)
        WHY("its stream has been destroyed, or was never created");
    else if (!g[0] || !g[1] || !g[2])
        WHY("a grid of %ux%ux%u has no blocks", g[0], g[1], g[2]);
    else if (!threads)
        WHY("a block of %ux%ux%u has no threads", b[0], b[1], b[2]);
    else if (threads > MAX_THREADS || b[2] > 64)
        WHY("a block of %ux%ux%u has %llu threads, and may have %s", b[0], b[1], b[2], threads,
            threads > MAX_THREADS ? "1024" : "64 of them in z");
    else if (threads > limits->threads)
        WHY("a block has %llu threads, and by __launch_bounds__ may have %u", threads,
            limits->threads);
    else if (limits->static_shared > SHARED_BYTES)
        WHY("the kernel's __shared__ variables take %zu bytes, and a block has %d",
            limits->static_shared, SHARED_BYTES);
    else if (l->shared_bytes > limits->dynamic_shared && limits->static_shared)
        WHY("a block asks for %zu bytes of dynamic shared memory, and may have %zu beside the "
            "%zu of its __shared__ variables",
            l->shared_bytes, limits->dynamic_shared, limits->static_shared);
    else if (l->shared_bytes > limits->dynamic_shared)
        WHY("a block asks for %zu bytes of dynamic shared memory, and may have %zu",
            l->shared_bytes, limits->dynamic_shared);
    else
        WHY("a grid of %ux%ux%u has too many blocks: in y and in z it may have 65535", g[0], g[1],
            g[2]);
#undef WHY
    keep_refused(r);
}

void trace_error_asked(void) {
    WITH_LOCK(refused_lock);
    refused_count = 0;
}

#pragma GCC visibility push(default)
/* What was reported in other words need not be reported again, and that all calls fail after an
 * error. */
void cpu_device_dropped(cudaError_t result, const char *function) {
    const void *pc = __builtin_return_address(0);
    size_t length = strlen(function);
    int query = length > 5 && strcmp(function + length - 5, "Query") == 0;
    if ((result == cudaErrorNotReady && query) || atomic_load(&cpu_device.lost) ||
        host_error_printed(cpu_device_call.pc))
        return;
    struct refused r = {.pc = pc, .function = function};
    snprintf(r.why, sizeof r.why, "error %d, %s", (int)result, cudaGetErrorString(result));
    keep_refused(r);
}
#pragma GCC visibility pop

static void tell_refused(const struct refused *r) {
    if (r->function)
        print_host_error(CALL_FAILED, r->pc, "",
                         "%s at %s: %s; the program did not look at its result", r->function,
                         trace_place(r->pc), r->why);
    else
        print_host_error(
            LAUNCH_REFUSED, r->pc, "",
            "kernel %s at %s did not run: %s; cudaGetLastError() tells so, but was not asked",
            r->kernel, trace_place(r->pc), r->why);
}

/* ---- Launches after an error that has ended a kernel ------------------------------------- */

enum { LOST_NAMES = 4 };
static struct {
    unsigned long launches;
    unsigned names;
    const char *name[LOST_NAMES]; /* the first kernels */
} lost;

void trace_launch_lost(const struct cpu_device_launch *l) {
    const char *name = trace_kernel_name(l->name, l->function);
    WITH_LOCK(refused_lock);
    unsigned i = 0;
    while (i < lost.names && strcmp(lost.name[i], name) != 0)
        i++;
    if (i == lost.names && i < LOST_NAMES)
        lost.name[lost.names++] = name;
    lost.launches++;
}

/* What the table and the findings therefore do not have. */
static void tell_lost(void) {
    char names[TEXT] = "";
    for (unsigned i = 0; i < lost.names; i++)
        text_add(names, "%s%s", i ? ", " : "", lost.name[i]);
    if (lost.launches == 1)
        print_line("CPU device: stopped at the error; launch of %s was refused (%d)", names,
                   atomic_load(&cpu_device.lost));
    else if (lost.launches)
        print_line("CPU device: stopped at the error; %lu launches were refused (%d): %s%s",
                   lost.launches, atomic_load(&cpu_device.lost), names,
                   lost.names == LOST_NAMES ? " ..." : "");
}

/* ---- Calls that copy, set or free memory ------------------------------------------------- */

/* Of the call that this thread is in: "cudaMemcpy at x.cu:12: ", and what is wrong with it. */
#define tell_call(kind, allocation, format, ...)                                                   \
    print_host_error(kind, cpu_device_call.pc, allocation, "%s at %s: " format,                    \
                     cpu_device_call.name, trace_place(cpu_device_call.pc), __VA_ARGS__)

void trace_call_wrong(const char *why) { tell_call(WRONG_ARGUMENT, "", "%s; it did nothing", why); }

static const char *owner(const void *p) {
    return !p                 ? "device"
           : trace_heap_of(p) ? "kernels' heap, which no call of the host reaches"
                              : "host";
}

void trace_call_direction(enum cudaMemcpyKind kind, const void *host_to, const void *host_from) {
    static const char *const name[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                       "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                       "cudaMemcpyDefault"};
    tell_call(
        WRONG_ARGUMENT, "",
        "%s, but its destination is memory of the %s and its source of the %s; it did nothing",
        name[kind], owner(host_to), owner(host_from));
}

void trace_call_variable(const char *what, const void *p) {
    const struct trace_allocation *a = trace_nearest((uintptr_t)p);
    if (!a || a->asked_for || trace_distance(a, p) || strstr(cpu_device_call.name, "Symbol"))
        return;
    tell_call(
        WRONG_ARGUMENT, a->name,
        "its %s is %s, a variable of the device, whose address the host does not have: use %s",
        what, a->name,
        strcmp(what, "result") == 0   ? "a variable of the host and cudaMemcpyToSymbol"
        : strcmp(what, "memory") == 0 ? "cudaGetSymbolAddress"
        : strcmp(what, "source") == 0 ? "cudaMemcpyFromSymbol, or cudaGetSymbolAddress"
                                      : "cudaMemcpyToSymbol, or cudaGetSymbolAddress");
}

void trace_argument_variable(unsigned argument, const struct trace_allocation *a) {
    const void *pc = trace_caller();
    print_host_error(
        HOST_POINTER, pc, a->name,
        "launch at %s: argument %u is %s, a variable of the device, whose address the host "
        "does not have: a kernel can use it by its name; or use cudaGetSymbolAddress",
        trace_place(pc), argument + 1, a->name);
}

void trace_call_overlaps(const void *to, const void *from, size_t bytes) {
    const struct trace_allocation *a = trace_allocation_near(to);
    size_t apart = (size_t)((const char *)to - (const char *)from);
    tell_call(WRONG_ARGUMENT, a ? trace_allocation_name(a, "", NULL) : "",
              "its destination begins %zu bytes %s its source, and it copies %zu: they overlap, "
              "and what comes of that is not defined",
              to > from ? apart : -apart, to > from ? "after" : "before", bytes);
}

void trace_call_outside(const char *what, const void *p, size_t bytes) {
    char memory[700], place[300], text[TEXT] = "";
    const char *name;
    uintptr_t first = (uintptr_t)p, end = first + bytes;
    const struct trace_allocation *a = trace_nearest(first);
    int begins_in = a && !trace_distance(a, p);
    place_of_address(memory, sizeof memory, &no_launch, first, &name);
    if (begins_in && !a->freed) {
        size_t room = a->bytes - (size_t)((const char *)p - a->base);
        text_add(text, "ends");
        if (end > first) /* else it is a symbol, and the count was too large */
            text_add(text, " %zu bytes", bytes - room);
        text_add(text, " past the end of %s, %zu bytes%s", name, a->bytes,
                 place_of_allocation(place, a));
    } else {
        text_add(text, "is %s", memory);
    }
    tell_call(a && a->freed && begins_in ? USE_AFTER_FREE : OUT_OF_BOUNDS, name,
              "its %s %s; it did nothing", what, text);
}

/* Of a block, or of a variable whose size the compiler has given. */
int trace_host_fits(const char *what, const void *p, size_t bytes) {
    struct trace_host_block b = {.freed = 0};
    char memory[300] = "a variable of the host";
    if (cpu_device_memory_find(p).kind == MEMORY_PINNED) { /* as far as that knows */
        const struct trace_allocation *a = trace_allocation_near(p);
        if (a && a->freed && !trace_distance(a, p))
            trace_call_outside(what, p, bytes);
        return !a || !a->freed || trace_distance(a, p);
    }
    int block = trace_host_find(p, &b);
    size_t room = block ? b.bytes - (size_t)((const char *)p - b.base) : trace_host_variable(p);
    if (bytes <= room && !b.freed)
        return 1;
    if (block)
        snprintf(memory, sizeof memory, "memory of the host, %zu bytes, allocated at %s", b.bytes,
                 trace_place(b.pc));
    if (b.freed)
        tell_call(USE_AFTER_FREE, "", "its %s is in %s, which has been freed; it did nothing", what,
                  memory);
    else
        tell_call(OUT_OF_BOUNDS, "", "its %s ends %zu bytes past the end of %s; it did nothing",
                  what, bytes - room, memory);
    return 0;
}

void trace_free_failed(const void *p) {
    char memory[700];
    const char *name, *why = "";
    const struct trace_allocation *a = trace_nearest((uintptr_t)p);
    place_of_address(memory, sizeof memory, &no_launch, (uintptr_t)p, &name);
    if (a && a->base == p && !a->freed)
        why = a->kind == MEMORY_PINNED ? "; memory of cudaMallocHost is freed with cudaFreeHost"
              : a->kind == MEMORY_SYMBOL || !cpu_device_memory_ours(p)
                  ? "; variables are not freed"
                  : "; memory of the device is freed with cudaFree";
    else if (!cpu_device_memory_ours(p) && (!a || trace_distance(a, p)))
        snprintf(memory, sizeof memory,
                 "memory of the host that no call of CUDA gave; malloc's is freed with free()");
    else if (a && !trace_distance(a, p) && !a->freed)
        why = "; only the pointer to its first byte can be freed";
    tell_call(WRONG_FREE, name, "%s%s", memory, why);
}

/* ---- Copies of memory that nothing has written -------------------------------------------- */

void trace_memory_read(struct api_call c, const void *to, const void *from, size_t bytes) {
    const struct trace_allocation *target = trace_allocation_near(to);
    if (target && target->kind == MEMORY_DEVICE && !trace_distance(target, to))
        return; /* a kernel that reads it there is reported */
    size_t count;
    const char *first = trace_unwritten(from, bytes, &count);
    if (!first)
        return;
    char memory[700], reason[TEXT] = "";
    const char *name;
    place_of_address(memory, sizeof memory, &no_launch, (uintptr_t)first, &name);
    pthread_mutex_lock(&refused_lock);
    if (refused_count && refused[refused_count - 1].kernel)
        text_add(reason, "; kernel %s did not run", refused[refused_count - 1].kernel);
    pthread_mutex_unlock(&refused_lock);
    /* A part that nothing wrote may be a margin that the host does not use: a note. */
    print_host_error(count < bytes ? NOT_WRITTEN | A_NOTE : NOT_WRITTEN, c.pc, name,
                     "%s at %s: %zu of the bytes that it reads, first %s; no copy, memset or "
                     "kernel has written them%s",
                     c.name, trace_place(c.pc), count, memory, reason);
}

void trace_print_lost(size_t bytes, size_t room, const void *pc) {
    if (room)
        print_host_error(
            PRINT_LOST, pc, "",
            "printf at %s: its buffer holds %zu bytes, and the first %zu that kernels printed "
            "since the host last waited are overwritten: "
            "cudaDeviceSetLimit(cudaLimitPrintfFifoSize, ...) makes it larger",
            trace_place(pc), room, bytes);
    else
        print_host_error(PRINT_LOST, pc, "",
                         "printf at %s: the program ends, and the last %zu bytes that kernels "
                         "printed are not shown: cudaDeviceSynchronize() after the launch shows "
                         "them",
                         trace_place(pc), bytes);
}

/* ---- The end ----------------------------------------------------------------------------- */

static void leak(const struct trace_allocation *a, void *unused) {
    (void)unused;
    int is_variable =
        a->kind == MEMORY_SYMBOL || (a->kind == MEMORY_MANAGED && !cpu_device_memory_ours(a->base));
    if (is_variable || a->kind == MEMORY_PINNED) /* compute-sanitizer leaves that alone, too */
        return;
    char text[TEXT] = "", place[300];
    const char *name = trace_allocation_name(a, "", NULL);
    text_add(text, "%s, %zu bytes%s, was never freed", name, a->bytes,
             place_of_allocation(place, a));
    print_error(LEAK | A_NOTE, "", text, "");
    print_error_csv(LEAK | A_NOTE, "", "", "", a->file ? trace_file_name(a->file) : "", a->line,
                    name, text);
}

/* Of what one line has given. */
struct heap_leak {
    const void *pc;
    size_t blocks, bytes;
};
static struct heap_leak heap_leaks[64];

static void heap_leak(const void *pc, size_t bytes) {
    struct heap_leak *l = heap_leaks, *end = l + sizeof heap_leaks / sizeof *l;
    while (l < end && l->blocks && l->pc != pc)
        l++;
    if (l == end)
        return;
    l->pc = pc;
    l->blocks++;
    l->bytes += bytes;
}

static void tell_heap_leaks(void) {
    trace_heap_each(heap_leak);
    for (const struct heap_leak *l = heap_leaks; l < (&heap_leaks)[1] && l->blocks; l++)
        print_host_error(LEAK | A_NOTE, l->pc, "malloc()",
                         "%zu bytes in %zu block%s from malloc() or new in a kernel at %s, "
                         "never freed",
                         l->bytes, l->blocks, l->blocks == 1 ? "" : "s", trace_place(l->pc));
}

void report_calls(int look_for_leaks) {
    for (size_t i = 0; i < refused_count; i++)
        tell_refused(&refused[i]);
    tell_lost();
    report_unordered();
    if (look_for_leaks && !atomic_load(&cpu_device.lost)) {
        trace_allocations_each(leak, NULL);
        tell_heap_leaks();
    }
}
