/*
 * race_conflicts.c: words whose users, of several blocks, do not agree. Of each class the list has
 * the two smallest and the two largest users, by block: what orders a block with the others depends
 * on when it ran.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"

enum { CLASSES = 4, CONFLICTS = 1 << 16 };
static const unsigned class_of[CLASSES] = {WRITE, READ, SYNC, VOLATILE_READ};
struct conflict {
    uintptr_t address;
    union access user[CLASSES][4]; /* the largest have their block inverted: the largest first */
};
static struct address_table conflicts = {.bytes = sizeof(struct conflict), .most = CONFLICTS};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards them */

/* Both of one block. The one that disagrees with more of the others speaks for both. */
static union access merged(union access a, union access b) {
    unsigned classes = a.class | b.class;
    unsigned worst = classes & WRITE  ? WRITE
                     : classes & SYNC ? SYNC
                     : classes & READ ? READ
                                      : VOLATILE_READ;
    union access first = a.all < b.all ? a : b, second = a.all < b.all ? b : a;
    union access speaks = first.class & worst ? first : second;
    speaks.class = classes;
    return speaks;
}

/* Keeps the two lowest. For the second, one that stores another value than the first is better. */
static void put_in_order(union access *a, union access *b, union access k) {
    if (!a->all || k.all < a->all) {
        union access first = k;
        k = *a, *a = first;
    }
    int k_same = trace_same_constant(a->site, k.site),
        b_same = trace_same_constant(a->site, b->site);
    if (k.all && (!b->all || (k_same != b_same ? b_same : k.all < b->all)))
        *b = k;
}

void trace_two_smallest(union access *a, union access *b, union access k) {
    if (a->all && a->block == k.block)
        *a = merged(*a, k);
    else if (b->all && b->block == k.block)
        *b = merged(*b, k);
    else
        put_in_order(a, b, k);
}

uint64_t trace_conflict_add(uintptr_t address, union access k) {
    if (!k.all)
        return UNDECIDED;
    WITH_LOCK(lock);
    struct conflict *c = trace_address_add(&conflicts, address);
    if (!c)
        return 0;
    for (unsigned i = 0; i < CLASSES; i++)
        if (k.class & class_of[i]) {
            union access user = k;
            user.class = class_of[i];
            trace_two_smallest(&c->user[i][0], &c->user[i][1], user);
            user.block = ~user.block;
            trace_two_smallest(&c->user[i][2], &c->user[i][3], user);
        }
    const union access *of_all = c->user[0];
    int is_two = of_all[1].all && !trace_same_constant(of_all[0].site, of_all[1].site);
    return is_two ? of_all[1].block : UNDECIDED;
}

void trace_conflict_copy(uintptr_t to, uintptr_t from) {
    WITH_LOCK(lock);
    const struct conflict *c = trace_address_add(&conflicts, from);
    struct conflict users;
    if (c) {
        users = *c; /* the list may move */
        users.address = to;
        struct conflict *copy = trace_address_add(&conflicts, to);
        if (copy)
            *copy = users;
    }
}

/* Are x and y of different blocks, and has nothing put them in order? Tells them; 0: not so, or it
 * is but a note. */
static int judge_pair(const struct trace_launch *launch, uintptr_t address, union access x,
                      union access y) {
    if (!x.all || !y.all || x.block == y.block || trace_order_between(x, y))
        return 0;
    const struct site *s = trace_site_of(x.site), *o = trace_site_of(y.site);
    struct finding f = {.kind = RACE,
                        .is_note =
                            trace_same_constant(x.site, y.site) && !s->is_mixed && !o->is_mixed,
                        .space = TRACE_GLOBAL,
                        .launch = launch,
                        .position = x.block > y.block ? x.block : y.block,
                        .block = x.block,
                        .other_block = y.block,
                        .thread = x.thread,
                        .other_thread = y.thread,
                        .site = x.site,
                        .other_site = y.site,
                        .address = address};
    trace_found(&f);
    return !f.is_note;
}

/* One of the four users of a class; none, if it is one of the first two once more. */
static union access user_at(const union access *of_class, unsigned i) {
    union access u = of_class[i];
    if (i < 2 || !u.all)
        return u;
    u.block = ~u.block;
    return of_class[1].all && u.block > of_class[1].block ? u : (union access){.all = 0};
}

/* Tells the first pair of users that disagree and that nothing has put in order. */
static void judge(const struct trace_launch *launch, const struct conflict *c) {
    static const uint8_t disagree[][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {2, 1}}; /* class_of */
    for (unsigned i = 0; i < sizeof disagree / sizeof disagree[0]; i++) {
        const union access *x = c->user[disagree[i][0]], *y = c->user[disagree[i][1]];
        for (unsigned k = 0; k < 16; k++) /* those of the smallest first */
            if (judge_pair(launch, c->address, user_at(x, (k >> 1 & 1) | (k >> 2 & 2)),
                           user_at(y, (k & 1) | (k >> 1 & 2))))
                return;
    }
}

void trace_conflicts_tell(const struct trace_launch *launch, int abandoned) {
    for (uint32_t i = 0; !abandoned && i < conflicts.count; i++)
        judge(launch, (const struct conflict *)conflicts.entry + i);
    trace_address_clear(&conflicts);
}
