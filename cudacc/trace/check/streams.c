/*
 * streams.c: do operations of different streams, or one of them and the host, use the same bytes
 * with nothing to order them?
 *
 * The host and each stream count what they do. Each operation has a clock: how far, of each of
 * them, all is done before it begins. Clocks are known when the operation is queued, since its
 * waits are (queue.c); only what the functions of the host in streams see and do comes later. Each
 * line of memory knows its last few users, byte by byte; two of them, of which one writes, race
 * where neither is in the other's clock. It does not matter which one happened to be first.
 *
 * Once the host has waited for all that is queued, everything before comes before everything after,
 * and it begins anew. So it does after a volatile access of the host to memory that kernels use,
 * too: what kernels and the host pass to each other so is not followed. Where there is too much to
 * remember, all counts as in order until then. So what is reported has no order, but not all of
 * that is reported.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/streams.h"
#include "trace/check/access.h"
#include "trace/check/findings.h"
#include "runtime/queue.h"
#include <string.h>

enum { HOST, ACTORS = 64, OPERATIONS = 1 << 12, UNORDERED = 256 };

struct operation_order {
    uint32_t id, before; /* before: the id of the one before it in its stream */
    unsigned long number;
    unsigned actor;
    const char *what; /* its kernel, or the call; NULL: not known, or several */
    int is_several, is_launch;
    uint32_t nodes, node_count; /* of a graph: the id of its first node; 0: it is none */
    uint32_t graph;             /* of a node: its graph's id; else 0 */
    uint32_t clock[ACTORS];     /* its own entry: itself */
};

atomic_int trace_unwaited;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation_order table[OPERATIONS]; /* by id */
static uint32_t next_id = 1, first_id = 1;       /* those before first_id are in order */
static int given_up;                             /* there are too many */
static unsigned actors = HOST + 1;
static struct {
    unsigned long long stream;
    uint32_t last, count; /* its last operation */
} actor[ACTORS];
static uint32_t host[ACTORS] = {1};    /* the host's clock */
static uint32_t host_id;               /* since it last queued or waited; 0: nothing yet */
static uint32_t seen_by_hosts[ACTORS]; /* by functions of the host in streams, together */
static atomic_int several;             /* streams have been made */
static __thread uint32_t running;      /* on a stream's thread: what it runs */
static __thread int launching;         /* on a host thread: a launch comes */

static struct operation_order *find(uint32_t id) {
    struct operation_order *o = &table[id % OPERATIONS];
    return id >= first_id && o->id == id ? o : NULL;
}

static void join(uint32_t *clock, const uint32_t *other) {
    for (unsigned i = 0; i < ACTORS; i++)
        if (other[i] > clock[i])
            clock[i] = other[i];
}

/* Everything so far comes before everything from here on. */
static void begin_anew(void) {
    first_id = next_id;
    given_up = 0;
    actors = HOST + 1;
    host_id = 0;
    memset(actor, 0, sizeof actor);
    memset(host, 0, sizeof host);
    memset(seen_by_hosts, 0, sizeof seen_by_hosts);
    host[HOST] = 1;
    trace_unwaited = 0;
}

static struct operation_order *new_operation(unsigned of) {
    uint32_t id = next_id;
    if (id - first_id == OPERATIONS) {
        given_up = 1;
        return NULL;
    }
    struct operation_order *o = &table[id % OPERATIONS];
    *o = (struct operation_order){.id = id, .actor = of};
    memcpy(o->clock, host, sizeof host);
    next_id++;
    return o;
}

/* ---- What is queued, and who waits -------------------------------------------------------- */

void trace_streams_created(void) { several = 1; }
void trace_streams_launch(void) { launching = 1; }

static unsigned actor_of(unsigned long long stream) {
    unsigned i = HOST + 1;
    while (i < actors && actor[i].stream != stream)
        i++;
    return i;
}

static struct operation_order *operation_of(unsigned long long stream, unsigned long number) {
    unsigned a = actor_of(stream);
    struct operation_order *o = a < actors ? find(actor[a].last) : NULL;
    while (o && o->number > number)
        o = find(o->before);
    return o;
}

void trace_streams_put(unsigned long long stream, unsigned long number) {
    WITH_LOCK(lock);
    unsigned a = actor_of(stream);
    if (a == ACTORS)
        given_up = 1;
    struct operation_order *o = given_up ? NULL : new_operation(a);
    if (o) {
        actors += a == actors;
        actor[a].stream = stream;
        const struct operation_order *last = find(actor[a].last);
        if (last)
            join(o->clock, last->clock);
        o->before = actor[a].last;
        o->number = number;
        o->is_launch = launching;
        o->clock[a] = ++actor[a].count;
        actor[a].last = o->id;
        host[HOST]++; /* what the host does from here on is not before it */
        host_id = 0;
    }
    launching = 0;
    trace_unwaited = !given_up;
}

void trace_streams_after(unsigned long long stream, unsigned long number, unsigned long long other,
                         unsigned long other_number) {
    WITH_LOCK(lock);
    struct operation_order *o = operation_of(stream, number);
    const struct operation_order *p = operation_of(other, other_number);
    if (o && p)
        join(o->clock, p->clock);
}

/* Nodes that come one after another can share a made-up stream: a node gets the first one, of those
 * that this stream's graphs have so far, whose work it all comes after. ACTORS: none is free. */
static unsigned actor_of_node(unsigned long long stream, const struct operation_order *n) {
    enum { MADE_UP = 63, LANE = 48 };
    for (unsigned long long lane = 0;; lane++) {
        unsigned long long id = 1ull << MADE_UP | lane << LANE | stream;
        unsigned a = actor_of(id);
        if (a == actors && a < ACTORS) {
            actors++;
            actor[a].stream = id;
        }
        if (a == ACTORS || n->clock[a] >= actor[a].count)
            return a;
    }
}

/* The work of a graph is that of its nodes, which its edges alone put in order; the graph itself
 * comes after all of them. */
void trace_streams_graph(unsigned long long stream, unsigned long number, unsigned nodes,
                         const unsigned (*pairs)[2], size_t pair_count) {
    WITH_LOCK(lock);
    struct operation_order *o = given_up ? NULL : operation_of(stream, number);
    uint32_t all[ACTORS] = {0}, first = next_id;
    unsigned i = 0;
    for (size_t pair = 0; o && i < nodes; i++) {
        struct operation_order *n = new_operation(HOST);
        if (!n)
            break;
        memcpy(n->clock, o->clock, sizeof n->clock);
        n->graph = o->id;
        for (; pair < pair_count && pairs[pair][1] == i; pair++)
            join(n->clock, find(first + pairs[pair][0])->clock);
        n->actor = actor_of_node(stream, n);
        if (n->actor == ACTORS) {
            given_up = 1;
            break;
        }
        n->clock[n->actor] = ++actor[n->actor].count;
        actor[n->actor].last = n->id;
        join(all, n->clock);
    }
    if (o && i == nodes && nodes) {
        o->nodes = first;
        o->node_count = nodes;
    }
    if (o)
        join(o->clock, all);
}

void trace_streams_node(unsigned node) {
    WITH_LOCK(lock);
    struct operation_order *o = find(running);
    if (o && o->graph)
        o = find(o->graph);
    if (o && node < o->node_count) {
        running = o->nodes + node;
        if ((o = find(running)))
            join(o->clock, seen_by_hosts);
    }
}

void trace_streams_host_after(unsigned long long stream, unsigned long number) {
    WITH_LOCK(lock);
    const struct operation_order *o = operation_of(stream, number);
    if (o) {
        join(host, o->clock);
        host_id = 0;
    }
    unsigned a = HOST + 1;
    while (a < actors && host[a] >= actor[a].count)
        a++;
    if (a == actors && (trace_unwaited || given_up))
        begin_anew();
}

void trace_streams_begins(unsigned long long stream, unsigned long number) {
    WITH_LOCK(lock);
    struct operation_order *o = operation_of(stream, number);
    running = o && o->number == number ? o->id : 0;
    if (running)
        join(o->clock, seen_by_hosts);
}

/* It may tell the host, by a variable, that it runs, and wait for the host. */
void trace_streams_host_function(int has_ended) {
    WITH_LOCK(lock);
    const struct operation_order *o = find(running);
    if (o) {
        join(host, o->clock);
        host_id = 0;
        if (has_ended) {
            join(seen_by_hosts, host);
            host[HOST]++;
        }
    }
}

/* ---- Users of a line ---------------------------------------------------------------------- */

uint32_t trace_streams_now(const char *what) {
    struct operation_order *o = find(running);
    if (!o)
        return 0;
    if (o->what && o->what != what && strcmp(o->what, what) != 0)
        o->is_several = 1;
    o->what = o->is_several ? NULL : what;
    return running;
}

int trace_streams_watch(const struct shadow *s, uint32_t operation) {
    return operation >= first_id && (several || s->is_of_host || s->given);
}

/* Is either before the other? */
static int in_order(const struct operation_order *a, const struct operation_order *b) {
    return b->clock[a->actor] >= a->clock[a->actor] || a->clock[b->actor] >= b->clock[b->actor];
}

static struct trace_allocation *near_or_constant(const void *p) {
    const struct trace_allocation *c = trace_constant(p);
    return (struct trace_allocation *)(c && !trace_distance(c, p) ? c : trace_allocation_near(p));
}

static struct trace_allocation *allocation_at(const void *p, size_t bytes) {
    struct trace_allocation *a = near_or_constant(p);
    size_t offset = a ? (size_t)((const char *)p - a->base) : 0;
    return a && !a->freed && offset < a->bytes && bytes <= a->bytes - offset ? a : NULL;
}

static struct unordered unordered[UNORDERED];
static unsigned unordered_count;

/* Does the call itself wait until its work is done? */
static int ends_done(const struct operation_order *o) {
    return o->what &&
           (strncmp(o->what, "cudaMemcpy", 10) == 0 || strncmp(o->what, "cudaMemset", 10) == 0) &&
           !strstr(o->what, "Async");
}

static void add_unordered(const struct operation_order *a, unsigned site,
                          const struct operation_order *b, unsigned other, uintptr_t address,
                          int is_free) {
    if (atomic_load(&cpu_device.lost) || (a->actor == HOST && ends_done(b)) ||
        (b->actor == HOST && ends_done(a)))
        return;
    struct unordered n = {{{site, a->what, a->actor == HOST}, {other, b->what, b->actor == HOST}},
                          is_free,
                          a->graph && a->graph == b->graph,
                          near_or_constant((void *)address)};
    WITH_LOCK(lock);
    unsigned i = 0;
    while (i < unordered_count && memcmp(&unordered[i], &n, sizeof n) != 0)
        i++;
    if (i == unordered_count && i < UNORDERED)
        unordered[unordered_count++] = n;
}

/* The slot to overwrite: a free one, else one that n comes after in all, else the oldest. */
static struct use *room_for(struct line_uses *l, const struct use *n,
                            const struct operation_order *o) {
    struct use *known = NULL;
    for (struct use *u = l->use; u < l->use + LAST_USES; u++) {
        const struct operation_order *p = find(u->id);
        if (!p)
            return u;
        if (!(u->bytes & ~n->bytes) && u->class == n->class &&
            o->clock[p->actor] >= p->clock[p->actor])
            known = u;
    }
    return known ? known : &l->use[l->next++ % LAST_USES];
}

static void add_use(struct line_uses *l, uintptr_t line, const struct use *n) {
    const struct operation_order *o = find(n->id);
    struct use *mine = NULL;
    if (!o)
        return;
    lock_line(&l->lock);
    for (struct use *u = l->use; u < l->use + LAST_USES; u++) {
        bytes128 both = u->bytes & n->bytes;
        if (u->id == n->id) {
            if (u->site == n->site && u->class == n->class && u->flags == n->flags)
                mine = u;
            continue;
        }
        const struct operation_order *p = both && !agree(u->class, n->class) ? find(u->id) : NULL;
        if (p && !(u->flags && n->flags) && !in_order(o, p))
            add_unordered(o, n->site, p, u->site, line * LINE + first_byte(both), 0);
    }
    if (mine)
        mine->bytes |= n->bytes;
    else
        *room_for(l, n, o) = *n;
    unlock_line(&l->lock);
}

void trace_streams_used(struct shadow *s, uintptr_t line, bytes128 bytes, uint32_t operation,
                        unsigned class, unsigned site, int flags) {
    struct line_uses *uses = trace_shadow_uses(s);
    struct use n = {operation, (uint16_t)site, (uint8_t) class, (uint8_t)flags, bytes};
    const struct operation_order *o = find(operation), *given = find(s->given);
    if (o && given && !in_order(o, given))
        add_unordered(given, s->given_site, o, site, line * LINE + first_byte(bytes), 0);
    if (uses)
        add_use(&uses[line - s->first], line, &n);
}

/* Of the host, or by a call: [p, p + bytes), within a. */
static void used_range(struct trace_allocation *a, const void *p, size_t bytes, uint32_t id,
                       enum trace_op op, unsigned site) {
    struct shadow *s = trace_shadow_of(a);
    if (!s || !bytes || !trace_streams_watch(s, id))
        return;
    uintptr_t start = (uintptr_t)p, end = start + bytes;
    for (uintptr_t line = start / LINE; line * LINE < end; line++)
        trace_streams_used(s, line, bytes_of_line(line, start, end), id,
                           op == TRACE_LOAD ? READ : WRITE, site, 0);
}

void trace_streams_called(struct api_call call, const void *p, size_t bytes, enum trace_op op) {
    uint32_t id = trace_streams_now(call.name);
    struct trace_allocation *a = id ? allocation_at(p, bytes) : NULL;
    if (a)
        used_range(a, p, bytes, id, op, trace_site(call.pc, op, 0));
}

/* Of a constant, by a kernel: most threads read the same. */
void trace_streams_constant(struct trace_allocation *a, const void *p, size_t bytes, uint32_t id,
                            unsigned site) {
    enum { KNOWN = 64 };
    static __thread struct {
        const void *p;
        uint32_t id;
        unsigned site;
    } known[KNOWN];
    unsigned h = (uintptr_t)p / 4 % KNOWN;
    if (!id || !several || (known[h].p == p && known[h].id == id && known[h].site == site))
        return;
    known[h].p = p;
    known[h].id = id;
    known[h].site = site;
    used_range(a, p, bytes, id, TRACE_LOAD, site);
}

/* Those uses of it so far that nothing orders with this operation; 0: there are none. */
static int meet_uses(const struct trace_allocation *a, const struct operation_order *o,
                     unsigned site, int is_free) {
    const struct shadow *s = a->shadow;
    const struct line_uses *uses = o && s ? s->uses : NULL;
    int met = 0;
    for (size_t i = 0; uses && i < s->lines; i++)
        for (const struct use *u = uses[i].use; u < uses[i].use + LAST_USES; u++) {
            const struct operation_order *p = find(u->id);
            if (p && p != o && p->actor != HOST && !in_order(o, p)) {
                add_unordered(p, u->site, o, site, (uintptr_t)a->base, is_free);
                met = 1;
            }
        }
    return met;
}

/* All that has used it must come before; so must the call that gave it. */
void trace_streams_freed(struct trace_allocation *a, struct api_call call) {
    const struct operation_order *o = find(trace_streams_now(call.name));
    const struct operation_order *given = a->shadow ? find(a->shadow->given) : NULL;
    unsigned site = o ? trace_site(call.pc, TRACE_STORE, 0) : 0;
    if (!meet_uses(a, o, site, 1) && o && given && !in_order(o, given))
        add_unordered(given, a->shadow->given_site, o, site, (uintptr_t)a->base, 1);
}

void trace_streams_host_frees(struct trace_allocation *a, struct api_call call) {
    pthread_mutex_lock(&lock);
    struct operation_order *o = given_up ? find(host_id) : new_operation(HOST);
    host_id = 0;
    pthread_mutex_unlock(&lock);
    if (!o)
        return;
    o->what = call.name;
    meet_uses(a, o, trace_site(call.pc, TRACE_STORE, 0), 1);
}

/* In the order of a stream: all that uses it must come after. */
void trace_streams_given(const void *base, struct api_call call) {
    struct operation_order *o = find(trace_streams_now(call.name));
    struct trace_allocation *a = o ? allocation_at(base, 1) : NULL;
    struct shadow *s = a ? trace_shadow_of(a) : NULL;
    if (!s)
        return;
    s->given_site = trace_site(call.pc, TRACE_STORE, 0);
    __atomic_store_n(&s->given, o->id, __ATOMIC_RELEASE);
    meet_uses(a, o, s->given_site, 0);
}

/* ---- The host ----------------------------------------------------------------------------- */

/* A launch that the host has not waited for; NULL: there is none. With the lock held. */
static const struct operation_order *unwaited_launch(void) {
    for (uint32_t id = first_id; id < next_id; id++) {
        const struct operation_order *o = find(id);
        if (o && o->is_launch && host[o->actor] < o->clock[o->actor])
            return o;
    }
    return NULL;
}

void trace_streams_host(const void *p, size_t bytes, enum trace_op op, const void *pc,
                        int is_volatile) {
    struct trace_allocation *a = trace_allocation_known((uintptr_t)p);
    /* In a function of the host: what is queued comes after it in its stream, or may wait. */
    if (!a || (a->kind != MEMORY_MANAGED && a->kind != MEMORY_PINNED) ||
        (in_host_function && !is_volatile))
        return;
    pthread_mutex_lock(&lock);
    int excluded = cpu_device.one_at_a_time && !atomic_load(&cpu_device.attaches) &&
                   a->kind == MEMORY_MANAGED && !atomic_load(&cpu_device.lost) && unwaited_launch();
    const struct operation_order *o = NULL;
    if (is_volatile)
        begin_anew();
    else if (!host_id && !given_up)
        o = new_operation(HOST);
    uint32_t id = host_id = o ? o->id : host_id;
    pthread_mutex_unlock(&lock);
    if (excluded) {
        struct site s = {pc, op, (unsigned)bytes};
        trace_reporter->on_host(DEVICE_POINTER, &s, (uintptr_t)p,
                                "a kernel may still run, and without concurrent managed access "
                                "the host must wait for all of them first");
        return;
    }
    size_t room = a->bytes - (size_t)((const char *)p - a->base);
    if (id)
        used_range(a, p, bytes < room ? bytes : room, id, op, trace_site(pc, op, (unsigned)bytes));
}

struct unordered *trace_streams_unordered(unsigned *count) {
    *count = unordered_count;
    return unordered;
}
