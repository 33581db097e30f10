/*
 * shadow.c: which bytes of device memory have been written since they were allocated.
 *
 * Each allocation has a byte per line, 1 if all of it is written, and a bit per byte for the rest.
 * Made when it is first used, they take memory only where they are needed. Managed and pinned
 * memory and variables count as written: their pages hold zeroes, or what the host put there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/shadow.h"
#include "trace/names/heap.h"
#include "trace/check/arena.h"
#include "trace/check/streams.h"
#include <string.h>

/* ---- The shadow of an allocation --------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards making shadows */
static struct shadow *gone;                              /* of freed allocations */
static struct shadow *unsettled;                         /* with bytes `changed` */
static int launches_running;

enum { PAGE_LINES = 4096 / LINE }; /* the smallest page that there is */

static size_t page_bytes(const struct shadow *s) {
    return (s->lines / PAGE_LINES + 2) * sizeof *s->page;
}

static void give(struct shadow *s) {
    trace_memory_give(s->whole, s->lines);
    trace_memory_give(s->written, s->lines * sizeof *s->written);
    trace_memory_give(s->changed, s->lines * sizeof *s->changed);
    trace_memory_give(s->line, s->lines * LINE_USERS_BYTES);
    trace_memory_give(s->uses, s->lines * sizeof *s->uses);
    trace_memory_give(s->page, page_bytes(s));
    trace_memory_give(s->kept, s->kept_bytes);
    free(s);
}

static struct shadow *make(const struct trace_allocation *a) {
    struct shadow *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base = (uintptr_t)a->base;
    s->first = s->base / LINE;
    s->lines = ((uintptr_t)a->base + a->bytes - 1) / LINE - s->first + 1;
    s->line = trace_memory(s->lines * LINE_USERS_BYTES);
    if (a->kind == MEMORY_DEVICE && (s->whole = trace_memory(s->lines)))
        s->written = trace_memory(s->lines * sizeof *s->written);
    s->is_of_host = a->kind == MEMORY_MANAGED || a->kind == MEMORY_PINNED;
    if (a->kind == MEMORY_MANAGED)
        s->page = trace_memory(page_bytes(s));
    if (!s->line)
        trace_memory_is_short();
    return s;
}

/* A pointer, after its first use; `made` is called by one thread at a time. */
#define MADE_ONCE(pointer, made)                                                                   \
    if (__atomic_load_n(&(pointer), __ATOMIC_ACQUIRE))                                             \
        return pointer;                                                                            \
    pthread_mutex_lock(&lock);                                                                     \
    if (!(pointer))                                                                                \
        __atomic_store_n(&(pointer), made, __ATOMIC_RELEASE);                                      \
    pthread_mutex_unlock(&lock);                                                                   \
    return pointer
struct shadow *trace_shadow_of(struct trace_allocation *a) {
    MADE_ONCE(a->shadow, make(a));
}
struct line_uses *trace_shadow_uses(struct shadow *s) {
    MADE_ONCE(s->uses, trace_memory(s->lines * sizeof *s->uses));
}

/* A kernel may still look at it: cudaFreeAsync in another stream. */
void trace_shadow_gone(struct trace_allocation *a) {
    pthread_mutex_lock(&lock);
    struct shadow *s = a->shadow;
    a->shadow = NULL;
    if (s && launches_running) {
        s->gone = gone;
        gone = s;
    } else if (s) {
        give(s);
    }
    pthread_mutex_unlock(&lock);
}

/* Of the bytes in `mask` those in `written` have been, the others not. By halves: a bit is on its
 * own. Kernels only add some, which needs no lock. */
static void set(struct shadow *s, size_t line, bytes128 mask, bytes128 written) {
    if (!s->written)
        return;
    if ((mask & written) == ~(bytes128)0) {
        __atomic_store_n(&s->whole[line], 1, __ATOMIC_RELEASE);
        return;
    }
    if (mask & ~written && s->whole[line]) {
        memset(s->written[line], 0xff, sizeof s->written[line]);
        __atomic_store_n(&s->whole[line], 0, __ATOMIC_RELEASE);
    }
    for (int i = 0; i < 2; i++) {
        uint64_t of = (uint64_t)(mask >> 64 * i), now = (uint64_t)(written >> 64 * i) & of;
        __atomic_fetch_and(&s->written[line][i], ~of | now, __ATOMIC_RELAXED);
        __atomic_fetch_or(&s->written[line][i], now, __ATOMIC_RELAXED);
    }
}

/* Freed memory of the heap counts as never written when it is given again. */
static void forget(struct trace_allocation *heap, const char *from, size_t bytes) {
    struct shadow *s = heap->shadow;
    uintptr_t start = (uintptr_t)from, end = start + bytes;
    for (uintptr_t line = start / LINE; s && line * LINE < end; line++)
        set(s, line - s->first, bytes_of_line(line, start, end), 0);
}

void trace_shadow_launch(int more) {
    pthread_mutex_lock(&lock);
    launches_running += more;
    while (!launches_running && gone) {
        struct shadow *next = gone->gone;
        give(gone);
        gone = next;
    }
    if (!launches_running)
        trace_heap_settle(forget);
    pthread_mutex_unlock(&lock);
}

/* ---- What has been written --------------------------------------------------------------- */

bytes128 trace_shadow_written(const struct shadow *s, size_t line) {
    if (!s->written || __atomic_load_n(&s->whole[line], __ATOMIC_ACQUIRE))
        return ~(bytes128)0;
    return __atomic_load_n(&s->written[line][0], __ATOMIC_RELAXED) |
           (bytes128)__atomic_load_n(&s->written[line][1], __ATOMIC_RELAXED) << 64;
}

void trace_shadow_mark(struct shadow *s, size_t line, bytes128 written) {
    if (written & ~trace_shadow_written(s, line))
        set(s, line, written, written);
}

void trace_shadow_changed(struct shadow *s, size_t line, bytes128 changed) {
    pthread_mutex_lock(&lock);
    if (!s->changed && (s->changed = trace_memory(s->lines * sizeof *s->changed))) {
        s->unsettled = unsettled;
        unsettled = s;
    }
    if (s->changed)
        s->changed[line] |= changed;
    pthread_mutex_unlock(&lock);
    if (!s->changed) /* no memory */
        trace_shadow_mark(s, line, changed);
}

bytes128 trace_shadow_changed_in(const struct shadow *s, size_t line) {
    return s->changed ? s->changed[line] : 0;
}

void trace_shadow_settle(void) {
    for (; unsettled; unsettled = unsettled->unsettled) {
        struct shadow *s = unsettled;
        for (size_t line = 0; line < s->lines; line++)
            trace_shadow_mark(s, line, trace_shadow_changed_in(s, line));
        trace_memory_give(s->changed, s->lines * sizeof *s->changed);
        s->changed = NULL;
    }
}

static struct shadow *shadow_holding(const void *p) {
    struct trace_allocation *a = (struct trace_allocation *)trace_allocation_near(p);
    if (!a || a->freed || a->kind != MEMORY_DEVICE ||
        (size_t)((const char *)p - a->base) >= a->bytes)
        return NULL;
    return trace_shadow_of(a);
}

/* Bytes [p, p + LINE) as one mask, wherever p lies in a line. */
static bytes128 written_from(const struct shadow *s, uintptr_t p) {
    size_t line = p / LINE - s->first;
    unsigned off = p % LINE;
    bytes128 m = trace_shadow_written(s, line) >> off;
    if (off && line + 1 < s->lines)
        m |= trace_shadow_written(s, line + 1) << (LINE - off);
    return m;
}

/* The host, a copy or a memset has written memory of the device; from: where its value came from,
 * which may itself be memory that was never written. */
void trace_memory_written(void *to, const void *from, size_t bytes) {
    cpu_device_pages_touch(to, bytes, 1, 1);
    if (from)
        cpu_device_pages_touch(from, bytes, 0, 1);
    struct shadow *s = bytes ? shadow_holding(to) : NULL;
    struct shadow *source = s && from ? shadow_holding(from) : NULL;
    if (!s || !s->written)
        return;
    if (source && !source->written)
        source = NULL;
    uintptr_t start = (uintptr_t)to, end = start + bytes;
    size_t first = start / LINE, count = (end - 1) / LINE - first + 1;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        /* overlapping memory: as memmove */
        uintptr_t line = from && (uintptr_t)from < start ? first + count - 1 - i : first + i;
        bytes128 mask = bytes_of_line(line, start, end), written = mask;
        unsigned low = first_byte(mask);
        if (source)
            written = written_from(source, (uintptr_t)from + (line * LINE + low - start)) << low;
        set(s, line - s->first, mask, written);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Managed memory ---------------------------------------------------------------------- */

/* Once per page, launch and direction is enough. */
void trace_pages_touched(struct shadow *s, uintptr_t line, int written, uint32_t launch) {
    uint32_t now = 2 * launch + (written != 0);
    uint32_t *last = &s->page[line / PAGE_LINES - s->first / PAGE_LINES];
    uint32_t before = __atomic_load_n(last, __ATOMIC_RELAXED);
    if (before / 2 == now / 2 && before >= now)
        return;
    __atomic_store_n(last, now, __ATOMIC_RELAXED);
    cpu_device_pages_touch((void *)(line * LINE), LINE, written, 1);
}
