/*
 * async_copies.c: copies that a thread has begun and not waited for. Each arrives at its wait, as
 * late as a GPU may be, so that who reads without one finds that nothing has come. What is never
 * waited for is forgotten with its block. Only copies to shared memory are asynchronous (CUDA's
 * Programming Guide, memcpy_async): any other one is done at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "extra/runtime/groups.h"
#include "runtime/worker.h"
#include <stdlib.h>
#include <string.h>

struct copy {
    void *to;
    unsigned bytes, batch, next; /* next: of the same thread, or of the free ones; 0: none */
    char value[16];
};

/* Of a worker: its block's. */
struct worker_copies {
    unsigned long long block;
    struct {
        unsigned first, last, batches; /* batches: that it has committed */
    } of[MAX_THREADS];
    unsigned count, room, free;
    struct copy copy[]; /* [0] is none */
};

static struct worker_copies *of_block(void) {
    struct worker_copies *c = self->copies;
    if (!c && !(c = self->copies = calloc(1, sizeof *c)))
        abort();
    if (c->block != self->blocks) {
        c->block = self->blocks;
        memset(c->of, 0, sizeof c->of);
        c->count = c->free = 0;
    }
    return c;
}

static unsigned new_copy(struct worker_copies *c) {
    unsigned n = c->free, room = c->room ? 2 * c->room : 1024;
    if (n) {
        c->free = c->copy[n].next;
        return n;
    }
    if (c->count + 1 >= c->room) {
        c = self->copies = realloc(c, sizeof *c + room * sizeof *c->copy);
        if (!c)
            abort();
        c->room = room;
    }
    return ++c->count;
}

void cpu_device_copy_begin(void *to, const void *from, const void *value, unsigned bytes) {
    unsigned thread = linear_thread();
    OBSERVE(copy_begun, to, from, bytes, __builtin_return_address(0));
    if (!is_shared(to)) {
        memcpy(to, value, bytes);
        return;
    }
    unsigned n = new_copy(of_block());
    struct worker_copies *c = self->copies; /* it may have moved */
    unsigned last = c->of[thread].last;
    c->copy[n] = (struct copy){.to = to, .bytes = bytes, .batch = c->of[thread].batches};
    memcpy(c->copy[n].value, value, bytes);
    *(last ? &c->copy[last].next : &c->of[thread].first) = n;
    c->of[thread].last = n;
}

void cpu_device_copy_commit(void) { of_block()->of[linear_thread()].batches++; }

void cpu_device_copy_wait(unsigned long newer) {
    struct worker_copies *c = of_block();
    unsigned thread = linear_thread();
    for (unsigned n; (n = c->of[thread].first);) {
        const struct copy copy = c->copy[n];
        if (copy.batch + newer >= c->of[thread].batches)
            break;
        OBSERVE(copy_arrived, copy.to, copy.bytes, __builtin_return_address(0));
        memcpy(copy.to, copy.value, copy.bytes);
        if (!(c->of[thread].first = copy.next))
            c->of[thread].last = 0;
        c->copy[n].next = c->free;
        c->free = n;
    }
}
