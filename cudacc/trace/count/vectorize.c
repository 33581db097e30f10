/*
 * vectorize.c: neighbors that a thread accesses one by one, or in the rounds of a loop. nvcc makes
 * one access of 8 or 16 bytes of them where it knows their place in a window of that size:
 *
 *   in global memory    members of a struct or vector, from the alignment of its type
 *   in shared memory    from the place of the array: each thread's is the same in its window. That
 *                       is seen at the end of the launch, so each window is counted by itself.
 *
 * The rules are those of nvcc 13, seen in its machine code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/count.h"

enum { WIDEST = TRACE_MOST_WINDOW };

/* Accesses of a warp that may be one: for each lane within a window of its own. */
enum { VECTOR_SLOTS = 8 };
struct vector_group {
    enum trace_op op;
    unsigned lanes;
    uint64_t window[WARP];        /* where it begins */
    const void *pc[VECTOR_SLOTS]; /* of what begins at each place in the window */
};

/* Windows are powers of two. */
static void begin(struct vector_group *g, const struct trace_request *r, const uint64_t *address,
                  uint64_t window) {
    g->op = r->op;
    g->lanes = r->lanes;
    for (unsigned i = 0; i < WARP; i++)
        g->window[i] = address[i] & -window;
}

/* Does each lane of the request stay in its window? */
static int is_in(const struct vector_group *g, const struct trace_request *r,
                 const uint64_t *address, uint64_t window) {
    uint64_t differ = 0;
    if (g->op != r->op || g->lanes != r->lanes ||
        g->window[r->first] != (address[r->first] & -window))
        return 0;
    for (unsigned i = 0; i < WARP; i++)
        differ |= g->window[i] ^ (address[i] & -window);
    return !differ;
}

/* ---- Global memory: members of a struct or vector ---------------------------------------- */

enum { MEMBER_GROUPS = 8, MEMBERS = 4 }; /* MEMBERS: in a window, at most */
struct member_group {
    struct vector_group group;
    const struct cpu_device_element *element;
    unsigned bytes, slots; /* slots: a bit for each member */
    struct trace_row *row; /* where the last request of these was counted */
    uint64_t sectors;      /* of such a request */
};
struct members {
    unsigned warp, open, next; /* open: a bit for each group that may grow */
    struct member_group groups[MEMBER_GROUPS];
};

/* Requests for those of four neighbors. Three or all, with the first, are one load, even when one
 * between is not wanted; stores are one only when all are. Else by pairs. */
static int requests_for(unsigned slots, enum trace_op op) {
    int wide = op == TRACE_LOAD ? slots & 1 && __builtin_popcount(slots) >= 3 : slots == 15;
    return wide ? 1 : ((slots & 3) != 0) + ((slots & 12) != 0);
}

/* What groups can grow after this request? It may be to the same memory, but for other members of
 * the same type. */
static void close_members(struct members *m, const struct trace_request *r,
                          const struct cpu_device_element *element) {
    if (m->warp != r->warp || r->op == TRACE_ATOMIC || r->is_volatile)
        m->open = 0;
    m->warp = r->warp;
    for (unsigned i = 0; i < MEMBER_GROUPS; i++)
        if (m->open >> i & 1 && m->groups[i].group.op != r->op &&
            (m->groups[i].element != element || !element))
            m->open &= ~(1u << i);
}

/* The member that a request is for, if that is the same for all lanes; else -1. */
static int member_of(const struct trace_request *r, uint64_t window) {
    uint64_t place = r->address[r->first] & (window - 1);
    EACH_LANE (i, r->lanes)
        if ((r->address[i] & (window - 1)) != place)
            return -1;
    return (int)(place / r->bytes);
}

static int takes_member(const struct member_group *g, const struct trace_request *r,
                        const struct cpu_device_element *element, int slot, const uint64_t *address,
                        uint64_t window) {
    if (g->element != element || g->bytes != r->bytes || g->slots >> slot & 1)
        return 0;
    for (unsigned i = 0; i < MEMBERS; i++) /* an element of an array, in a loop */
        if (r->op == TRACE_LOAD && g->slots >> i & 1 && g->group.pc[i] == r->pc)
            return 0;
    return is_in(&g->group, r, address, window);
}

static struct member_group *group_of_members(struct members *m, const struct trace_request *r,
                                             const struct cpu_device_element *element, int slot,
                                             uint64_t window) {
    uint64_t address[WARP];
    addresses_from(0, r, address);
    for (unsigned i = 0; i < MEMBER_GROUPS; i++)
        if (m->open >> i & 1 && takes_member(&m->groups[i], r, element, slot, address, window))
            return &m->groups[i];
    unsigned next = m->next++ % MEMBER_GROUPS;
    struct member_group *g = &m->groups[next];
    m->open |= 1u << next;
    begin(&g->group, r, address, window);
    g->element = element;
    g->bytes = r->bytes;
    g->slots = 0;
    return g;
}

int trace_vectorize_members(struct trace_worker *w, struct counted *c,
                            const struct trace_request *r, int is_whole) {
    struct trace_counts *all = w->counts;
    struct members *m = all->members ?: (all->members = trace_must(calloc(1, sizeof *m)));
    const struct cpu_device_element *element = c->element;
    if (is_whole && !m->open)
        return 0;
    close_members(m, r, element);
    if (r->consecutive || r->is_range || r->op == TRACE_ATOMIC || r->is_volatile)
        return 0;
    uint64_t window = element ? element->alignment : 0;
    if (window > MEMBERS * r->bytes)
        window = MEMBERS * r->bytes;
    if (window > WIDEST)
        window = WIDEST;
    int slot = window > r->bytes ? member_of(r, window) : -1;
    if (slot < 0)
        return 0;
    struct member_group *g = group_of_members(m, r, element, slot, window);
    int more = requests_for(g->slots | 1u << slot, r->op) - requests_for(g->slots, r->op);
    g->slots |= 1u << slot;
    g->group.pc[slot] = r->pc;
    if (more > 0) {
        uint64_t before = c->row.all.sectors;
        trace_count_sectors(&c->row, r, w->launch->block_dim[0]);
        g->sectors = c->row.all.sectors - before;
        g->row = &c->row;
        return 1;
    }
    uint64_t useful = (uint64_t)__builtin_popcount(r->lanes) * r->bytes;
    g->row->all.useful_bytes += useful;
    g->row->all.ideal += useful / SECTOR;
    if (more < 0) {
        g->row->all.requests--;
        g->row->all.full -= r->lanes == ~0u;
        g->row->all.sectors -= g->sectors;
    }
    return 1;
}

/* ---- Shared memory: groups of neighbors -------------------------------------------------- */

/* What lies further apart, in requests of the warp, is in loops that nvcc does not unroll. */
enum { FAR_APART = 48 };

enum { NEIGHBOR_GROUPS = 32, SLOT = 2 }; /* bytes of a slot */
struct neighbor_group {
    struct vector_group group;
    const struct trace_variable *variable; /* of the first of them */
    unsigned halves, words, doubles;       /* a bit for each of 2 bytes, of 4, of 8 */
    unsigned time;                         /* when the last one came */
    struct counted *first;                 /* where that is counted, and so all of them */
};
struct neighbors {
    unsigned stretch;
    struct neighbors_by_window {
        unsigned open, used, next, time; /* a bit for each: may it grow? is it to be counted? */
        struct neighbor_group groups[NEIGHBOR_GROUPS];
    } of[TRACE_WINDOWS]; /* of 4 << i bytes */
};

static void close_neighbors(struct neighbors_by_window *n, const struct trace_request *r) {
    if (r->op == TRACE_ATOMIC || r->is_volatile)
        n->open = 0;
    n->time++;
    /* It may be the same memory. */
    n->open &= ~LANES_WHERE(i, n->open, n->groups[i].group.op != r->op);
}

static unsigned slot_of(const struct trace_request *r, const uint64_t *address, unsigned window) {
    return (unsigned)(address[r->first] & (window - 1)) / SLOT;
}

static int takes_neighbor(const struct neighbor_group *g, const struct trace_request *r,
                          const struct trace_variable *v, const uint64_t *address,
                          unsigned window) {
    unsigned slot = slot_of(r, address, window);
    int is_again = 0, is_down = 0;
    if (g->variable->first != v->first || (g->doubles != 0) != (r->bytes == 8) ||
        !is_in(&g->group, r, address, window))
        return 0;
    for (unsigned i = 0; i < VECTOR_SLOTS; i++) {
        int is_there = g->halves >> i & 1 || g->words >> i / 2 & 1 || g->doubles >> i / 4 & 1,
            is_same = i - slot < r->bytes / SLOT;
        if (is_there && is_same) /* nvcc keeps what has been loaded */
            is_again = 1;
        else if (is_there && i > slot && g->group.pc[i] == r->pc)
            is_down = 1;
    }
    return is_again ? r->op != TRACE_STORE : !is_down; /* a loop downwards is not joined */
}

static struct neighbor_group *find_group(struct neighbors_by_window *n,
                                         const struct trace_request *r,
                                         const struct trace_variable *v, const uint64_t *address,
                                         unsigned window) {
    for (unsigned rest = n->open; rest; rest &= rest - 1) {
        struct neighbor_group *g = &n->groups[__builtin_ctz(rest)];
        if (n->time - g->time > FAR_APART)
            n->open &= ~(rest & -rest);
        else if (takes_neighbor(g, r, v, address, window))
            return g;
    }
    return NULL;
}

static struct neighbor_group *begin_group(struct neighbors_by_window *n,
                                          const struct trace_request *r, const uint64_t *address,
                                          unsigned window, struct counted *c) {
    struct neighbor_group *g = &n->groups[n->next];
    n->open |= 1u << n->next;
    n->used |= 1u << n->next;
    n->next = (n->next + 1) % NEIGHBOR_GROUPS;
    begin(&g->group, r, address, window);
    g->variable = c->row.variable;
    g->halves = g->words = g->doubles = 0;
    g->first = c;
    return g;
}

static void add(struct neighbor_group *g, const struct trace_request *r, const uint64_t *address,
                unsigned window) {
    unsigned slot = slot_of(r, address, window), bit = 1u << slot * SLOT / r->bytes;
    unsigned *of_size = r->bytes == 8 ? &g->doubles : r->bytes == 4 ? &g->words : &g->halves;
    for (unsigned i = 0; !(*of_size & bit) && i < r->bytes / SLOT; i++)
        g->group.pc[slot + i] = r->pc;
    *of_size |= bit;
}

/* ---- What nvcc makes of a group ---------------------------------------------------------- */

/* The accesses, one after another: `slot` is 0 at first and then left alone. Returns the bytes, and
 * each lane's address; or 0: that was all.
 *
 * Two numbers of 2 bytes are one of 4: stores, and with others of 4; whether two loads alone are
 * depends on what becomes of them. Of 4 bytes, three or four are one load, even when one of them is
 * not wanted; stores are one only when all are. Else by pairs. */
static unsigned access_of(const struct neighbor_group *g, unsigned window, unsigned *slot,
                          uint64_t *address) {
    unsigned at = *slot, bytes = 0, words = g->words;
    for (unsigned i = 0; i < VECTOR_SLOTS / 2; i++)
        if ((g->group.op == TRACE_STORE || g->words) && (g->halves >> 2 * i & 3) == 3)
            words |= 1u << i;
    int wanted = __builtin_popcount(words);
    for (; at < window / SLOT && !bytes; at += !bytes) {
        unsigned next = words >> at / 2;
        if (g->doubles)
            bytes = at == 0 && g->doubles == 3                ? 16
                    : at % 4 == 0 && g->doubles >> at / 4 & 1 ? 8
                                                              : 0;
        else if (g->words && (wanted == 4 || (wanted == 3 && g->group.op == TRACE_LOAD)))
            at = 0, bytes = 16;
        else if (at % 4 == 0 && (next & 3) == 3)
            bytes = 8;
        else if (at % 2 == 0 && next & 1)
            bytes = 4;
        else if (g->halves >> at & 1 && !(next & 1))
            bytes = 2;
    }
    for (unsigned i = 0; i < WARP; i++)
        address[i] = g->group.window[i] + at * SLOT;
    *slot = at + bytes / SLOT;
    return bytes;
}

/* A group that is complete, in windows of 4 << i bytes. */
static void count_group(struct neighbors_by_window *n, unsigned group, unsigned i) {
    const struct neighbor_group *g = &n->groups[group];
    struct trace_row *row = &g->first->row;
    uint64_t address[WARP];
    struct trace_request r = {.op = g->group.op, .lanes = g->group.lanes, .address = address};
    n->used &= ~(1u << group);
    if (row->window < 4u << i) /* this window is ruled out already */
        return;
    for (unsigned slot = 0; (r.bytes = access_of(g, 4u << i, &slot, address));) {
        struct trace_tally one = trace_wavefronts(&r);
        if (r.bytes > row->bytes) /* as many-fold a conflict, by the row's bytes */
            one.worst = one.worst * (row->bytes > 4 ? row->bytes : 4) / (r.bytes > 4 ? r.bytes : 4);
        trace_tally_add(&row->joined[i], one);
    }
}

static void count_groups(struct neighbors *n) {
    for (unsigned i = 0; i < TRACE_WINDOWS; i++) {
        while (n->of[i].used)
            count_group(&n->of[i], (unsigned)__builtin_ctz(n->of[i].used), i);
        n->of[i].open = 0;
    }
}

/* ---- Which windows nvcc knows ------------------------------------------------------------ */

static const unsigned UNKNOWN = ~0u; /* a place that is not known yet */

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned window_of(uint64_t differ) { /* addresses that differ in these bits alone */
    return !(differ & 15) ? 16 : !(differ & 7) ? 8 : !(differ & 3) ? 4 : 0;
}

/* The window of how many bytes, 16 at most, in which all lanes have the same place? 0: none.
 * width: of a row of the block; is_fixed: all rows must have the same address. */
static unsigned window_of_lanes(const struct trace_request *r, const uint64_t *address,
                                unsigned width, int is_fixed) {
    unsigned last = r->first;
    uint64_t differ = 0; /* from lane to lane */
    for (unsigned i = r->first + 1; i < WARP; i++) {
        if (!(r->lanes >> i & 1))
            continue;
        int64_t distance = (int64_t)(address[i] - address[last]);
        unsigned thread = r->warp * WARP + i, lanes = i - last;
        differ |= (uint64_t)distance;
        if (lanes > 1 || is_fixed) {
            int is_same_row = thread / width == (thread - lanes) / width;
            if (is_fixed && !is_same_row && distance)
                return 0;
            /* That only every second lane takes part, say, nvcc does not know. */
            if (is_same_row && distance % lanes == 0)
                differ |= (uint64_t)(distance / lanes);
        }
        last = i;
    }
    return window_of(differ);
}

/* The widest window that this place and the row's share. */
static unsigned common_window(const struct trace_row *row, unsigned place) {
    unsigned differ = place == UNKNOWN || row->place == UNKNOWN ? 0 : row->place ^ place;
    return differ && row->is_fixed ? 0 : window_of(differ);
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

static struct neighbors *neighbors_of(struct trace_counts *all, unsigned warp) {
    struct neighbors *n = all->neighbors[warp];
    if (!n)
        n = all->neighbors[warp] = trace_must(calloc(1, sizeof *n));
    if (n->stretch != all->stretch)
        count_groups(n);
    n->stretch = all->stretch;
    return n;
}

void trace_vectorize_neighbors(struct trace_worker *w, struct counted *c,
                               const struct trace_request *r) {
    struct trace_counts *all = w->counts;
    struct trace_row *row = &c->row;
    const struct trace_variable *v = row->variable;
    struct neighbors *n = neighbors_of(all, r->warp);
    for (unsigned i = 0; i < TRACE_WINDOWS; i++)
        close_neighbors(&n->of[i], r);
    if (!row->window)
        return;
    uint64_t address[WARP]; /* a GPU's */
    const char *base = v->bytes ? trace_shared_base(v) : cpu_device_dynamic_shared;
    trace_request_addresses(r);
    addresses_from((uintptr_t)base - v->place, r, address);
    unsigned window = window_of_lanes(r, address, w->launch->block_dim[0], row->is_fixed);
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
        struct neighbors_by_window *of = &n->of[i];
        if (row->window < bytes || r->bytes >= bytes)
            continue;
        struct neighbor_group *g = find_group(of, r, v, address, bytes);
        if (g) {
            tie(all, row, &g->first->row);
        } else {
            if (of->used >> of->next & 1)
                count_group(of, of->next, i);
            g = begin_group(of, r, address, bytes, c);
        }
        g->time = of->time;
        add(g, r, address, bytes);
    }
}

void trace_vectorize_row(struct trace_row *row, const struct trace_request *r,
                         unsigned rows_of_block) {
    int may_join = row->variable && r->op != TRACE_ATOMIC && !r->is_volatile && r->bytes >= SLOT;
    row->with = r->pc;
    row->place = UNKNOWN;
    row->window = may_join && r->bytes < WIDEST ? WIDEST : 0;
    row->is_fixed = row->variable && !row->variable->bytes && rows_of_block > 1;
}

void trace_vectorize_add(struct trace_row *sum, const struct trace_row *row) {
    for (unsigned i = 0; i < TRACE_WINDOWS; i++)
        trace_tally_add(&sum->joined[i], row->joined[i]);
    sum->window = least(sum->window, row->window);
    sum->window = least(sum->window, common_window(sum, row->place));
    sum->place = least(sum->place, row->place);
    if (row->with < sum->with)
        sum->with = row->with;
}

void trace_vectorize_choose(struct trace_row *rows) {
    for (struct trace_row *row = rows; row; row = row->next)
        if (row->variable && !row->variable->bytes && row->place >= WIDEST)
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
    for (struct trace_row *row = rows; row; row = row->next)
        if (row->window > row->bytes)
            row->all = row->joined[row->window / 8]; /* 4, 8, 16 */
}

/* ---- Both -------------------------------------------------------------------------------- */

void trace_vectorize_end(struct trace_counts *all) {
    for (unsigned i = 0; i < MAX_WARPS; i++)
        if (all->neighbors[i])
            count_groups(all->neighbors[i]);
}

void trace_vectorize_thread_ends(struct trace_counts *all) {
    for (unsigned i = 0; i < MAX_WARPS; i++)
        free(all->neighbors[i]);
    free(all->members);
}

void trace_count_order(struct trace_worker *w, unsigned warp) {
    struct trace_counts *all = w->counts;
    if (all->members)
        all->members->open = 0;
    if (all->neighbors[warp])
        all->neighbors[warp]->stretch = all->stretch - 1;
}
