/*
 * count.c: what each access site of a launch asked of memory: warp requests, 32-byte sectors,
 * wavefronts of shared memory.  Every worker counts for itself and adds up when it leaves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/count.h"
#include <string.h>

static unsigned slot_of(uint64_t place) {
    return (unsigned)(hash64(place >> 16) >> 56) % COUNT_SITES;
}

/* The list's entry for this row's site; added where it is missing. */
static struct counted *counted(struct trace_worker *w, struct counted **list,
                               const struct trace_row *row) {
    struct counted *c = LIST_FIND(*list, i, !trace_compare_sites(&i->row, row));
    if (c)
        return c;
    c = trace_must(malloc(sizeof *c));
    *c = (struct counted){.row = *row, .next = *list};
    c->element = row->allocation ? trace_element(w->launch, row->allocation) : NULL;
    return *list = c;
}

/* The row that a request belongs to: by its first lane's address. */
static struct counted *find(struct trace_worker *w, struct count_site *s,
                            const struct trace_request *r) {
    struct trace_counts *all = w->counts;
    uint64_t address = r->address[r->first];
    struct trace_allocation *a = NULL;
    const struct trace_variable *v = NULL;
    s->place = r->place;
    s->base = address; /* in none: look again next time */
    s->size = 0;
    if (r->space == TRACE_GLOBAL) {
        a = trace_map_find(w->map, (const void *)(uintptr_t)address);
        if (a)
            s->base = (uintptr_t)a->base, s->size = a->bytes;
    } else {
        v = trace_shared_find((const void *)(uintptr_t)address);
        if (v && v->bytes)
            s->base = (uintptr_t)trace_shared_base(v), s->size = v->bytes;
        else if (v)
            s->base = (uintptr_t)cpu_device_dynamic_shared, s->size = w->launch->shared_bytes;
    }
    struct trace_row row = {.pc = r->pc,
                            .op = r->op,
                            .space = r->space,
                            .bytes = r->bytes,
                            .allocation = a,
                            .variable = v};
    trace_vectorize_row(&row, r, w->launch->block_dim[1] * w->launch->block_dim[2]);
    return s->counted = counted(w, &all->slots[slot_of(r->place)], &row);
}

static int goes_there(const struct count_site *s, const struct trace_request *r, uint64_t address) {
    return s->place == r->place && address - s->base < s->size;
}

static int is_whole(const struct trace_request *r) {
    return r->consecutive && r->address[0] % SECTOR == 0;
}

void trace_count_barrier(struct trace_worker *w) {
    trace_count_order(w, 0);
    w->counts->stretch++;
}

/* Sectors by the rule of sectors.c. The two commonest cases need no look at 32 addresses: all lanes
 * side by side in whole sectors (counted here, added up in settle), and side by side off them. */
static void count(struct trace_worker *w, struct counted *c, const struct trace_request *r) {
    struct trace_row *row = &c->row;
    if (is_whole(r)) {
        c->whole++;
    } else if (r->space == TRACE_SHARED) {
        trace_count_shared(row, &c->last, r, w->launch->block_dim[0]);
    } else if (r->consecutive) {
        trace_tally_add(
            &row->all, (struct trace_tally){1, r->bytes + 1, r->bytes * WARP, r->bytes, .full = 1});
        row->misaligned++;
    } else {
        trace_count_sectors(row, r, w->launch->block_dim[0]);
    }
}

void trace_count_request(struct trace_worker *w, const struct trace_request *r) {
    struct count_site *s = &w->counts->sites[slot_of(r->place)];
    struct counted *c = goes_there(s, r, r->address[r->first]) ? s->counted : find(w, s, r);
    if (r->space == TRACE_SHARED)
        trace_vectorize_neighbors(w, c, r);
    else if (trace_vectorize_members(w, c, r, is_whole(r)))
        return;
    count(w, c, r);
}

/* ---- Adding up --------------------------------------------------------------------------- */

static void settle(struct counted *c) {
    struct trace_row *row = &c->row;
    uint64_t turns = row->bytes; /* 32 lanes, sectors of 32 bytes */
    if (row->space == TRACE_SHARED)
        turns = row->bytes <= 4 ? 1 : row->bytes / 4;
    trace_tally_add(&row->all,
                    (struct trace_tally){c->whole, c->whole * turns, c->whole * row->bytes * WARP,
                                         c->whole * turns, c->whole, c->whole ? turns : 0});
    if (c->whole) /* each lane's place is another */
        row->window = 0;
    c->whole = 0;
}

void trace_row_add(struct trace_row *sum, const struct trace_row *row) {
    if (row->strided) {
        sum->stride_varies |= row->stride_varies || (sum->strided && sum->stride != row->stride);
        if (!sum->strided)
            sum->stride = row->stride;
    }
    trace_tally_add(&sum->all, row->all);
    sum->misaligned += row->misaligned;
    sum->strided += row->strided;
    sum->narrow += row->narrow;
    sum->same += row->same;
    trace_vectorize_add(sum, row);
}

void trace_count_worker_begin(struct trace_worker *w) {
    if (!w->counts)
        w->counts = trace_must(calloc(1, sizeof *w->counts));
}

void trace_count_worker_end(struct trace_worker *w) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct trace_counts *all = w->counts;
    trace_vectorize_end(all);
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < COUNT_SITES; i++)
        LIST_EACH (all->slots[i], c) {
            settle(c);
            int order = -1;
            struct trace_row *sum, **p = LIST_PLACE(w->record->rows, i,
                                                    (order = trace_compare_sites(i, &c->row)) >= 0);
            if (*p && !order) {
                trace_row_add(*p, &c->row);
            } else if ((sum = malloc(sizeof *sum))) {
                *sum = c->row;
                LIST_ADD(*p, sum);
            }
            free(c);
        }
    pthread_mutex_unlock(&lock);
    memset(all->sites, 0, sizeof all->sites);
    memset(all->slots, 0, sizeof all->slots);
}

void trace_count_thread_ends(struct trace_worker *w) {
    if (!w->counts)
        return;
    trace_vectorize_thread_ends(w->counts);
    free(w->counts);
}
