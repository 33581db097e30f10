/*
 * allocations.c: which allocation, variable or parameter an address belongs to, and what it is
 * called.  A lock guards all of it: the functions here may be called anywhere but in a signal
 * handler.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/names/allocations.h"
#include "trace/names/heap.h"
#include "trace/names/host.h"
#include "trace/names/lines.h"
#include <string.h>

/* An allocating call of the program. */
struct trace_site {
    const char *name, *file;
    int line, handed_on;
    unsigned alive, most_alive; /* of its allocations, at a time */
    unsigned last_number;
    struct trace_site *next;
};

struct trace_map {
    unsigned users;
    size_t count;
    struct trace_allocation *item[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_site *sites;
static struct trace_allocation *freed; /* the last one first */
static struct trace_allocation *constants;
static struct trace_allocation **live; /* by address */
static size_t live_count;
static struct trace_map *current; /* NULL: something has changed */
static unsigned unnamed;
static __thread struct trace_allocation *allocated_last;

/* ---- Allocations ------------------------------------------------------------------------- */

/* The index of the first one whose base lies above p. */
static size_t above(const char *p) { return TRACE_FIRST(live_count, i, live[i]->base > p); }

static struct trace_allocation *holding_of(struct trace_allocation *const *list, size_t count,
                                           const char *p) {
    size_t i = TRACE_FIRST(count, k, list[k]->base > p);
    return i && (size_t)(p - list[i - 1]->base) < list[i - 1]->bytes ? list[i - 1] : NULL;
}
static struct trace_allocation *holding(const char *p) { return holding_of(live, live_count, p); }

static atomic_uint allocation_changes;

/* It is no longer what is allocated. */
static void drop_map(void) {
    allocation_changes++;
    if (current && !current->users)
        free(current);
    current = NULL;
}

static struct trace_allocation *make(const void *base, size_t bytes, enum memory_kind kind) {
    struct trace_allocation *a = trace_must(calloc(1, sizeof *a));
    a->kind = kind;
    a->base = base;
    a->bytes = bytes;
    return a;
}

static void add(struct trace_allocation *a) {
    live = trace_with_room(live, live_count, sizeof *live);
    size_t i = above(a->base);
    memmove(live + i + 1, live + i, (live_count - i) * sizeof *live);
    live[i] = a;
    live_count++;
    drop_map();
}

void trace_allocating(void) { allocated_last = NULL; }

void trace_allocated(const void *base, size_t bytes, enum memory_kind kind) {
    WITH_LOCK(lock);
    allocated_last = make(base, bytes, kind);
    allocated_last->number = ++unnamed;
    add(allocated_last);
}

struct trace_allocation *trace_freed(const void *base) {
    WITH_LOCK(lock);
    size_t i = above(base);
    struct trace_allocation *a = i ? live[i - 1] : NULL;
    if (!a || a->base != base)
        return NULL;
    if (a->site)
        a->site->alive--;
    a->freed = 1;
    LIST_ADD(freed, a);
    live_count--;
    memmove(live + i - 1, live + i, (live_count - i + 1) * sizeof *live);
    drop_map();
    return a;
}

void trace_pitched(const void *base, size_t pitch, size_t width) {
    WITH_LOCK(lock);
    struct trace_allocation *a = holding(base);
    if (a)
        a->pitch = pitch, a->width = width;
}

/* A __device__, __constant__ or __managed__ variable. */
static struct trace_allocation *variable_of(const char *p) {
    struct trace_allocation *a = holding(p);
    struct trace_allocation *c = LIST_FIND(constants, i, (size_t)(p - i->base) < i->bytes);
    return a && !cpu_device_memory_ours(p) && a->kind != MEMORY_PINNED ? a : c;
}

int trace_variable_fits(const void *p, size_t bytes) {
    WITH_LOCK(lock);
    struct trace_allocation *a = variable_of(p);
    int fits = !a || bytes <= a->bytes - (size_t)((const char *)p - a->base);
    if (a)
        a->source = trace_host_source(p);
    return fits;
}

void trace_asked_for(const void *symbol) {
    WITH_LOCK(lock);
    struct trace_allocation *a = variable_of(symbol);
    if (a)
        a->asked_for = 1;
}

const struct trace_allocation *trace_constant(const void *address) {
    const char *p = address;
    const struct trace_allocation *best = NULL;
    WITH_LOCK(lock);
    for (const struct trace_allocation *c = constants; c; c = c->next)
        if (p >= c->base && p < c->base + c->bytes + cpu_device.page &&
            (!best || c->base > best->base))
            best = c;
    return best;
}

cudaError_t cpu_device_name(cudaError_t result, const char *name, int handed_on, const char *file,
                            int line, long element) {
    struct trace_allocation *a = allocated_last;
    allocated_last = NULL;
    if (result || !a)
        return result;
    WITH_LOCK(lock);
    struct trace_site *s = LIST_FIND(
        sites, i, i->line == line && strcmp(i->name, name) == 0 && strcmp(i->file, file) == 0);
    if (!s) {
        s = trace_must(calloc(1, sizeof *s));
        *s = (struct trace_site){name, file, line, handed_on, 0, 0, 0, sites};
        sites = s;
    }
    if (++s->alive > s->most_alive)
        s->most_alive = s->alive;
    a->number = s->last_number = s->alive == 1 ? 1 : s->last_number + 1;
    a->site = s;
    a->name = name;
    a->file = file;
    a->line = line;
    a->element = element;
    return result;
}

struct trace_map *trace_map_take(void) {
    WITH_LOCK(lock);
    if (!current) {
        current = trace_must(malloc(sizeof *current + live_count * sizeof *live));
        *current = (struct trace_map){.count = live_count};
        for (size_t i = 0; i < live_count; i++)
            current->item[i] = live[i];
    }
    current->users++;
    return current;
}

void trace_map_give(struct trace_map *map) {
    WITH_LOCK(lock);
    if (--map->users == 0 && map != current)
        free(map);
}

struct trace_allocation *trace_map_find(const struct trace_map *map, const void *address) {
    return holding_of(map->item, map->count, address) ?: trace_heap_of(address);
}

const struct trace_allocation *trace_allocation_near(const void *address) {
    const char *p = address;
    WITH_LOCK(lock);
    return holding(p)
               ?: LIST_FIND(freed, f, (size_t)(p - f->base) < f->bytes)
               ?: above(p) ? live[above(p) - 1] : NULL;
}

struct trace_allocation *trace_allocation_around(uintptr_t p, uintptr_t *from, uintptr_t *to) {
    WITH_LOCK(lock);
    size_t i = above((const char *)p);
    struct trace_allocation *a = i ? live[i - 1] : NULL;
    *from = a ? (uintptr_t)a->base : 0;
    *to = *from + (a ? a->bytes : 0);
    if (p >= *to) { /* behind it */
        a = NULL;
        *from = *to;
        *to = i < live_count ? (uintptr_t)live[i]->base : UINTPTR_MAX;
    }
    return a;
}

struct trace_allocation *trace_allocation_known(uintptr_t p) {
    enum { KNOWN = 8 };
    static __thread struct {
        uintptr_t from, to;
        struct trace_allocation *allocation;
        unsigned changes;
    } known[KNOWN];
    static __thread unsigned next;
    unsigned changes = atomic_load(&allocation_changes), i = 0;
    while (i < KNOWN && !(p >= known[i].from && p < known[i].to && known[i].changes == changes))
        i++;
    if (i == KNOWN) {
        i = next++ % KNOWN;
        known[i].changes = changes;
        known[i].allocation = trace_allocation_around(p, &known[i].from, &known[i].to);
    }
    return known[i].allocation;
}

void trace_allocations_each(void (*visit)(const struct trace_allocation *a, void *data),
                            void *data) {
    struct trace_map *map = trace_map_take();
    for (size_t i = 0; i < map->count; i++) /* without the lock: visitors may ask for names */
        visit(map->item[i], data);
    trace_map_give(map);
}

/* The allocation that an address is in, or near. */
struct near {
    const char *p;
    const struct trace_allocation *allocation;
    size_t distance;
};
size_t trace_distance(const struct trace_allocation *a, const char *p) {
    return p < a->base               ? (size_t)(a->base - p)
           : p >= a->base + a->bytes ? (size_t)(p - (a->base + a->bytes)) + 1
                                     : 0;
}
static void look_at(const struct trace_allocation *a, struct near *n) {
    size_t distance = trace_distance(a, n->p);
    if (!n->allocation || distance < n->distance ||
        (distance == n->distance && a->base < n->p && n->allocation->base > n->p))
        n->allocation = a, n->distance = distance;
}

const struct trace_allocation *trace_nearest(uintptr_t address) {
    struct near n = {(const char *)address, NULL, 0}, f = n;
    const struct trace_allocation *constant = trace_constant(n.p);
    WITH_LOCK(lock);
    for (size_t i = 0; i < live_count; i++)
        look_at(live[i], &n);
    for (const struct trace_allocation *a = freed; a; a = a->next)
        look_at(a, &f);
    if (constant)
        look_at(constant, &n);
    return f.allocation && (!n.allocation || (!f.distance && n.distance)) ? f.allocation
                                                                          : n.allocation;
}

/* A variable that the program sets once, from its beginning on, with as many bytes as it has
 * elements, where there was more to copy. Nothing else can have written what comes after these. */
void trace_constant_set(const void *p, size_t bytes) {
    struct trace_allocation *a = (struct trace_allocation *)trace_constant(p);
    if (!a || trace_distance(a, p))
        return;
    int is_short = bytes == a->elements && a->source >= a->bytes;
    a->set = !a->copied && p == a->base && is_short ? bytes : 0;
    a->is_set = a->copied = 1;
}

/* ---- Names ------------------------------------------------------------------------------- */

const struct trace_allocation *trace_argument(struct cpu_device_launch *launch, unsigned argument,
                                              const void *p,
                                              const struct cpu_device_element *element) {
    WITH_LOCK(lock);
    const struct trace_allocation *a = holding(p);
    if (a || !p)
        trace_arguments_add(&launch->trace_arguments, argument, a, element);
    const struct trace_allocation *v = variable_of(p);
    return v && v->kind == MEMORY_SYMBOL && !v->asked_for ? v : NULL; /* by the host */
}

const char *trace_allocation_name(const struct trace_allocation *a, const char *kernel,
                                  const struct trace_arguments *arguments) {
    const struct trace_site *s = a->site;
    if (a->name && (!s || (!s->handed_on && s->most_alive < 2)))
        return a->name;
    char name[200];
    pthread_mutex_lock(&lock);
    trace_argument_names(kernel, arguments, a, "/", name, sizeof name);
    if (!*name && s && s->most_alive < 2)
        snprintf(name, sizeof name, "%s", s->name);
    else if (!*name)
        snprintf(name, sizeof name, "%s#%u", s ? s->name : "unnamed", a->number);
    pthread_mutex_unlock(&lock);
    return trace_keep(name);
}

/* A __device__, __constant__ or __managed__ variable is declared: another kind of allocation. */
void trace_variable_declared(const char *kind, const char *name, const void *base, size_t bytes,
                             size_t element, const char *file, int line) {
    int is_open = strcmp(kind, "open constant") == 0;
    int is_constant = is_open || strcmp(kind, "constant") == 0;
    WITH_LOCK(lock);
    struct trace_allocation *known = LIST_FIND(constants, i, i->base == (const char *)base);
    if (known) { /* another file declares it, too */
        known->is_set |= !is_open;
    } else if (is_constant || !holding(base)) { /* else an inline function's, of another file */
        struct trace_allocation *a =
            make(base, bytes, strcmp(kind, "managed") == 0 ? MEMORY_MANAGED : MEMORY_SYMBOL);
        a->name = name;
        a->file = file;
        a->line = line;
        if (is_constant) {
            a->is_set = !is_open;
            a->elements = element > 1 ? bytes / element : 0;
            LIST_ADD(constants, a);
        } else {
            add(a);
        }
    }
}
