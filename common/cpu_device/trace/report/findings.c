/*
 * trace_errors.c: what the checks have found: as text when the launch has ended, as CSV and as the
 * exit code at the program's end.
 *
 * An error that does not end its kernel is told once for each pair of source lines, and at most
 * MOST times of a kind; the others are counted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include "trace/record/record.h"
#include "trace/report/report.h"
#include "runtime/queue.h"
#include <execinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 10, EXIT_CODE = 4 };

static const char *const kind_name[ERROR_KINDS] = {"out of bounds",
                                                   "use after free",
                                                   "misaligned access",
                                                   "host pointer in a kernel",
                                                   "device pointer on the host",
                                                   "read of memory never written",
                                                   "data race",
                                                   "barrier not reached by all threads",
                                                   "kernel died",
                                                   "free of a wrong pointer",
                                                   "wrong argument",
                                                   "launch refused",
                                                   "leak"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long counted[ERROR_KINDS];

/* ---- Sites ------------------------------------------------------------------------------- */

static struct site sites[SITES];
static unsigned site_count = 1;
static uint16_t site_slot[2 * SITES];

unsigned trace_site(const void *pc, enum trace_op op, unsigned bytes) {
    pthread_mutex_lock(&lock);
    size_t h = ((uintptr_t)pc * 0x9E3779B97F4A7C15ull >> 40) % (2 * SITES);
    while (site_slot[h] && (sites[site_slot[h]].pc != pc || sites[site_slot[h]].op != op))
        h = (h + 1) % (2 * SITES);
    if (!site_slot[h] && site_count < SITES) {
        sites[site_count] = (struct site){pc, op, bytes};
        site_slot[h] = (uint16_t)site_count++;
    }
    unsigned number = site_slot[h] ? site_slot[h] : SITES - 1; /* more: they share the last one */
    pthread_mutex_unlock(&lock);
    return number;
}

const struct site *trace_site_of(unsigned number) { return &sites[number]; }

/* ---- Findings of the current launch ------------------------------------------------------ */

void trace_finding_text(struct finding *f, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

static struct finding *found;
static unsigned found_count, found_room;

static int compare(const struct finding *a, const struct finding *b) {
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->other_thread != b->other_thread)
        return a->other_thread < b->other_thread ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

void trace_found(const struct finding *f) {
    struct finding n = *f;
    /* One order for a pair: the one that stores first; of two that store the lower thread. */
    enum trace_op a = sites[n.site].op, b = sites[n.other_site].op;
    int swap =
        a == b ? n.block > n.other_block || (n.block == n.other_block && n.thread > n.other_thread)
               : b == TRACE_STORE || (b == TRACE_ATOMIC && a == TRACE_LOAD);
    if (n.kind == RACE && swap) {
        n.site = f->other_site, n.other_site = f->site;
        n.block = f->other_block, n.other_block = f->block;
        n.thread = f->other_thread, n.other_thread = f->thread;
    }
    pthread_mutex_lock(&lock);
    struct finding *same = NULL;
    for (unsigned i = 0; i < found_count && !same; i++) {
        struct finding *o = &found[i];
        if (o->kind == n.kind && o->space == n.space && o->launch == n.launch &&
            ((o->site == n.site && o->other_site == n.other_site) ||
             (o->site == n.other_site && o->other_site == n.site)) &&
            o->pc == n.pc && o->other_pc == n.other_pc)
            same = o;
    }
    if (!same) {
        if (found_count == found_room) {
            found_room = found_room ? 2 * found_room : 64;
            found = realloc(found, found_room * sizeof *found);
            if (!found)
                abort();
        }
        found[found_count++] = n;
    } else if (compare(&n, same) < 0) {
        *same = n;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Text and CSV ------------------------------------------------------------------------ */

static FILE *csv;
static char *csv_text;
static size_t csv_size;

static void csv_field(const char *text) {
    fputc(',', csv);
    if (strpbrk(text, ",\"\n")) {
        fputc('"', csv);
        for (; *text; text++)
            fprintf(csv, *text == '"' ? "\"\"" : "%c", *text);
        fputc('"', csv);
    } else {
        fputs(text, csv);
    }
}

static void csv_row(enum error_kind kind, const char *kernel, const char *block, const char *thread,
                    const char *file, int line, const char *allocation, const char *detail) {
    if (!getenv("ACCESS_ERRORS"))
        return;
    if (!csv && !(csv = open_memstream(&csv_text, &csv_size)))
        return;
    char number[16] = "";
    if (line)
        snprintf(number, sizeof number, "%d", line);
    const char *field[] = {kernel, block, thread, file, number, allocation, detail};
    fputs(kind_name[kind], csv);
    for (unsigned i = 0; i < sizeof field / sizeof *field; i++)
        csv_field(field[i]);
    fputc('\n', csv);
}

/* x, y, z of a linear index, as "(1,2,3)" or as "1x2x3". */
static const char *coordinates(char text[64], unsigned long long i, const unsigned size[3],
                               int for_csv) {
    snprintf(text, 64, for_csv ? "%llux%llux%llu" : "(%llu,%llu,%llu)", i % size[0],
             i / size[0] % size[1], i / size[0] / size[1]);
    return text;
}

/* The allocation that an address is in, or near. */
struct near {
    const char *p;
    const struct trace_allocation *allocation;
    size_t distance;
};
static size_t distance_of(const struct trace_allocation *a, const char *p) {
    return p < a->base               ? (size_t)(a->base - p)
           : p >= a->base + a->bytes ? (size_t)(p - (a->base + a->bytes)) + 1
                                     : 0;
}
static void look(const struct trace_allocation *a, void *data) {
    struct near *n = data;
    size_t distance = distance_of(a, n->p);
    if (!n->allocation || distance < n->distance ||
        (distance == n->distance && a->base < n->p && n->allocation->base > n->p))
        n->allocation = a, n->distance = distance;
}

const struct trace_allocation *trace_nearest(uintptr_t address) {
    struct near n = {(const char *)address, NULL, 0}, f = n;
    trace_allocations_each(0, look, &n);
    trace_allocations_each(1, look, &f);
    const struct trace_allocation *constant = trace_constant(n.p);
    if (constant)
        look(constant, &n);
    return f.allocation && (!n.allocation || (!f.distance && n.distance)) ? f.allocation
                                                                          : n.allocation;
}

static const char *op_name(enum trace_op op) {
    return op == TRACE_LOAD ? "load" : op == TRACE_STORE ? "store" : "atomic";
}

static const char *place_of_allocation(char text[300], const struct trace_allocation *a) {
    text[0] = 0;
    if (a->file) {
        const char *slash = strrchr(a->file, '/');
        snprintf(text, 300, ", %s at %s:%d",
                 a->kind == MEMORY_SYMBOL || !a->bytes ? "declared" : "allocated",
                 slash ? slash + 1 : a->file, a->line);
    }
    return text;
}

/* For an address outside of an allocation: "; it would be d_a[1000], the last one is d_a[999]". */
static void index_text(char *text, size_t size, const struct trace_allocation *a, const char *p,
                       const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    long element = labs(a->element), offset = (long)(p - a->base);
    text[0] = 0;
    if (!element || a->pitch || a->bytes % (size_t)element || name[strspn(name, letters)])
        return;
    long index = offset / element - (offset % element < 0);
    if (index < 0)
        snprintf(text, size, "; it would be %s[%ld]", name, index);
    else
        snprintf(text, size, "; it would be %s[%ld], the last one is %s[%ld]", name, index, name,
                 (long)a->bytes / element - 1);
}

/* "4 bytes past the end of d_a, 400 bytes, allocated at file.cu:12" */
static void where_is(char *text, size_t size, const struct trace_launch *l, uintptr_t address,
                     const char **name) {
    char place[300];
    const struct trace_allocation *a = trace_nearest(address);
    const char *p = (const char *)address;
    *name = "";
    if (!a || distance_of(a, p) > (size_t)1 << 40 ||
        (!cpu_device_memory_ours(p) && distance_of(a, p) > 1 << 20)) {
        snprintf(text, size,
                 cpu_device_memory_ours(p) ? "device memory that was never allocated"
                                           : "not memory of the device");
        return;
    }
    *name = trace_allocation_name(a, l->kernel, l->arguments);
    place_of_allocation(place, a);
    const char *freed = a->freed ? ", which has been freed" : "";
    char which[200];
    index_text(which, sizeof which, a, p, *name);
    if (p < a->base)
        snprintf(text, size, "%zu bytes before %s, %zu bytes%s%s%s", (size_t)(a->base - p), *name,
                 a->bytes, place, freed, which);
    else if (p >= a->base + a->bytes)
        snprintf(text, size, "%zu bytes past the end of %s, %zu bytes%s%s%s",
                 (size_t)(p - a->base) - a->bytes, *name, a->bytes, place, freed, which);
    else
        snprintf(text, size, "byte %zu of %s, %zu bytes%s%s", (size_t)(p - a->base), *name,
                 a->bytes, place, freed);
}

static void where_shared(char *text, size_t size, const struct trace_launch *l,
                         const struct finding *f, const char **name) {
    *name = *f->text ? f->text : "shared memory";
    if (f->offset < 0)
        snprintf(text, size, "%ld bytes before shared %s, %zu bytes", -f->offset, *name, f->bytes);
    else if ((size_t)f->offset >= f->bytes)
        snprintf(text, size, "%zu bytes past the end of shared %s, %zu bytes",
                 (size_t)f->offset - f->bytes, *name, f->bytes);
    else
        snprintf(text, size, "byte %ld of shared %s, %zu bytes", f->offset, *name, f->bytes);
    (void)l;
}

/* Told before? The two lines in either order. */
struct told {
    enum error_kind kind;
    struct trace_source a, b;
};
static struct told *told;
static unsigned told_count;

static int same_line(struct trace_source a, struct trace_source b) {
    return a.line == b.line && strcmp(a.file, b.file) == 0;
}

static int is_told(enum error_kind kind, struct trace_source a, struct trace_source b) {
    for (unsigned i = 0; i < told_count; i++)
        if (told[i].kind == kind && a.line &&
            ((same_line(told[i].a, a) && same_line(told[i].b, b)) ||
             (same_line(told[i].a, b) && same_line(told[i].b, a))))
            return 1;
    told = realloc(told, (told_count + 1) * sizeof *told);
    if (!told)
        abort();
    told[told_count++] = (struct told){kind, a, b};
    return 0;
}

__attribute__((format(printf, 2, 3))) static void add(char *text, const char *format, ...) {
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, 1000 - used, format, list);
    va_end(list);
}

/* Is the place in the C library or the runtime, or not known at all? Then `near`, which the thread
 * has passed before, says more. */
static int is_elsewhere(const void *pc, const void *near) {
    struct trace_source source = trace_source_find(pc);
    if (!near)
        return 0;
    return !trace_same_object(pc, near) || (source.line && trace_source_is_ours(&source)) ||
           (!source.line && trace_source_find(near).line);
}

static void tell(const struct finding *f, const struct trace_launch *l) {
    const void *pc = f->pc ? f->pc : sites[f->site].pc;
    const void *other = f->other_pc ? f->other_pc : f->other_site ? sites[f->other_site].pc : NULL;
    struct trace_source source = trace_source_find(pc), other_source = {"", "", 0, 0};
    int is_near = f->kind == DIED && is_elsewhere(pc, other);
    if (is_near)
        source = trace_source_find(pc = other);
    else if (other && f->kind != DIED)
        other_source = trace_source_find(other);
    if (f->kind == BARRIER && other && source.line && same_line(source, other_source))
        return; /* the compiler has doubled the barrier */
    if (is_told(f->kind, source, other_source))
        return;
    const struct site *s = &sites[f->site], *o = &sites[f->other_site];
    char block[64], thread[64], other_block[64], other_thread[64], memory[700], first[1000] = "",
                                                                                rest[1000] = "";
    const char *name = "";
    coordinates(block, f->block, l->grid, 0);
    coordinates(thread, f->thread, l->block, 0);
    coordinates(other_block, f->other_block, l->grid, 0);
    coordinates(other_thread, f->other_thread, l->block, 0);
    if (f->space == TRACE_SHARED)
        where_shared(memory, sizeof memory, l, f, &name);
    else if (f->kind == DIED ? cpu_device_memory_ours((void *)f->address) : f->kind != BARRIER)
        where_is(memory, sizeof memory, l, f->address, &name);
    switch (f->kind) {
    case RACE:
        add(first, "%s of %u bytes at %s", op_name(s->op), s->bytes, trace_place(pc));
        add(first, " and %s of %u bytes at %s", op_name(o->op), o->bytes, trace_place(other));
        if (f->block == f->other_block)
            add(rest, "block %s, threads %s and %s: ", block, thread, other_thread);
        else
            add(rest, "block %s, thread %s, and block %s, thread %s: ", block, thread, other_block,
                other_thread);
        add(rest, "%s; %s", memory,
            f->block != f->other_block ? "nothing orders two blocks of a launch but atomics with "
                                         "__threadfence()"
            : f->thread / WARP == f->other_thread / WARP
                ? "the same warp: no __syncwarp() or __syncthreads() lies between"
                : "no __syncthreads() lies between");
        if (s->op == TRACE_STORE && o->op == TRACE_STORE && same_line(source, other_source))
            add(rest, "; if both shall count, use atomicAdd() or a relative of it");
        break;
    case BARRIER:
        add(first, "__syncthreads() at %s", trace_place(pc));
        add(rest, "block %s: %u threads wait there, thread %s first; ", block, f->count, thread);
        if (other)
            add(rest, "%u wait at %s, thread %s first", f->count_2, trace_place(other),
                other_thread);
        else if (*f->text)
            add(rest, "%s", f->text);
        else
            add(rest, "%u have returned, thread %s first", f->count_2, other_thread);
        break;
    case DIED:
        add(first, "%s", f->text);
        if (pc)
            add(first, " %s %s", is_near ? "near" : "at", trace_place(pc));
        add(rest, "block %s, thread %s: ", block, thread);
        if (*name)
            add(rest, "%s", memory);
        else
            add(rest, "error %d, %s", f->error, cpu_device_error_text((cudaError_t)f->error));
        break;
    default:
        add(first, "%s of %u bytes at %s", op_name(s->op), s->bytes, trace_place(pc));
        add(rest, "block %s, thread %s", block, thread);
        if (f->count > 1)
            add(rest, " and %u more of its warp", f->count - 1);
        if (f->kind == MISALIGNED)
            add(rest, ": the address must be a multiple of %u; it is %s", s->bytes, memory);
        else if (*f->text && f->space == TRACE_GLOBAL)
            add(rest, ": %s", f->text);
        else
            add(rest, ": %s", memory);
        const struct trace_allocation *a = trace_nearest(f->address);
        if (f->kind == OUT_OF_BOUNDS && f->space == TRACE_GLOBAL && !*f->text && a &&
            !distance_of(a, (const char *)f->address))
            add(rest, "; the access ends %zu bytes past that",
                f->address + s->bytes - (uintptr_t)(a->base + a->bytes));
        if (f->address < cpu_device.page && f->space == TRACE_GLOBAL) {
            trace_null_arguments(l->kernel, l->arguments, memory, sizeof memory);
            if (*memory)
                add(rest, ", as was given for %s", memory);
        }
        if (f->kind == NOT_WRITTEN)
            add(rest, f->space == TRACE_SHARED ? "; no thread of the block has written it"
                                               : "; no copy, memset or kernel has written it");
    }
    if (counted[f->kind]++ < MOST) {
        fprintf(stderr, "CPU device: %s: %s\n", kind_name[f->kind], first);
        fprintf(stderr, "    kernel %s, launch %u, %s\n", l->kernel, l->number, rest);
    }
    char b[64], t[64];
    add(first, "; %s", rest);
    csv_row(f->kind, l->kernel, coordinates(b, f->block, l->grid, 1),
            coordinates(t, f->thread, l->block, 1), source.file, source.line, name, first);
}

static int by_position(const void *a, const void *b) {
    const struct finding *x = a, *y = b;
    int order = compare(x, y);
    if (x->position == y->position && !x->error != !y->error)
        return x->error ? 1 : -1; /* the block's last */
    return order ? order : (x->site > y->site) - (x->site < y->site);
}

/* A kernel has written memory, and what is not known. */
static atomic_int writes_unknown;

void trace_findings_tell(const struct trace_launch *l) {
    const struct finding *end = NULL; /* the error that ended the kernel */
    if (l->traced_blocks < l->blocks)
        atomic_store(&writes_unknown, 1);
    pthread_mutex_lock(&lock);
    unsigned of_launch = 0, kept = 0;
    struct finding *list = found_count ? malloc(found_count * sizeof *list) : NULL;
    for (unsigned i = 0; list && i < found_count; i++)
        *(found[i].launch == l ? &list[of_launch++] : &found[kept++]) = found[i];
    found_count = kept;
    pthread_mutex_unlock(&lock);
    if (!list)
        return;
    qsort(list, of_launch, sizeof *list, by_position);
    const void **pcs = calloc(2 * of_launch + 1, sizeof *pcs);
    size_t count = 0;
    for (unsigned i = 0; pcs && i < of_launch; i++) {
        const struct finding *f = &list[i];
        if (f->error && !end)
            end = f;
        pcs[count++] = f->pc ? f->pc : sites[f->site].pc;
        if (f->other_pc || f->other_site)
            pcs[count++] = f->other_pc ? f->other_pc : sites[f->other_site].pc;
    }
    if (pcs)
        trace_sources_look_up(pcs, count);
    free(pcs);
    if (end) /* not that of the worker which was faster */
        atomic_store(&cpu_device.lost, end->error);
    /* What a kernel died of may be a consequence of what its block did before. */
    unsigned long long last = end ? end->position + (end->kind == DIED) : 0;
    fflush(stdout);
    static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&telling);
    for (unsigned i = 0; i < of_launch; i++)
        if (!end || &list[i] == end || (list[i].position < last && !list[i].error))
            tell(&list[i], l);
    pthread_mutex_unlock(&telling);
    free(list);
}

/* ---- Outside of kernels ------------------------------------------------------------------ */

/* Told at once, and for each line once. */
static void tell_on_host(enum error_kind kind, const void *pc, const char *allocation,
                         const char *text) {
    static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
    struct trace_source source = trace_source_find(pc), nothing = {"", "", 0, 0};
    pthread_mutex_lock(&telling);
    if (!is_told(kind, source, nothing)) {
        if (counted[kind]++ < MOST) {
            fflush(stdout);
            fprintf(stderr, "CPU device: %s: %s\n", kind_name[kind], text);
        }
        csv_row(kind, "", "", "", source.file, source.line, allocation, text);
    }
    pthread_mutex_unlock(&telling);
}

static const struct trace_launch no_launch = {.kernel = ""};

void trace_found_on_host(enum error_kind kind, const struct site *s, uintptr_t address,
                         const char *remark) {
    static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
    static const void *told_pc[64];
    char memory[700], text[1000] = "";
    const char *name;
    pthread_mutex_lock(&telling);
    const void **p = told_pc;
    while (p < told_pc + 64 && *p && *p != s->pc)
        p++;
    if (p < told_pc + 64 && !*p) {
        *p = s->pc;
        where_is(memory, sizeof memory, &no_launch, address, &name);
        add(text, "%s of %u bytes at %s: %s; %s", op_name(s->op), s->bytes, trace_place(s->pc),
            memory, remark);
        tell_on_host(kind, s->pc, name, text);
    }
    pthread_mutex_unlock(&telling);
}

/* ---- Launches that were refused ---------------------------------------------------------- */

/* Only those that the program has not asked about, with cudaGetLastError() or its like. */
struct refused {
    const char *kernel;
    const void *pc;
    char why[200];
    struct refused *next;
};
static struct refused *refused; /* the last one first */
static pthread_mutex_t refused_lock = PTHREAD_MUTEX_INITIALIZER;

/* The program's own function that has called the runtime. */
static const void *caller_in_program(void) {
    void *frames[16];
    int count = backtrace(frames, 16);
    for (int i = 0; i < count; i++) {
        struct trace_source s = trace_source_find(frames[i]);
        if (s.line && !trace_source_is_ours(&s))
            return frames[i];
    }
    return NULL;
}

void trace_launch_refused(const struct cpu_device_launch *l, unsigned most_threads) {
    const unsigned *g = l->grid_dim, *b = l->block_dim;
    unsigned long long threads = (unsigned long long)b[0] * b[1] * b[2];
    struct refused *r = calloc(1, sizeof *r);
    if (!r)
        return;
    if (!g[0] || !g[1] || !g[2])
        snprintf(r->why, sizeof r->why, "a grid of %ux%ux%u has no blocks", g[0], g[1], g[2]);
    else if (!threads)
        snprintf(r->why, sizeof r->why, "a block of %ux%ux%u has no threads", b[0], b[1], b[2]);
    else if (threads > 1024 || b[2] > 64)
        snprintf(r->why, sizeof r->why, "a block of %ux%ux%u has %llu threads, and may have %s",
                 b[0], b[1], b[2], threads, threads > 1024 ? "1024" : "64 of them in z");
    else if (threads > most_threads)
        snprintf(r->why, sizeof r->why,
                 "a block has %llu threads, and by __launch_bounds__ may have %u", threads,
                 most_threads);
    else if (l->shared_bytes > 48 << 10)
        snprintf(r->why, sizeof r->why,
                 "a block asks for %zu bytes of dynamic shared memory, and may have 49152",
                 l->shared_bytes);
    else
        snprintf(r->why, sizeof r->why,
                 "a grid of %ux%ux%u has too many blocks: in y and in z it may have 65535", g[0],
                 g[1], g[2]);
    r->pc = caller_in_program();
    r->kernel = trace_kernel_name(l->name, l->function);
    pthread_mutex_lock(&refused_lock);
    r->next = refused;
    refused = r;
    pthread_mutex_unlock(&refused_lock);
}

void trace_error_asked(void) {
    pthread_mutex_lock(&refused_lock);
    for (struct refused *gone; (gone = refused);) {
        refused = gone->next;
        free(gone);
    }
    pthread_mutex_unlock(&refused_lock);
}

static void tell_refused(const struct refused *r) {
    char text[1000] = "";
    if (!r)
        return;
    tell_refused(r->next); /* the first one first */
    add(text, "kernel %s at %s did not run: %s; cudaGetLastError() tells so, but was not asked",
        r->kernel, trace_place(r->pc), r->why);
    tell_on_host(LAUNCH_REFUSED, r->pc, "", text);
}

/* ---- Calls that copy, set or free memory ------------------------------------------------- */

void trace_call_wrong(const char *why) {
    char text[1000] = "";
    add(text, "%s at %s: %s; it did nothing", cpu_device_call.name, trace_place(cpu_device_call.pc),
        why);
    tell_on_host(WRONG_ARGUMENT, cpu_device_call.pc, "", text);
}

void trace_call_direction(enum cudaMemcpyKind kind, int to_host, int from_host) {
    static const char *const name[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                       "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                       "cudaMemcpyDefault"};
    char why[300];
    snprintf(why, sizeof why,
             "%s, but its destination is memory of the %s and its source of the %s", name[kind],
             to_host ? "host" : "device", from_host ? "host" : "device");
    trace_call_wrong(why);
}

void trace_call_variable(const char *what, const void *p) {
    const struct trace_allocation *a = trace_nearest((uintptr_t)p);
    char text[1000] = "";
    if (!a || a->asked_for || distance_of(a, p) || strstr(cpu_device_call.name, "Symbol"))
        return;
    add(text,
        "%s at %s: its %s is %s, a variable of the device, whose address the host does not "
        "have: use ",
        cpu_device_call.name, trace_place(cpu_device_call.pc), what, a->name);
    if (strcmp(what, "result") == 0)
        add(text, "a variable of the host and cudaMemcpyToSymbol");
    else if (strcmp(what, "memory") == 0)
        add(text, "cudaGetSymbolAddress");
    else
        add(text, "%s, or cudaGetSymbolAddress",
            strcmp(what, "source") == 0 ? "cudaMemcpyFromSymbol" : "cudaMemcpyToSymbol");
    tell_on_host(WRONG_ARGUMENT, cpu_device_call.pc, a->name, text);
}

void trace_argument_variable(unsigned argument, const struct trace_allocation *a) {
    char text[1000] = "";
    const void *pc = caller_in_program();
    add(text,
        "launch at %s: argument %u is %s, a variable of the device, whose address the host "
        "does not have: a kernel can use it by its name; or use cudaGetSymbolAddress",
        trace_place(pc), argument + 1, a->name);
    tell_on_host(HOST_POINTER, pc, a->name, text);
}

void trace_call_outside(const char *what, const void *p, size_t bytes) {
    char memory[700], place[300], text[1000] = "";
    const char *name;
    uintptr_t first = (uintptr_t)p, end = first + bytes;
    const struct trace_allocation *a = trace_nearest(first);
    int begins_in = a && !distance_of(a, p);
    where_is(memory, sizeof memory, &no_launch, first, &name);
    add(text, "%s at %s: its %s ", cpu_device_call.name, trace_place(cpu_device_call.pc), what);
    if (begins_in && !a->freed) {
        size_t room = a->bytes - (size_t)((const char *)p - a->base);
        add(text, "ends ");
        if (end > first) /* else it is a symbol, and the count was too large */
            add(text, "%zu bytes ", bytes - room);
        add(text, "past the end of %s, %zu bytes%s", name, a->bytes, place_of_allocation(place, a));
    } else {
        add(text, "is %s", memory);
    }
    add(text, "; it did nothing");
    tell_on_host(a && a->freed && begins_in ? USE_AFTER_FREE : OUT_OF_BOUNDS, cpu_device_call.pc,
                 name, text);
}

void trace_free_failed(const void *p) {
    char memory[700], text[1000] = "";
    const char *name, *why = "";
    const struct trace_allocation *a = trace_nearest((uintptr_t)p);
    where_is(memory, sizeof memory, &no_launch, (uintptr_t)p, &name);
    if (a && a->base == p && !a->freed)
        why = a->kind == MEMORY_PINNED ? "; memory of the host is freed with cudaFreeHost"
              : a->kind == MEMORY_SYMBOL || !cpu_device_memory_ours(p)
                  ? "; variables are not freed"
                  : "; memory of the device is freed with cudaFree";
    else if (!cpu_device_memory_ours(p) && (!a || distance_of(a, p)))
        snprintf(memory, sizeof memory,
                 "memory of the host that no call of CUDA gave; malloc's is freed with free()");
    else if (a && !distance_of(a, p) && !a->freed)
        why = "; only the pointer to its first byte can be freed";
    add(text, "%s at %s: %s%s", cpu_device_call.name, trace_place(cpu_device_call.pc), memory, why);
    tell_on_host(WRONG_FREE, cpu_device_call.pc, name, text);
}

/* ---- Copies in queues, and the host ------------------------------------------------------ */

struct queued {
    const void *key;
    struct queued_copy copy;
    struct api_call call;
    struct queued *next;
};
static struct queued *queued;
static pthread_mutex_t queued_lock = PTHREAD_MUTEX_INITIALIZER;

void trace_copy_queued(const void *key, struct queued_copy copy) {
    struct queued *q = copy.to || copy.from ? calloc(1, sizeof *q) : NULL;
    if (!q)
        return;
    pthread_mutex_lock(&queued_lock);
    *q = (struct queued){key, copy, cpu_device_call, queued};
    queued = q;
    atomic_fetch_add(&trace_copies, 1);
    pthread_mutex_unlock(&queued_lock);
}

void trace_copy_done(const void *key) {
    pthread_mutex_lock(&queued_lock);
    for (struct queued **q = &queued; *q; q = &(*q)->next)
        if ((*q)->key == key) {
            struct queued *done = *q;
            *q = done->next;
            free(done);
            atomic_fetch_sub(&trace_copies, 1);
            break;
        }
    pthread_mutex_unlock(&queued_lock);
}

/* Do `bytes` at p share any with the rows? */
static int touches(const char *rows, size_t pitch, const struct queued_copy *c, const char *p,
                   size_t bytes) {
    if (!rows || p + bytes <= rows)
        return 0;
    size_t offset = p < rows ? 0 : (size_t)(p - rows), row = pitch ? offset / pitch : 0;
    return row < c->rows && offset - row * pitch < c->bytes;
}

void trace_check_copies(const void *address, unsigned bytes, enum trace_op op, const void *pc) {
    struct queued found = {NULL, {NULL, NULL, 0, 0, 0, 0}, {NULL, NULL}, NULL};
    int writes = 0;
    pthread_mutex_lock(&queued_lock);
    for (const struct queued *q = queued; q && !found.key; q = q->next) {
        writes = touches(q->copy.to, q->copy.to_pitch, &q->copy, address, bytes);
        if (writes || (op != TRACE_LOAD &&
                       touches(q->copy.from, q->copy.from_pitch, &q->copy, address, bytes)))
            found = *q;
    }
    pthread_mutex_unlock(&queued_lock);
    if (!found.key || atomic_load(&cpu_device.lost))
        return;
    char text[1000] = "";
    add(text,
        "%s of %u bytes at %s, by the host, and %s at %s, which has yet to %s them: "
        "synchronise with its stream between the two",
        op_name(op), bytes, trace_place(pc), found.call.name, trace_place(found.call.pc),
        writes ? "write" : "read");
    tell_on_host(RACE, pc, "", text);
}

/* ---- Copies of memory that nobody has written -------------------------------------------- */

/* Of the bytes from `from` to `end` of an allocation, those that are no padding: neither of the
 * rows of cudaMallocPitch nor of structs. NULL: none; else the first one. */
static const char *no_padding(const struct trace_allocation *a, const char *from, const char *end,
                              size_t *count) {
    enum { LIKELY_PADDING = 16 };
    size_t least = a->element < 0 ? (size_t)-a->element : a->element ? 1 : LIKELY_PADDING;
    const char *first = NULL;
    while (from < end) {
        const char *stop = end;
        if (a->pitch) {
            const char *row = from - (size_t)(from - a->base) % a->pitch;
            if (from < row + a->width && row + a->width < stop)
                stop = row + a->width;
            else if (from >= row + a->width) {
                from = row + a->pitch;
                continue;
            }
        }
        if ((size_t)(stop - from) >= least) {
            first = first ? first : from;
            *count += (size_t)(stop - from);
        }
        from = stop;
    }
    return first;
}

void trace_memory_read(struct api_call c, const void *to, const void *from, size_t bytes) {
    if (!bytes || !cpu_device_memory_ours(from) || atomic_load(&writes_unknown))
        return;
    const struct trace_allocation *target = trace_allocation_near(to);
    if (target && target->kind == MEMORY_DEVICE && !distance_of(target, to))
        return; /* a kernel that reads it there is told */
    struct trace_allocation *a = (struct trace_allocation *)trace_allocation_near(from);
    struct shadow *s = a && !a->freed && !distance_of(a, from) ? trace_shadow_of(a) : NULL;
    if (!s || !s->written)
        return;
    const char *p = from, *end = p + bytes, *run = NULL, *first = NULL;
    size_t count = 0, n;
    for (; p < end; p += n) { /* line by line; `run`: begins where nothing has been written */
        unsigned off = (uintptr_t)p % LINE;
        n = LINE - off < (size_t)(end - p) ? LINE - off : (size_t)(end - p);
        bytes128 all = bytes_between(0, (unsigned)n);
        bytes128 written = trace_shadow_written(s, (uintptr_t)p / LINE - s->first) >> off & all;
        size_t step = !written || written == all ? n : 1;
        for (size_t i = 0; i < n; i += step) {
            int is_written = (int)(written >> i & 1);
            if (!is_written && !run)
                run = p + i;
            if (is_written && run) {
                const char *found = no_padding(a, run, p + i, &count);
                first = first ? first : found;
                run = NULL;
            }
        }
    }
    if (run) {
        const char *found = no_padding(a, run, end, &count);
        first = first ? first : found;
    }
    if (!first)
        return;
    char memory[700], text[1000] = "";
    const char *name;
    where_is(memory, sizeof memory, &no_launch, (uintptr_t)first, &name);
    add(text,
        "%s at %s: %zu of the bytes that it reads, first %s; no copy, memset or kernel has "
        "written them",
        c.name, trace_place(c.pc), count, memory);
    pthread_mutex_lock(&refused_lock);
    if (refused)
        add(text, "; kernel %s did not run", refused->kernel);
    pthread_mutex_unlock(&refused_lock);
    tell_on_host(NOT_WRITTEN, c.pc, name, text);
}

static void leak(const struct trace_allocation *a, void *unused) {
    (void)unused;
    if (a->kind == MEMORY_SYMBOL || (a->kind == MEMORY_MANAGED && !cpu_device_memory_ours(a->base)))
        return; /* a variable */
    if (a->kind == MEMORY_PINNED)
        return; /* of the host, which compute-sanitizer leaves alone, too */
    char text[600], place[300];
    const char *name = trace_allocation_name(a, "", NULL);
    const char *slash = a->file ? strrchr(a->file, '/') : NULL;
    snprintf(text, sizeof text, "%s, %zu bytes%s, was never freed", name, a->bytes,
             place_of_allocation(place, a));
    if (counted[LEAK]++ < MOST)
        fprintf(stderr, "CPU device: %s: %s\n", kind_name[LEAK], text);
    csv_row(LEAK, "", "", "", slash ? slash + 1 : a->file ? a->file : "", a->line, name, text);
}

/* ---- The end ----------------------------------------------------------------------------- */

static pid_t started; /* a child made by fork has nothing to say */

static unsigned long tell_sum(int look_for_leaks) {
    unsigned long all = 0;
    tell_refused(refused);
    if (look_for_leaks && !atomic_load(&cpu_device.lost))
        trace_allocations_each(0, leak, NULL);
    for (int k = 0; k < ERROR_KINDS; k++) {
        if (counted[k] > MOST)
            fprintf(stderr, "CPU device: %s: %lu more\n", kind_name[k], counted[k] - MOST);
        all += counted[k];
    }
    fprintf(stderr, "CPU device: %lu error%s\n", all, all == 1 ? "" : "s");
    const char *path = getenv("ACCESS_ERRORS");
    FILE *f = path && *path ? fopen(path, "w") : NULL;
    if (f) {
        if (csv)
            fflush(csv);
        fprintf(f, "kind,kernel,block,thread,file,line,allocation,detail\n%.*s", (int)csv_size,
                csv ? csv_text : "");
        fclose(f);
    } else if (path && *path) {
        fprintf(stderr, "CPU device: cannot write %s (ACCESS_ERRORS)\n", path);
    }
    return all;
}

static void at_end(int status) {
    if (getpid() != started)
        return;
    if (!trace_started() && status)
        return; /* the device could not start, or was not needed */
    if (cpu_device_in_kernel()) {
        /* A kernel calls exit(): it will not end, so nothing is waited for. */
        trace_findings_tell(trace_exits());
    } else if (trace_started()) {
        cpu_device_wait();
    }
    fflush(stdout);
    trace_report();
    trace_pages_report();
    if (tell_sum(status == 0) && !status) {
        fflush(NULL);
        _exit(EXIT_CODE);
    }
}

#ifdef __GLIBC__
static void on_end(int status, void *unused) {
    (void)unused;
    at_end(status);
}
#else
static void on_end(void) { at_end(0); } /* no way to ask: found errors make it 4 */
#endif

/* Before the program's own handlers, so that they have run. */
__attribute__((constructor)) static void register_end(void) {
    started = getpid();
#ifdef __GLIBC__
    on_exit(on_end, NULL);
#else
    atexit(on_end);
#endif
}
