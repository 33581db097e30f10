/*
 * pages.c: which pages of managed memory would move, by first touch.
 *
 * There is one memory, so nothing moves.  While the model is on, each page of managed memory that
 * is allocated belongs to a side, the host's or the device's, from its first touch on, and only
 * threads of that side can get at it: a touch from the other side faults, is counted, and the page
 * changes sides.  Sides are distinguished by protection keys (x86-64 "pku").  Without them all
 * threads see the same protection: then the host's pages are closed when the device starts to work
 * and the device's when it ends, and what both touch in between is not seen.
 *
 * With CPU_DEVICE_NO_CONCURRENT_MANAGED=1 the pages are a device's that cannot fault: they begin
 * there, and a launch takes all of them back, needed or not.
 *
 * A traced build (cudacc --trace) protects nothing: the tracer says who touches what, and the model
 * is always on.  Host code in files that cudacc did not compile is not seen then.
 *
 * Not seen either: __managed__ variables, memory that was allocated before, and system calls, which
 * fail (EFAULT) on a page of the other side.  Copies and memsets are touches by the device.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#include "runtime/observer.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* BOTH: a copy on each side, for reading. OPEN: not looked at any more. */
enum { NOWHERE, HOST, DEVICE, BOTH, OPEN };

struct page {
    unsigned char side, preferred, mapped, read_mostly, touched_by;
    unsigned short stuck; /* faults that changed nothing */
};
struct tracked {
    const char *base;
    char *start; /* where its first page begins */
    size_t pages;
    struct cpu_device_pages counted;
    const void *observed; /* what the observer knows of it */
    struct tracked *next;
    struct page page[];
};

enum { STUCK = 300 };

static struct tracked *list, *freed, **freed_end = &freed; /* the first one freed first */
static atomic_flag busy = ATOMIC_FLAG_INIT; /* guards all here; a fault handler may wait for it */
static struct cpu_device_pages counted;
static atomic_int on; /* read without the lock, too */
static int on_demand = 1, host_key = -1, operations;
static int device_key = -1;       /* of memory.c: keeps host code off device memory */
static const char *device_memory; /* all of it lies there */
static size_t device_bytes;
static __thread int on_device; /* this thread is one of the device's */

static atomic_ulong changes; /* of anything that a touch depends on */

/* Who holds the lock may have lost his processor: give him mine. */
static void enter(void) {
    while (atomic_flag_test_and_set(&busy))
        sched_yield();
}
static void leave(void) { atomic_flag_clear(&busy); }

/* Gives `count` pages to a side: for real, by what its threads may do with them. */
static int set_protection(struct tracked *t, size_t first, size_t count, int side) {
    char *p = t->start + first * cpu_device.page;
    size_t bytes = count * cpu_device.page;
    if (OBSERVED)
        return 0;
    int allowed = side == NOWHERE ? PROT_NONE : side == BOTH ? PROT_READ : PROT_READ | PROT_WRITE;
    if (host_key >= 0)
        return pkey_mprotect(p, bytes, allowed,
                             side == HOST     ? host_key
                             : side == DEVICE ? device_key
                                              : 0);
    return mprotect(p, bytes, allowed);
}

/* Stops looking at an allocation: all of it is everybody's. */
static int open_all(struct tracked *t) {
    for (size_t i = 0; i < t->pages; i++)
        t->page[i].side = OPEN;
    return set_protection(t, 0, t->pages, OPEN);
}

static struct tracked *find(const char *p) {
    return LIST_FIND(list, t, p >= t->start && p < t->start + t->pages * cpu_device.page);
}

/* Applies to the pages in [p, p + bytes) of a tracked allocation. */
static void for_pages(const void *p, size_t bytes, void (*each)(struct tracked *, size_t, int, int),
                      int how, int side) {
    enter();
    struct tracked *t = bytes ? find(p) : NULL;
    size_t first = t ? (size_t)((const char *)p - t->start) / cpu_device.page : 0;
    size_t last = t ? (size_t)((const char *)p - t->start + bytes - 1) / cpu_device.page : 0;
    for (size_t i = first; t && i <= last && i < t->pages; i++)
        each(t, i, how, side);
    leave();
}

static void count_move(struct tracked *t, int to) {
    ++*(to == DEVICE ? &counted.to_device : &counted.to_host);
    ++*(to == DEVICE ? &t->counted.to_device : &t->counted.to_host);
}
static void count_fault(struct tracked *t, int by) {
    ++*(by == DEVICE ? &counted.device_faults : &counted.host_faults);
    ++*(by == DEVICE ? &t->counted.device_faults : &t->counted.host_faults);
}

/* ---- Touches ----------------------------------------------------------------------------- */

/* Where a page goes that `here` touches. */
static int touched(const struct page *p, int here, int write) {
    if (p->side == OPEN)
        return OPEN;
    /* memory that is to stay on the host, and that the device may use over the link */
    if (here == DEVICE && p->preferred == HOST && p->mapped & DEVICE)
        return OPEN;
    if (p->side == BOTH)
        return write ? here : BOTH;
    return p->side != NOWHERE && p->side != here && p->read_mostly && !write ? BOTH : here;
}

/* The page becomes `next`, since `here` has touched it. */
static void change_side(struct tracked *t, struct page *p, int here, int next) {
    if (next != OPEN || p->side == NOWHERE)
        count_fault(t, here);
    if (next != OPEN && p->side != NOWHERE && p->side != BOTH)
        count_move(t, here);
    t->counted.advised += next == BOTH || (next == OPEN && p->side == HOST);
    p->side = (unsigned char)next;
    p->stuck = 0;
    atomic_fetch_add(&changes, 1);
}

int cpu_device_pages_fault(const void *address, int write) {
    int error = errno, here = on_device ? DEVICE : HOST, handled = 1;
    if ((size_t)((const char *)address - device_memory) >= device_bytes)
        return 0;
    enter();
    struct tracked *t = find(address);
    if (!t) {
        leave();
        return 0;
    }
    size_t i = (size_t)((const char *)address - t->start) / cpu_device.page;
    struct page *p = &t->page[i];
    int side = p->side, next = touched(p, here, write < 0 ? side == BOTH : write);
    if (next == side) {
        /* Another thread was faster; or this one cannot be let in, being older than the keys. */
        if (++p->stuck > STUCK)
            handled = side != OPEN && !open_all(t);
        else if (host_key < 0)
            handled = !set_protection(t, i, 1, side);
    } else {
        change_side(t, p, here, next);
        if (set_protection(t, i, 1, next)) /* too many mappings */
            handled = !open_all(t);
    }
    leave();
    errno = error;
    return handled;
}

static void touch_page(struct tracked *t, size_t i, int write, int here) {
    int next = touched(&t->page[i], here, write);
    t->page[i].touched_by |= (unsigned char)here;
    if (next != t->page[i].side)
        change_side(t, &t->page[i], here, next);
}

/* Traced builds: an access is reported, before or after it is made. */
void cpu_device_pages_touch(const void *p, size_t bytes, int write, int device) {
    static __thread uintptr_t last_page;
    static __thread unsigned long last_change;
    static __thread int last_write, last_side;
    int here = device ? DEVICE : HOST;
    uintptr_t page = (uintptr_t)p / cpu_device.page;
    unsigned long now = atomic_load_explicit(&changes, memory_order_relaxed);
    if (page == last_page && here == last_side && now == last_change && write <= last_write &&
        ((uintptr_t)p + bytes - 1) / cpu_device.page == page)
        return; /* as the last time, and nothing has moved since */
    last_page = page, last_side = here, last_change = now, last_write = write;
    for_pages(p, bytes, touch_page, write, here);
}

/* A thread starts (or ends) to work for the device. */
void cpu_device_pages_thread(int device) {
    on_device = device;
    if (host_key >= 0)
        pkey_set(host_key, device ? PKEY_DISABLE_ACCESS : 0);
}

/* Moved as a whole. Without keys: closes the pages of the side that does not work now. */
static int move_page(struct tracked *t, size_t i, int to) {
    struct page *p = &t->page[i];
    int next = p->read_mostly && p->side != NOWHERE && p->side != to ? BOTH : to;
    int moves = p->side != NOWHERE;
    if (p->side == to || p->side == BOTH || p->side == OPEN)
        return 0;
    if (moves)
        count_move(t, to);
    p->side = (unsigned char)next;
    set_protection(t, i, 1, host_key < 0 && to == HOST && operations ? NOWHERE : next);
    return moves;
}

/* A kernel starts. A device without page faults must have all its pages before. */
void cpu_device_pages_launch(void) {
    if (!on || on_demand)
        return;
    enter();
    atomic_fetch_add(&changes, 1);
    for (struct tracked *t = list; t; t = t->next)
        for (size_t i = 0; i < t->pages; i++)
            if (t->page[i].side == HOST)
                t->counted.launched_to_device += (size_t)move_page(t, i, DEVICE);
    leave();
}

static void close_side(int side, int as) {
    for (struct tracked *t = list; t; t = t->next)
        for (size_t i = 0, run; i < t->pages; i += run) {
            for (run = 1; i + run < t->pages && t->page[i + run].side == t->page[i].side;)
                run++;
            if (t->page[i].side == side)
                set_protection(t, i, run, as);
        }
}

void cpu_device_pages_operation(int begins) {
    if (host_key >= 0 || OBSERVED)
        return; /* otherwise counted even when off: it may be switched on meanwhile */
    enter();
    if (begins && operations++ == 0)
        close_side(HOST, NOWHERE);
    if (!begins && --operations == 0) {
        close_side(DEVICE, NOWHERE);
        close_side(HOST, HOST);
    }
    leave();
}

/* ---- Prefetch and advice ----------------------------------------------------------------- */

static void prefetch_page(struct tracked *t, size_t i, int unused, int to) {
    size_t moved = (size_t)move_page(t, i, to);
    (void)unused;
    *(to == DEVICE ? &t->counted.prefetched_to_device : &t->counted.prefetched_to_host) += moved;
}
void cpu_device_pages_prefetch(const void *p, size_t bytes, int to_device) {
    for_pages(p, bytes, prefetch_page, 0, to_device ? DEVICE : HOST);
    atomic_fetch_add(&changes, 1);
}

static void advise_page(struct tracked *t, size_t i, int advice, int side) {
    struct page *p = &t->page[i];
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        p->read_mostly = advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        p->preferred = (unsigned char)side;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        p->preferred = NOWHERE;
        break;
    case cudaMemAdviseSetAccessedBy:
        p->mapped |= (unsigned char)side;
        break;
    case cudaMemAdviseUnsetAccessedBy:
        p->mapped &= (unsigned char)~side;
    }
}
void cpu_device_pages_advise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                             int device) {
    for_pages(p, bytes, advise_page, (int)advice, device ? DEVICE : HOST);
    atomic_fetch_add(&changes, 1);
}

/* ---- Which memory ------------------------------------------------------------------------ */

void cpu_device_pages_new(const void *p, size_t bytes) {
    if (!on || !p)
        return;
    size_t page = cpu_device.page;
    char *start = (char *)((uintptr_t)p / page * page);
    size_t pages = ((size_t)((const char *)p - start) + bytes + page - 1) / page;
    struct tracked *t = calloc(1, sizeof *t + pages * sizeof t->page[0]);
    if (!t)
        return;
    atomic_fetch_add(&changes, 1);
    t->base = p, t->start = start, t->pages = pages;
    t->observed = ASK_OBSERVER(NULL, allocation_of, p);
    enter();
    LIST_ADD(list, t);
    for (size_t i = 0; i < pages && !on_demand; i++)
        t->page[i].side = DEVICE;
    if (set_protection(t, 0, pages, host_key < 0 ? NOWHERE : t->page[0].side))
        open_all(t);
    leave();
}

void cpu_device_pages_forget(const void *base) {
    enter();
    struct tracked **p = LIST_PLACE(list, t, t->base == base), *gone = *p;
    if (gone)
        *p = gone->next;
    leave();
    if (OBSERVED && gone) { /* for the report */
        gone->next = NULL;
        *freed_end = gone;
        freed_end = &gone->next;
    } else {
        free(gone);
    }
}

/* ---- On and off -------------------------------------------------------------------------- */

void cpu_device_pages_on(void) {
    enter();
    counted = (struct cpu_device_pages){.page_bytes = cpu_device.page,
                                        .by_thread = OBSERVED || host_key >= 0};
    on = 1;
    leave();
}

void cpu_device_pages_stop(struct cpu_device_pages *result) {
    enter();
    on = OBSERVED;
    *result = counted;
    for (struct tracked *t = OBSERVED ? NULL : list; t; t = t->next)
        open_all(t);
    leave();
}

void cpu_device_pages_begin(int key, const char *memory, size_t bytes) {
    device_memory = memory;
    device_bytes = bytes;
    device_key = key;
    if (key >= 0 && !OBSERVED)
        host_key = pkey_alloc(0, 0);
    on_demand = !cpu_device.one_at_a_time;
    on = OBSERVED;
}

void cpu_device_pages_each(void (*visit)(const struct cpu_device_pages_of *p, void *data),
                           void *data) {
    struct tracked *lists[] = {freed, list};
    for (int k = 0; k < 2; k++)
        for (struct tracked *t = lists[k]; t; t = t->next) {
            struct cpu_device_pages_of of = {t->observed, t->pages, 0, 0, t->counted};
            for (size_t i = 0; i < t->pages; i++) {
                of.by_host += (t->page[i].touched_by & HOST) != 0;
                of.by_device += (t->page[i].touched_by & DEVICE) != 0;
            }
            visit(&of, data);
        }
}
