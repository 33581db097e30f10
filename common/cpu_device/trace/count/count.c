/*
 * count.c: what each access site of a launch asked of memory: warp requests, 32-byte sectors,
 * wavefronts of shared memory.  Every worker counts for itself and adds up when it leaves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/join.h"
#include "trace/count/neighbors.h"
#include "trace/count/count.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, BANKS = 32, BANK_BYTES = 4, COUNT_SITES = 256 };
static const unsigned UNKNOWN = ~0u; /* place */

struct counted {
    struct trace_row row;
    uint64_t whole; /* requests of all lanes, side by side from a sector's start; not yet in row */
    const struct cpu_device_element *element; /* what the kernel takes the allocation for */
    unsigned stretch, warps;                  /* warps that came here since the last barrier */
    struct counted *next;
};

/* Where a site's accesses went last: most often the next one goes there, too. */
struct count_site {
    uint64_t place;
    uint64_t base, size;
    struct counted *counted;
};

struct trace_counts {
    struct count_site sites[COUNT_SITES];
    struct counted *slots[COUNT_SITES]; /* all of this launch, in lists by site */
    struct counted *spare;
    struct join join;
    struct warp_counts {
        unsigned stretch;
        struct neighbors of[TRACE_WINDOWS];
    } * warps[MAX_WARPS];
    unsigned stretch; /* from barrier to barrier */
};

static unsigned slot_of(uint64_t place) {
    return (unsigned)(hash64(place >> 16) >> 56) % COUNT_SITES;
}

static int same_site(const struct trace_row *a, const struct trace_row *b) {
    return a->pc == b->pc && a->op == b->op && a->space == b->space && a->bytes == b->bytes &&
           a->allocation == b->allocation && a->variable == b->variable;
}

/* The one of the list that counts what this row does. */
static struct counted *counted(struct trace_worker *w, struct counted **list,
                               const struct trace_row *row) {
    struct counted *c = *list;
    while (c && !same_site(&c->row, row))
        c = c->next;
    if (c)
        return c;
    c = w->counts->spare;
    if (c)
        w->counts->spare = c->next;
    else
        c = malloc(sizeof *c);
    if (!c) {
        fprintf(stderr, "CPU device: no memory for what is counted\n");
        abort();
    }
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
                            .variable = v,
                            .with = r->pc,
                            .place = UNKNOWN};
    if (v && r->op != TRACE_ATOMIC && !r->is_volatile && r->bytes >= 2 && r->bytes <= 8)
        row.window = TRACE_MOST_WINDOW;
    row.is_fixed = v && !v->bytes && w->launch->block_dim[1] * w->launch->block_dim[2] > 1;
    return s->counted = counted(w, &all->slots[slot_of(r->place)], &row);
}

/* The addresses of the active lanes, and how they follow each other. */
struct shape {
    uint64_t address[WARP];
    unsigned count, rows; /* rows of the block, of `width` threads, that they belong to */
    int rises;            /* in order */
    int even;             /* at one distance, within each row */
    int64_t step;         /* that distance */
};
static void shape_of(const struct trace_request *r, unsigned width, struct shape *s) {
    unsigned n = 0, steps = 0, row = 0;
    s->rows = s->rises = s->even = 1;
    s->step = 0;
    for (unsigned lanes = r->lanes; lanes; lanes &= lanes - 1, n++) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned of_row = width % WARP ? (r->warp * WARP + lane) / width : 0;
        s->address[n] = r->address[lane];
        if (n) {
            int64_t step = (int64_t)(s->address[n] - s->address[n - 1]);
            s->rises &= step >= 0;
            if (of_row != row)
                s->rows++;
            else if (steps++ == 0)
                s->step = step;
            else
                s->even &= step == s->step;
        }
        row = of_row;
    }
    s->count = n;
    s->even &= n > s->rows; /* there is a distance */
}
static void note_shape(struct trace_row *row, const struct shape *s) {
    if (s->count < 2 || !s->even)
        return;
    if (s->step == 0) {
        row->same += s->rows == 1;
    } else if (s->rows > 1 && llabs(s->step) == (int64_t)row->bytes) {
        row->narrow++;
    } else if (s->step != (int64_t)row->bytes && s->step != -(int64_t)row->bytes) {
        row->stride_varies |= row->strided && row->stride != s->step;
        if (!row->strided++)
            row->stride = s->step;
    }
}

static void sort(struct shape *s) { /* 32 of them, most often in some order: nothing is faster */
    for (unsigned i = 1; i < s->count; i++) {
        uint64_t a = s->address[i];
        unsigned k = i;
        for (; k && s->address[k - 1] > a; k--)
            s->address[k] = s->address[k - 1];
        s->address[k] = a;
    }
}

static void count_global(struct trace_row *row, const struct trace_request *r, unsigned width) {
    struct shape s;
    shape_of(r, width, &s);
    note_shape(row, &s);
    if (!s.rises)
        sort(&s);
    uint64_t sectors = 0, useful = 0, end = 0, next_sector = 0;
    for (unsigned i = 0; i < s.count; i++) {
        uint64_t from = s.address[i], to = from + r->bytes;
        uint64_t first = from / SECTOR, last = (to - 1) / SECTOR;
        if (to > end) {
            useful += to - (from > end ? from : end);
            end = to;
        }
        if (first < next_sector)
            first = next_sector;
        if (last >= first) {
            sectors += last - first + 1;
            next_sector = last + 1;
        }
    }
    uint64_t ideal = (useful + SECTOR - 1) / SECTOR;
    row->sectors += sectors;
    row->useful_bytes += useful;
    row->ideal += ideal;
    row->misaligned += sectors > ideal && useful == end - s.address[0];
}

/* The words that lanes first to first + lanes - 1 need of the fullest bank. */
static unsigned wavefronts_of(const struct trace_request *r, unsigned first, unsigned lanes) {
    uint64_t words[BANKS][WARP * 4];
    unsigned count[BANKS] = {0}, most = 0;
    for (unsigned i = first; i < first + lanes; i++) {
        if (!(r->lanes >> i & 1))
            continue;
        uint64_t last = (r->address[i] + r->bytes - 1) / BANK_BYTES;
        for (uint64_t word = r->address[i] / BANK_BYTES; word <= last; word++) {
            unsigned bank = word % BANKS, k = 0;
            while (k < count[bank] && words[bank][k] != word)
                k++;
            if (k < count[bank])
                continue;
            words[bank][count[bank]++] = word;
            if (count[bank] > most)
                most = count[bank];
        }
    }
    return most;
}

/* Does each lane want what lane i ^ other wants, if that takes part at all? */
static int in_pairs(const struct trace_request *r, unsigned other) {
    for (unsigned i = 0; i < WARP; i++)
        if (r->lanes >> i & r->lanes >> (i ^ other) & 1 && r->address[i] != r->address[i ^ other])
            return 0;
    return 1;
}

/* Shared memory serves 128 bytes at a time: 16-byte accesses of 8 lanes, 8-byte ones of 16. A load
 * serves twice as many where, in all of the warp, either neighbors want the same or the next ones
 * but one do (so an H200 counts: tests/trace/wide.cu). */
static void count_wavefronts(struct trace_joined *sum, const struct trace_request *r) {
    unsigned lanes = r->bytes <= 4 ? WARP : 128 / r->bytes, wavefronts = 0, turns = 0;
    if (lanes < WARP && r->op == TRACE_LOAD && (in_pairs(r, 1) || in_pairs(r, 2)))
        lanes *= 2;
    for (unsigned first = 0; first < WARP; first += lanes) {
        unsigned n = wavefronts_of(r, first, lanes);
        wavefronts += n;
        turns += n > 0;
    }
    sum->requests++;
    sum->full += r->lanes == ~0u;
    sum->sectors += wavefronts;
    sum->ideal += turns;
    if (wavefronts > sum->worst)
        sum->worst = wavefronts;
}

static void count_shared(struct trace_row *row, const struct trace_request *r) {
    struct trace_joined sum = {0};
    struct shape s;
    trace_request_addresses(r);
    shape_of(r, WARP, &s);
    note_shape(row, &s);
    count_wavefronts(&sum, r);
    row->requests++;
    row->full += sum.full;
    row->sectors += sum.sectors;
    row->ideal += sum.ideal;
    if (sum.worst > row->worst)
        row->worst = sum.worst;
}

/* ---- Neighbors in shared memory ---------------------------------------------------------- */

/* What nvcc makes of a group that is complete, in windows of 4 << i bytes. */
static void count_group(struct neighbors *n, unsigned group, unsigned i) {
    const struct neighbor_group *g = &n->groups[group];
    struct trace_row *row = &((struct counted *)g->first)->row;
    struct trace_joined *sum = &row->joined[i];
    uint64_t address[WARP];
    struct trace_request r = {.op = g->op, .lanes = g->lanes, .address = address};
    n->used &= ~(1u << group);
    if (row->window < 4u << i) /* it does not matter any more */
        return;
    for (unsigned slot = 0; (r.bytes = trace_neighbors_access(g, 4u << i, &slot, address));) {
        unsigned worst = sum->worst;
        sum->worst = 0;
        count_wavefronts(sum, &r);
        if (r.bytes > row->bytes) /* as many-fold a conflict, by the row's bytes */
            sum->worst =
                sum->worst * (row->bytes > 4 ? row->bytes : 4) / (r.bytes > 4 ? r.bytes : 4);
        if (worst > sum->worst)
            sum->worst = worst;
    }
}
static void count_groups(struct neighbors *of) {
    for (unsigned i = 0; i < TRACE_WINDOWS; i++) {
        while (of[i].used)
            count_group(&of[i], (unsigned)__builtin_ctz(of[i].used), i);
        of[i].open = 0;
    }
}

/* The two are joined: what nvcc does not know of one is then so of the other. */
static void tie(struct trace_counts *all, const struct trace_row *a, const struct trace_row *b) {
    const void *low = a->with < b->with ? a->with : b->with,
               *high = a->with < b->with ? b->with : a->with;
    for (unsigned i = 0; low != high && i < COUNT_SITES; i++)
        for (struct counted *c = all->slots[i]; c; c = c->next)
            if (c->row.with == high)
                c->row.with = low;
}

/* What sites that begin there have in common. */
static unsigned common_window(const struct trace_row *row, unsigned place) {
    unsigned differ = place == UNKNOWN || row->place == UNKNOWN ? 0 : row->place ^ place;
    if (differ && row->is_fixed)
        return 0;
    return !(differ & 15) ? 16 : !(differ & 7) ? 8 : !(differ & 3) ? 4 : 0;
}
static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static struct warp_counts *counts_of(struct trace_counts *all, unsigned warp) {
    struct warp_counts *of = all->warps[warp];
    if (!of)
        of = all->warps[warp] = calloc(1, sizeof *of);
    if (!of)
        abort();
    if (of->stretch != all->stretch)
        count_groups(of->of);
    of->stretch = all->stretch;
    return of;
}

/* Whether a site's place in a window is known is seen at the end, when all have been there. */
static void count_neighbors(struct trace_worker *w, struct neighbors *of, struct counted *c,
                            const struct trace_request *r) {
    struct trace_counts *all = w->counts;
    struct trace_row *row = &c->row;
    const struct trace_variable *v = row->variable;
    for (unsigned i = 0; i < TRACE_WINDOWS; i++)
        trace_neighbors_between(&of[i], r);
    if (!row->window)
        return;
    uint64_t address[WARP];
    const char *base = v->bytes ? trace_shared_base(v) : cpu_device_dynamic_shared;
    trace_request_addresses(r);
    for (unsigned i = 0; i < WARP; i++)
        address[i] = r->address[i] - (uintptr_t)base + v->place;
    unsigned window = trace_neighbors_window(r, address, w->launch->block_dim[0], row->is_fixed);
    if (c->stretch != all->stretch)
        c->warps = 0;
    c->stretch = all->stretch;
    if (!(c->warps >> r->warp & 1)) { /* where all begin, whatever a loop does then */
        unsigned place = (unsigned)address[r->first];
        window = least(window, common_window(row, place));
        row->place = least(row->place, place);
    }
    c->warps |= 1u << r->warp;
    row->window = least(row->window, window);
    if (row->window <= r->bytes)
        row->window = 0;
    for (unsigned i = 0, bytes = 4; i < TRACE_WINDOWS; i++, bytes *= 2) {
        if (row->window < bytes || r->bytes >= bytes)
            continue;
        struct neighbor_group *g = trace_neighbors_find(&of[i], r, v, address, bytes);
        if (g) {
            tie(all, row, &((struct counted *)g->first)->row);
        } else {
            if (of[i].used >> of[i].next & 1)
                count_group(&of[i], of[i].next, i);
            g = trace_neighbors_begin(&of[i], r, v, address, bytes);
            g->first = c;
        }
        trace_neighbors_add(g, r, address, bytes);
    }
}

static int goes_there(const struct count_site *s, const struct trace_request *r, uint64_t address) {
    return s->place == r->place && address - s->base < s->size;
}

static int is_whole(const struct trace_request *r) {
    return r->consecutive && r->address[0] % SECTOR == 0;
}

/* An access that comes with others of the same object, or with which others come. */
static int joined(struct trace_worker *w, struct counted *c, const struct trace_request *r) {
    int more;
    struct join_group *g = trace_join_add(&w->counts->join, r, c->element, &more);
    if (!g)
        return 0;
    if (more > 0) {
        uint64_t before = c->row.sectors;
        c->row.requests++;
        c->row.full += r->lanes == ~0u;
        count_global(&c->row, r, w->launch->block_dim[0]);
        g->sectors = c->row.sectors - before;
        g->row = &c->row;
        return 1;
    }
    uint64_t useful = (uint64_t)__builtin_popcount(r->lanes) * r->bytes;
    g->row->useful_bytes += useful;
    g->row->ideal += useful / SECTOR;
    if (more < 0) {
        g->row->requests--;
        g->row->full -= r->lanes == ~0u;
        g->row->sectors -= g->sectors;
    }
    return 1;
}

void trace_count_order(struct trace_worker *w, unsigned warp) {
    struct trace_counts *all = w->counts;
    trace_join_end(&all->join);
    if (all->warps[warp])
        all->warps[warp]->stretch = all->stretch - 1;
}
void trace_count_barrier(struct trace_worker *w) {
    trace_count_order(w, 0);
    w->counts->stretch++;
}

static void count(struct trace_worker *w, struct counted *c, const struct trace_request *r) {
    struct trace_row *row = &c->row;
    if (is_whole(r)) {
        c->whole++;
        return;
    }
    if (r->space == TRACE_SHARED) {
        count_shared(row, r);
        return;
    }
    row->requests++;
    row->full += r->lanes == ~0u;
    if (r->consecutive) {
        row->sectors += r->bytes + 1;
        row->ideal += r->bytes;
        row->useful_bytes += (uint64_t)r->bytes * WARP;
        row->misaligned++;
    } else {
        count_global(row, r, w->launch->block_dim[0]);
    }
}

void trace_count_request(struct trace_worker *w, const struct trace_request *r) {
    struct trace_counts *all = w->counts;
    struct count_site *s = &all->sites[slot_of(r->place)];
    struct counted *c = goes_there(s, r, r->address[r->first]) ? s->counted : find(w, s, r);
    if (r->space == TRACE_SHARED)
        count_neighbors(w, counts_of(all, r->warp)->of, c, r);
    if (r->space == TRACE_GLOBAL && (all->join.open || !is_whole(r))) {
        trace_join_between(&all->join, r, c->element);
        if (!r->consecutive && !r->is_range && r->op != TRACE_ATOMIC && !r->is_volatile &&
            joined(w, c, r))
            return;
    }
    count(w, c, r);
}

/* ---- Adding up --------------------------------------------------------------------------- */

static void settle(struct counted *c) {
    struct trace_row *row = &c->row;
    uint64_t turns = row->bytes; /* 32 lanes, sectors of 32 bytes */
    if (row->space == TRACE_SHARED)
        turns = row->bytes <= 4 ? 1 : row->bytes / 4;
    row->requests += c->whole;
    row->full += c->whole;
    row->sectors += c->whole * turns;
    row->ideal += c->whole * turns;
    row->useful_bytes += c->whole * row->bytes * WARP;
    if (c->whole && row->space == TRACE_SHARED && turns > row->worst)
        row->worst = (unsigned)turns;
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
    sum->requests += row->requests;
    sum->sectors += row->sectors;
    sum->useful_bytes += row->useful_bytes;
    sum->ideal += row->ideal;
    sum->full += row->full;
    sum->misaligned += row->misaligned;
    sum->strided += row->strided;
    sum->narrow += row->narrow;
    sum->same += row->same;
    for (unsigned i = 0; i < TRACE_WINDOWS; i++) {
        sum->joined[i].requests += row->joined[i].requests;
        sum->joined[i].sectors += row->joined[i].sectors;
        sum->joined[i].ideal += row->joined[i].ideal;
        sum->joined[i].full += row->joined[i].full;
        if (row->joined[i].worst > sum->joined[i].worst)
            sum->joined[i].worst = row->joined[i].worst;
    }
    sum->window = least(sum->window, row->window);
    sum->window = least(sum->window, common_window(sum, row->place));
    sum->place = least(sum->place, row->place);
    if (row->with < sum->with)
        sum->with = row->with;
    if (row->worst > sum->worst)
        sum->worst = row->worst;
}

void trace_count_worker_begin(struct trace_worker *w) {
    if (!w->counts)
        w->counts = calloc(1, sizeof *w->counts);
    if (!w->counts)
        abort();
}

void trace_count_worker_end(struct trace_worker *w) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct trace_counts *all = w->counts;
    for (unsigned i = 0; i < MAX_WARPS; i++)
        if (all->warps[i])
            count_groups(all->warps[i]->of);
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < COUNT_SITES; i++)
        for (struct counted *c = all->slots[i], *next; c; c = next) {
            next = c->next;
            settle(c);
            struct trace_row *sum = w->record->rows;
            while (sum && !same_site(sum, &c->row))
                sum = sum->next;
            if (sum) {
                trace_row_add(sum, &c->row);
            } else if ((sum = malloc(sizeof *sum))) {
                *sum = c->row;
                sum->next = w->record->rows;
                w->record->rows = sum;
            }
            c->next = all->spare;
            all->spare = c;
        }
    pthread_mutex_unlock(&lock);
    memset(all->sites, 0, sizeof all->sites);
    memset(all->slots, 0, sizeof all->slots);
}

void trace_count_thread_ends(struct trace_worker *w) {
    while (w->counts && w->counts->spare) {
        struct counted *gone = w->counts->spare;
        w->counts->spare = gone->next;
        free(gone);
    }
    for (unsigned i = 0; w->counts && i < MAX_WARPS; i++)
        free(w->counts->warps[i]);
    free(w->counts);
}

static int same_counts(const struct trace_row *a, const struct trace_row *b) {
    return same_site(a, b) && a->requests == b->requests && a->sectors == b->sectors &&
           a->useful_bytes == b->useful_bytes && a->ideal == b->ideal && a->full == b->full &&
           a->misaligned == b->misaligned && a->strided == b->strided && a->narrow == b->narrow &&
           a->same == b->same && a->stride == b->stride && a->stride_varies == b->stride_varies &&
           a->worst == b->worst;
}
static int same_rows(const struct trace_row *a, const struct trace_row *b) {
    while (a && b && same_counts(a, b))
        a = a->next, b = b->next;
    return !a && !b;
}
static int less(const struct trace_row *a, const struct trace_row *b) {
    if (a->pc != b->pc)
        return (uintptr_t)a->pc < (uintptr_t)b->pc;
    if (a->op != b->op || a->space != b->space || a->bytes != b->bytes)
        return ((unsigned)a->op << 8 | (unsigned)a->space << 6 | a->bytes) <
               ((unsigned)b->op << 8 | (unsigned)b->space << 6 | b->bytes);
    if (a->allocation != b->allocation)
        return (uintptr_t)a->allocation < (uintptr_t)b->allocation;
    return (uintptr_t)a->variable < (uintptr_t)b->variable;
}

/* All have been counted: which windows does nvcc know? */
static void join_neighbors(struct trace_row *rows) {
    for (struct trace_row *row = rows; row; row = row->next)
        if (row->variable && !row->variable->bytes && row->place >= TRACE_MOST_WINDOW)
            row->window = 0; /* a part of dynamic memory: its begin is seldom a constant */
    for (int again = 1; again;) {
        again = 0;
        for (struct trace_row *a = rows; a; a = a->next)
            for (struct trace_row *b = rows; b; b = b->next) {
                if (a->with == b->pc && b->with < a->with)
                    a->with = b->with, again = 1;
                if (a->with == b->with && a->window > b->window && b->variable)
                    a->window = b->window, again = 1;
            }
    }
    for (struct trace_row *row = rows; row; row = row->next) {
        if (row->window <= row->bytes)
            continue;
        const struct trace_joined *joined = &row->joined[row->window / 8]; /* 4, 8, 16 */
        row->requests = joined->requests;
        row->sectors = joined->sectors;
        row->ideal = joined->ideal;
        row->full = joined->full;
        row->worst = joined->worst;
    }
}

/* A launch like one of the last keeps no rows of its own: a program may make very many. */
void trace_count_launch_end(struct trace_launch *record) {
    enum { RECENT = 32 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct trace_row *recent[RECENT];
    static unsigned number;
    struct trace_row *sorted = NULL;
    join_neighbors(record->rows);
    while (record->rows) {
        struct trace_row *row = record->rows, **p = &sorted;
        record->rows = row->next;
        while (*p && less(*p, row))
            p = &(*p)->next;
        row->next = *p;
        *p = row;
    }
    record->rows = sorted;
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < RECENT && !same_rows(recent[i], sorted))
        i++;
    if (i == RECENT) {
        recent[number++ % RECENT] = sorted;
    } else {
        record->rows = recent[i];
        for (struct trace_row *next; sorted; sorted = next) {
            next = sorted->next;
            free(sorted);
        }
    }
    pthread_mutex_unlock(&lock);
}
