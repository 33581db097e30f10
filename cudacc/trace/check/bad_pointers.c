/*
 * bad_pointers.c: pointers into memory that is not the device's, in kernels and in host code;
 * kernels that die.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/queue.h"
#include "trace/check/check.h"
#include "trace/check/streams.h"
#include "trace/names/heap.h"
#include "trace/names/host.h"
#include <malloc.h>
#include <string.h>

enum { GAP_BYTES = 4096 }; /* translate/notes.c */

static int between(uintptr_t p, const char *from, const char *to) {
    return from && p >= (uintptr_t)from && p < (uintptr_t)to;
}

/* What is mapped at an address. */
struct mapping {
    unsigned long from, to;
    char access[8], name[64]; /* name: "/lib/...", "[stack]", "[heap]"; "": none */
};
static struct mapping mapping_of(uintptr_t p) {
    struct mapping m, found = {0, 0, "", ""};
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && !found.to && fgets(line, sizeof line, f)) {
        m.name[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %63s", &m.from, &m.to, m.access, m.name) >= 3 &&
            p >= m.from && p < m.to)
            found = m;
    }
    if (f)
        fclose(f);
    return found;
}

/* Constants of the program itself, such as tables and texts: what the compiler puts into memory
 * that cannot be written. */
static int read_only(uintptr_t p) {
    static __thread uintptr_t from, to; /* found last */
    if (p >= from && p < to)
        return 1;
    struct mapping m = mapping_of(p);
    int yes = m.access[0] == 'r' && m.access[1] != 'w' && strchr(m.name, '/');
    if (yes)
        from = m.from, to = m.to;
    return yes;
}

/* Is p in memory of the program? Other memory is the runtime's: no pointer leads there. */
static int of_program(uintptr_t p) {
    struct trace_host_block block;
    return mapping_of(p).name[0] || trace_host_find((const void *)p, &block);
}

static const char *ordinal_ending(unsigned n) {
    static const char *const ending[] = {"th", "st", "nd", "rd"};
    return n / 10 % 10 == 1 || n % 10 > 3 ? "th" : ending[n % 10];
}

/* The argument, counted from 1, that led from the host's memory to this address; 0: none. */
static unsigned host_argument(const struct trace_worker *w, uintptr_t address) {
    for (unsigned i = w->launch->host_pointer_count; i-- > 0;) {
        const struct cpu_device_host_pointer *h = &w->launch->host_pointers[i];
        int64_t off = (int64_t)(address - (uintptr_t)h->replacement);
        if (off > -(1ll << 32) && off < 1ll << 32)
            return h->argument + 1;
    }
    return 0;
}

/* What is at an address that a kernel must not use, and how that came about; `constant`: the
 * constant variable that is nearest. */
static void describe_outside(const struct trace_worker *w, struct finding *f,
                             const struct trace_allocation *constant) {
    uintptr_t p = f->address;
    unsigned argument = host_argument(w, p);
    const struct trace_allocation *near = trace_nearest(p);
    if (argument)
        trace_finding_text(f, "its %u%s argument is a pointer to host memory", argument,
                           ordinal_ending(argument));
    else
        trace_finding_text(f, "memory of the host, which the kernel must not use");
    if (cpu_device_in_stacks((const void *)p)) {
        f->kind = OUT_OF_BOUNDS;
        trace_finding_text(f, "a local variable of another thread: each thread has its own alone");
    } else if (constant) {
        f->kind = OUT_OF_BOUNDS;
        trace_finding_text(f, p - (uintptr_t)constant->base < constant->bytes
                                  ? "constant memory, which a kernel cannot write"
                                  : "");
    } else if (p < cpu_device.page) {
        f->kind = OUT_OF_BOUNDS;
        trace_finding_text(f, "a null pointer");
    } else if (near && p >= (uintptr_t)near->base &&
               p - (uintptr_t)near->base < near->bytes + cpu_device.page && near->freed) {
        f->kind = USE_AFTER_FREE;
        f->text[0] = 0;
    } else if ((near && p + cpu_device.page > (uintptr_t)near->base &&
                p < (uintptr_t)near->base + near->bytes + cpu_device.page) ||
               (!w->launch->host_pointer_count && !of_program(p))) {
        f->kind = OUT_OF_BOUNDS; /* past pinned memory or a variable, or near nothing */
        f->text[0] = 0;
    }
}

/* A finding about the running thread's access, which ends the kernel. */
static struct finding finding_here(const struct trace_worker *w, enum error_kind kind,
                                   unsigned site, uintptr_t address) {
    struct finding f = trace_finding_in(w, kind);
    f.error = cudaErrorIllegalAddress;
    f.thread = linear_thread();
    f.site = site;
    f.address = address;
    return f;
}

/* Has nothing set these bytes of a constant? Only if they are zeroes: others come from its
 * initializer. */
static int constant_not_set(const struct trace_allocation *a, const char *p, unsigned bytes) {
    if (a->is_set ? !a->set || p < a->base + a->set : a->asked_for)
        return 0;
    while (bytes && !p[bytes - 1])
        bytes--;
    return !bytes;
}

int trace_check_outside(struct trace_worker *w, const void *address, unsigned bytes,
                        enum trace_op op, const void *pc, int *error) {
    uintptr_t p = (uintptr_t)address;
    const struct trace_allocation *a = trace_map_find(w->map, address);
    if (a) /* pinned memory, a variable: its bounds are checked with the request */
        return 1;
    const char *arguments = w->launch->arguments; /* each thread gets a copy */
    if (between(p, arguments, arguments + malloc_usable_size((void *)arguments)))
        return 0;
    const struct trace_allocation *constant = trace_constant(address);
    int in_constant = constant && p - (uintptr_t)constant->base < constant->bytes;
    int in_section = between(p, __start_cpu_constant_data, __stop_cpu_constant_data) ||
                     between(p, __start_cpu_device_const, __stop_cpu_device_const);
    if (op == TRACE_LOAD && in_constant) {
        unsigned site = trace_site(pc, op, bytes);
        if (constant_not_set(constant, (const char *)address, bytes)) {
            struct finding f = finding_here(w, NOT_WRITTEN, site, p);
            f.error = 0;
            trace_found(&f);
        }
        trace_streams_constant((struct trace_allocation *)constant, address, bytes,
                               w->record->operation, site);
    }
    /* Constants of untraced files have no note. After each that has one there is a gap. */
    const struct trace_allocation *near = in_section && !constant ? trace_nearest(p) : NULL;
    int in_gap = near && p >= (uintptr_t)near->base && trace_distance(near, address) <= GAP_BYTES;
    if (op == TRACE_LOAD && (in_constant || (in_section ? !constant && !in_gap : read_only(p))))
        return 0;
    struct finding f = finding_here(w, HOST_POINTER, trace_site(pc, op, bytes), p);
    describe_outside(w, &f, constant);
    trace_found(&f);
    *error = f.error;
    return -1;
}

/* Will the access be reported when it is recorded? Not if it lands in another variable, nor if it
 * loads a constant, which is not recorded. */
static int is_checked(const struct trace_worker *w, const void *p,
                      const struct trace_allocation *near) {
    const struct trace_variable *shared = trace_shared_find(p);
    const struct trace_allocation *constant = trace_constant(p);
    if (trace_shared_near(p))
        return !shared || !shared->bytes;
    if (trace_heap_of(p)) /* some compilers know the size of what malloc() gave */
        return 1;
    if (!near || trace_map_find(w->map, p) || (constant && !trace_distance(constant, p)))
        return 0;
    uintptr_t base = (uintptr_t)near->base;
    return near->kind == MEMORY_MANAGED ||
           between(base, __start_cpu_device_data, __stop_cpu_device_data) ||
           between(base, __start_cpu_constant_data, __stop_cpu_constant_data);
}

/* The compiler's check says that a variable was overrun, but not which. */
int trace_check_past_end(struct trace_worker *w, const void *address, enum trace_op op,
                         const void *pc) {
    const struct trace_variable *shared = trace_shared_find(address);
    const struct trace_allocation *near = trace_nearest((uintptr_t)address);
    if (near && trace_distance(near, address) > cpu_device.page)
        near = NULL;
    if (is_checked(w, address, near))
        return 0;
    unsigned site = trace_site(pc, op, 0);
    struct finding f = finding_here(w, OUT_OF_BOUNDS, site, (uintptr_t)address);
    if (shared)
        trace_finding_text(&f, "past an end of another shared variable, in %s", shared->name);
    else if (trace_map_find(w->map, address))
        trace_finding_text(&f, "past an end of another variable, in %s",
                           trace_map_find(w->map, address)->name);
    else if (!near) {
        trace_finding_text(&f, "past an end of a local variable");
        if (op == TRACE_LOAD) /* of the thread's own stack: goes on, as on a GPU */
            f.error = 0;
    }
    trace_found(&f);
    return f.error;
}

/* ---- Kernels that die by something else --------------------------------------------------- */

void trace_check_died(struct trace_worker *w) {
    const struct trace_death *d = &w->death;
    struct finding f = trace_finding_in(w, DIED);
    f.error = d->error;
    f.thread = d->thread;
    f.pc = d->pc, f.other_pc = d->near;
    f.address = (uintptr_t)d->address;
    unsigned argument = host_argument(w, f.address);
    if (d->what[0])
        trace_finding_text(&f, "%s", d->what);
    else if (f.address < cpu_device.page)
        trace_finding_text(&f, "illegal address (a null pointer)");
    else if (argument)
        trace_finding_text(&f, "illegal address (its %u%s argument is a pointer to host memory)",
                           argument, ordinal_ending(argument));
    else if (!cpu_device_memory_ours(d->address))
        trace_finding_text(&f, "illegal address (not memory of the device)");
    else
        trace_finding_text(&f, "illegal address");
    trace_found(&f);
}

/* ---- Host code --------------------------------------------------------------------------- */

void trace_check_host(const void *address, unsigned bytes, enum trace_op op, const void *pc) {
    const char *p = address;
    const struct trace_allocation *a = trace_allocation_known((uintptr_t)p);
    a = a ? a : trace_allocation_near(p);
    int within = a && (size_t)(p - a->base) < a->bytes;
    if (within && !a->freed && a->kind == MEMORY_MANAGED) {
        cpu_device_pages_touch(address, bytes, op != TRACE_LOAD, 0);
        return;
    }
    struct site s = {pc, op, bytes};
    const struct trace_allocation *constant = within ? NULL : trace_constant(address);
    int in_constant = constant && (size_t)(p - constant->base) < constant->bytes;
    if (!within && !in_constant && !cpu_device_memory_ours(address))
        return;                          /* no memory that the tracer knows */
    if (in_constant && op != TRACE_LOAD) /* it was to be set: kernels need not say so again */
        ((struct trace_allocation *)constant)->is_set = 1;
    if (in_constant || (within && a->kind == MEMORY_SYMBOL)) {
        trace_reporter->on_host(
            DEVICE_POINTER, &s, (uintptr_t)address,
            "on a GPU the host has a copy of its own, which kernels never see: use "
            "cudaMemcpyFromSymbol, cudaMemcpyToSymbol");
        return;
    }
    trace_reporter->on_host(within && a->freed ? USE_AFTER_FREE : DEVICE_POINTER, &s,
                            (uintptr_t)address,
                            within && a->kind == MEMORY_MANAGED
                                ? "by the host: on a GPU the program ends here"
                                : "on a GPU the program ends here; copy the data with cudaMemcpy");
    exit(4); /* with a real GPU this is a segmentation fault */
}

void trace_check_freed(const void *base) {
    struct trace_allocation *a = trace_freed(base);
    if (!a)
        return;
    trace_streams_freed(a, cpu_device_call);
    trace_shadow_gone(a);
}

void trace_check_freed_unwaited(const void *base) {
    uintptr_t from, to;
    struct trace_allocation *a = trace_allocation_around((uintptr_t)base, &from, &to);
    if (a)
        trace_streams_host_frees(a, cpu_device_call);
}

/* It may still be registered: kernels and copies may not use it from here on. What is queued runs
 * first, so that each run finds the same. */
void trace_check_host_frees(const void *p, size_t bytes, struct api_call call) {
    uintptr_t at = (uintptr_t)p, end = at + bytes, from, to;
    for (; at < end; at = to) {
        struct trace_allocation *a = trace_allocation_around(at, &from, &to);
        if (!a || a->kind != MEMORY_PINNED)
            continue;
        cpu_device_let_run();
        trace_streams_host_frees(a, call);
        cpu_device_lock();
        trace_check_freed(a->base);
        a->freed = 2;
        cpu_device_unlock();
    }
}
