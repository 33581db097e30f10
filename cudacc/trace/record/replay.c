/*
 * replay.c: what the lanes of a warp recorded one after another, reconverged.
 *
 * A GPU runs the lanes of a warp together. Where they part, one side runs first and waits for the
 * other where they meet again. Here the lanes that stand at the lowest place in the program run
 * next: code is laid out in the order of the source, so a lane that has left a loop or taken the
 * later branch waits for the others. Places inside a function that was not inlined come after the
 * place of its call, before all that follows the call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"
#include "trace/names/heap.h"
#include <string.h>

typedef uint64_t two __attribute__((vector_size(16), may_alias));

static unsigned kind_of(uint64_t place) { return (unsigned)place & EVENT_KIND; }

void trace_request_at(struct trace_request *r, uint64_t place) {
    unsigned code = (unsigned)place;
    *r = (struct trace_request){.place = place,
                                .pc = (const void *)(uintptr_t)(place >> 16),
                                .op = (enum trace_op)((code & EVENT_OP) >> 3),
                                .space = code & EVENT_SHARED ? TRACE_SHARED : TRACE_GLOBAL,
                                .bytes = 1u << (code & EVENT_LOG2_BYTES),
                                .is_volatile = (code & EVENT_VOLATILE) != 0,
                                .is_range = (code & EVENT_RANGE) != 0,
                                .is_compare = (code & EVENT_COMPARE) != 0,
                                .is_of_block = (code & EVENT_OF_BLOCK) != 0,
                                .is_texel = (code & EVENT_TEXEL) != 0};
}

/* One access, by lanes that stand at the same place. */
static int request(struct trace_worker *w, struct trace_request *r, unsigned warp, unsigned lanes,
                   const uint64_t *address, int consecutive) {
    r->lanes = lanes;
    r->first = (unsigned)__builtin_ctz(lanes);
    r->warp = warp;
    r->consecutive = (char)consecutive;
    r->address = address;
    int error = trace_check_request(w, r);
    if (!error && !r->is_texel)
        trace_count_request(w, r);
    trace_unseen_request(r);
    return error;
}

void trace_row_addresses(struct trace_event_row *row, unsigned lanes) {
    EACH_LANE (i, row->base != OUT_OF_LINE ? lanes : 0)
        row->address[i] = row->base + i * row->stride;
}

int trace_replay_row(struct trace_worker *w, unsigned warp, struct trace_event_row *row,
                     unsigned lanes) {
    unsigned bytes = row->request.bytes, i = 1;
    int consecutive = lanes == ~0u && row->stride == bytes;
    if (kind_of(row->common))
        return 0;
    if (consecutive) {
        row->address[0] = row->base;
    } else if (row->base != OUT_OF_LINE) {
        trace_line_up(row->address, row->base, row->stride);
    } else if (lanes == ~0u) { /* memory of which the rows note no line */
        while (i < WARP && row->address[i] == row->address[0] + i * bytes)
            i++;
        consecutive = i == WARP;
    }
    return request(w, &row->request, warp, lanes, row->address, consecutive);
}

/* Are all lanes of a row at one place? And their addresses side by side? */
static int in_one_place(const struct trace_event_row *row, int *consecutive) {
    const two *place = (const two *)row->place, *address = (const two *)row->address;
    uint64_t p = row->place[0], a = row->address[0], bytes = 1u << (p & EVENT_LOG2_BYTES);
    two same = {p, p}, side = {a, a + bytes}, step = {2 * bytes, 2 * bytes};
    two differ = {0, 0}, gap = {0, 0};
    for (unsigned i = 0; i < WARP / 2; i++) {
        differ |= place[i] ^ same;
        gap |= address[i] ^ side;
        side += step;
    }
    *consecutive = !(gap[0] | gap[1]);
    return !(differ[0] | differ[1]);
}

/* ---- Step by step ------------------------------------------------------------------------ */

enum { NOWHERE = -1 }; /* the place of a lane without an event, or of one that waits for others */

struct replay {
    struct trace_worker *w;
    struct trace_warp *warp;
    uint64_t at[WARP];
    unsigned empty; /* lanes of which no more is known */
};

static void look(struct replay *p, unsigned lane) {
    const struct trace_warp *warp = p->warp;
    unsigned next = warp->next[lane];
    if (next < warp->count[lane]) {
        p->at[lane] = warp->rows[next].place[lane];
        p->empty &= ~(1u << lane);
    } else {
        p->at[lane] = (uint64_t)NOWHERE;
        p->empty |= 1u << lane;
    }
}

static void advance(struct replay *p, unsigned lanes) {
    EACH_LANE (i, lanes) {
        p->warp->next[i]++;
        look(p, i);
    }
}

/* Compares where two lanes stand when one is in calls: a call's place comes before all inside. */
static int before(const struct replay *p, unsigned a, unsigned b) {
    const struct trace_warp *warp = p->warp;
    for (unsigned i = 0;; i++) {
        int in_a = i < warp->depth[a] && i < TRACE_DEPTH,
            in_b = i < warp->depth[b] && i < TRACE_DEPTH;
        uint64_t x = in_a ? warp->stack[a][i] : p->at[a], y = in_b ? warp->stack[b][i] : p->at[b];
        if (x != y || !in_a || !in_b)
            return x < y ? -1 : x > y;
    }
}

/* The lanes that stand at the lowest place; 0: none can continue. */
static unsigned lowest(const struct replay *p) {
    unsigned group = 0;
    if (!p->warp->deep) {
        uint64_t least = (uint64_t)NOWHERE;
        for (unsigned i = 0; i < WARP; i++)
            least = p->at[i] < least ? p->at[i] : least;
        if (least == (uint64_t)NOWHERE)
            return 0;
        for (unsigned i = 0; i < WARP; i++)
            group |= (unsigned)(p->at[i] == least) << i;
        return group;
    }
    unsigned best = 0;
    for (unsigned i = 0; i < WARP; i++) {
        if (p->at[i] == (uint64_t)NOWHERE)
            continue;
        int order = group ? before(p, i, best) : -1;
        if (order < 0)
            group = 1u << i, best = i;
        else if (!order)
            group |= 1u << i;
    }
    return group;
}

/* A warp function: its lanes continue when all of them have come to it, from wherever each of them
 * called it. */
static void together(struct replay *p, unsigned lane) {
    struct trace_warp *warp = p->warp;
    uint64_t call = warp->rows[warp->next[lane]].address[lane];
    unsigned lanes = (unsigned)call;
    EACH_LANE (i, lanes) {
        unsigned next = warp->next[i];
        if (next >= warp->count[i] || kind_of(warp->rows[next].place[i]) != EVENT_SYNC ||
            warp->rows[next].address[i] != call) {
            p->at[lane] = (uint64_t)NOWHERE;
            return;
        }
    }
    trace_race_warp_sync(p->w, warp->number, lanes);
    if (call & EVENT_ORDERS)
        trace_count_order(p->w, warp->number);
    advance(p, lanes);
}

static int mark(struct replay *p, unsigned kind, unsigned i) {
    struct trace_warp *warp = p->warp;
    unsigned thread = warp->number * WARP + i;
    uint64_t value = warp->rows[warp->next[i]].address[i], place = p->at[i];
    switch (kind) {
    case EVENT_CALL:
        if (warp->depth[i] < TRACE_DEPTH)
            warp->stack[i][warp->depth[i]] = p->at[i] | 0xffff;
        warp->depth[i]++;
        warp->deep |= 1u << i;
        break;
    case EVENT_RETURN:
        if (warp->depth[i] && --warp->depth[i] == 0)
            warp->deep &= ~(1u << i);
        break;
    case EVENT_FENCE:
        trace_race_fence(p->w, thread, (place & EVENT_OF_BLOCK) != 0);
        trace_count_order(p->w, warp->number);
        break;
    case EVENT_FREE:
        trace_heap_gone((const void *)value, trace_warp_of_all(p->w, warp->number));
        break;
    case EVENT_RELEASE:
        trace_race_release(p->w, thread, value);
        break;
    case EVENT_BEGUN:
        trace_check_copy_begun(p->w, thread, value, 1u << (place & EVENT_LOG2_BYTES),
                               (const void *)(uintptr_t)(place >> 16),
                               (place & EVENT_COMPARE) != 0);
        break;
    case EVENT_ARRIVED:
        return trace_check_copy_arrived(p->w, thread, value,
                                        (const void *)(uintptr_t)(place >> 16));
    }
    return 0;
}

/* A jump backwards, over the barrier that the block has come from? (While the block has come from
 * none, the fast path does not say where to.) */
static void back(struct replay *p, unsigned group, uint64_t place, uint64_t to) {
    uintptr_t barrier = (uintptr_t)p->w->barrier;
    if (to <= barrier && barrier <= place >> 16)
        trace_check_back(p->w, p->warp->number, group);
}

/* The next step of lanes that stand at one place. */
static int step(struct replay *p, unsigned group) {
    const struct trace_warp *warp = p->warp;
    unsigned first = (unsigned)__builtin_ctz(group);
    uint64_t place = p->at[first], address[WARP] __attribute__((aligned(16)));
    unsigned kind = kind_of(place);
    int consecutive = group == ~0u, error = 0;
    if (kind == EVENT_SYNC) {
        together(p, first);
        return 0;
    }
    if (kind == EVENT_BACK) {
        back(p, group, place, warp->rows[warp->next[first]].address[first]);
    } else if (kind) {
        EACH_LANE (i, group)
            error = error ? error : mark(p, kind, i);
    } else {
        EACH_LANE (i, group) {
            address[i] = warp->rows[warp->next[i]].address[i];
            consecutive &= address[i] == address[first] + ((uint64_t)(i - first) << (place & 7));
        }
        struct trace_request r;
        trace_request_at(&r, place);
        error = request(p->w, &r, warp->number, group, address, consecutive);
    }
    advance(p, group);
    return error;
}

/* What is left moves to the front of each lane's column. */
static void make_room(struct trace_warp *warp) {
    for (unsigned i = 0; i < WARP; i++) {
        unsigned from = warp->next[i], left = warp->count[i] - from;
        if (from && !left)
            record_passed(&warp->last_block[i], warp->rows[from - 1].place[i]);
        for (unsigned row = 0; from && row < left; row++) {
            warp->rows[row].address[i] = warp->rows[from + row].address[i];
            warp->rows[row].place[i] = warp->rows[from + row].place[i];
        }
        warp->next[i] = 0;
        warp->count[i] = left;
    }
}

/* Rows in which all lanes are in step, to begin with. */
static int full_rows(struct replay *p) {
    struct trace_warp *warp = p->warp;
    unsigned least = warp->count[0], row = warp->next[0], start = row;
    int error = 0, consecutive;
    for (unsigned i = 0; i < WARP; i++) {
        if (warp->next[i] != row)
            return 0;
        if (warp->count[i] < least)
            least = warp->count[i];
    }
    for (; row < least && !warp->deep && !error; row++) {
        const struct trace_event_row *e = &warp->rows[row];
        unsigned kind = kind_of(e->place[0]);
        if ((kind && kind != EVENT_BACK) || !in_one_place(e, &consecutive))
            break;
        if (!kind) {
            struct trace_request r;
            trace_request_at(&r, e->place[0]);
            error = request(p->w, &r, warp->number, ~0u, e->address, consecutive);
        } else {
            back(p, ~0u, e->place[0], e->address[0]);
        }
    }
    for (unsigned i = 0; row != start && i < WARP; i++)
        warp->next[i] = row;
    return error;
}

/* The lanes that stand where this one does; 0: it cannot continue. */
static unsigned beside(const struct replay *p, unsigned lane) {
    unsigned group = 0;
    for (unsigned i = 0; i < WARP && p->at[lane] != (uint64_t)NOWHERE; i++)
        group |= (unsigned)(p->at[i] == p->at[lane] && !before(p, i, lane)) << i;
    return group;
}

/* The rows of lanes in step. They stay, as what is expected next. */
static int in_step(struct replay *p) {
    struct trace_warp *warp = p->warp;
    unsigned lanes = warp->turn == WARP ? ~0u : (1u << warp->turn) - 1;
    uint64_t last = 0;
    int error = 0;
    for (struct trace_event_row *row = warp->rows; lanes && !error && row < warp->expected; row++) {
        unsigned kind = kind_of(row->common);
        last = row->common;
        if (kind == EVENT_BACK)
            back(p, lanes, last, row->next);
        else if (!kind)
            error = trace_replay_row(p->w, warp->number, row, lanes);
        for (unsigned i = 0; kind && kind != EVENT_BACK && i < warp->turn; i++) {
            p->at[i] = last;
            mark(p, kind, i);
        }
        row->first = 0;
        if (row->base != OUT_OF_LINE)
            row->next = row->base;
        else if (kind == EVENT_BACK && row->next == OUT_OF_LINE)
            row->key = 0;
    }
    for (unsigned i = 0; i < warp->turn; i++)
        record_passed(&warp->last_block[i], last);
    warp->turn = 0;
    return error;
}

int trace_replay(struct trace_worker *w, struct trace_warp *warp, int first) {
    struct replay p = {.w = w, .warp = warp};
    if (warp->in_step)
        return in_step(&p);
    int error = full_rows(&p);
    for (unsigned i = 0; i < WARP; i++)
        look(&p, i);
    for (unsigned group; first >= 0 && !error && (group = beside(&p, (unsigned)first));)
        error = step(&p, group);
    while (!error && !(warp->runs & p.empty)) { /* else who comes next is not known yet */
        unsigned group = lowest(&p);
        if (!group)
            break;
        error = step(&p, group);
    }
    make_room(warp);
    return error;
}
