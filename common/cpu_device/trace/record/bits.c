/*
 * bits.c: which bit-field each place in the program uses. Rows of events hold only the place.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"

enum { PLACES = 1 << 12 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int trace_has_bits;
static struct {
    _Atomic(const void *) pc; /* set last, and once */
    const struct cpu_device_bits *bits;
} places[PLACES];

static unsigned place_of(const void *pc) {
    unsigned i = (unsigned)(hash64((uintptr_t)pc) >> 32) % PLACES;
    for (unsigned tries = 0; tries < PLACES; tries++, i = (i + 1) % PLACES) {
        const void *there = atomic_load_explicit(&places[i].pc, memory_order_acquire);
        if (!there || there == pc)
            return i;
    }
    return PLACES;
}

const struct cpu_device_bits *trace_bits_at(const void *pc) { return places[place_of(pc)].bits; }

int trace_bits_note(const void *pc, const struct cpu_device_bits *bits) {
    unsigned i = place_of(pc);
    if (i < PLACES && places[i].pc)
        return 1;
    pthread_mutex_lock(&lock);
    i = place_of(pc); /* another thread may have come first */
    if (i < PLACES && !places[i].pc) {
        places[i].bits = bits;
        atomic_store_explicit(&places[i].pc, pc, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return i < PLACES;
}
