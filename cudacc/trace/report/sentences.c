/*
 * sentences.c: what was found in a launch, in words, when it has ended.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include <string.h>

/* A finding on its way to become two sentences: what at which line; in which block, to what. */
struct sentence {
    const struct finding *f;
    const struct trace_launch *launch;
    const struct site *site, *other_site;
    const void *pc, *other; /* of the first and the second line */
    int is_near;            /* pc is not the place itself */
    struct trace_source source, other_source;
    char block[64], thread[64], other_block[64], other_thread[64];
    char memory[700];
    const char *name; /* of that memory */
    const char *turn; /* RACE: when the second access comes, after the first one; or NULL */
    char first[TEXT], second[TEXT];
    const void *from, *to; /* between these two a barrier would help */
    char likewise[TEXT];   /* the lines of further findings with that cause */
};

/* In which order findings are told; TOLD: with another one. */
enum { FIRST, CONSEQUENCE, NOTE, ENDS, TOLD };

static enum error_kind kind_of(const struct finding *f) {
    return f->is_note ? f->kind | A_NOTE : f->kind;
}

/* Is the place in the C library or the runtime, or not known at all? Then `near`, which the thread
 * has passed before, says more. */
static int is_elsewhere(const void *pc, const void *near) {
    struct trace_source source = trace_source_find(pc);
    if (!near)
        return 0;
    return !trace_same_object(pc, near) || (source.line && trace_source_is_ours(&source)) ||
           (!source.line && trace_source_find(near).line);
}

/* In a loop that was unrolled no thread jumps back. But behind the barrier a line from before it
 * stands there once more, after one from behind it: which access is that? 0: neither. */
static unsigned comes_once_more(const struct finding *f) {
    unsigned late = f->site, early = f->other_site;
    if (trace_site_of(late)->pc < trace_site_of(early)->pc)
        late = f->other_site, early = f->site;
    struct trace_source l = trace_source_find(trace_site_of(late)->pc);
    struct trace_source e = trace_source_find(trace_site_of(early)->pc);
    struct trace_source b = trace_source_find(f->turn.since);
    int one_function = *b.function && !strcmp(l.function, b.function) &&
                       !strcmp(e.function, b.function) && !l.inlined && !e.inlined && !b.inlined;
    int behind = (const char *)trace_site_of(early)->pc > (const char *)f->turn.since;
    return one_function && behind && l.line && l.line < b.line && b.line < e.line ? late : 0;
}

/* When the second access comes, if that is a turn of a loop after the first one's; the two are put
 * in this order. Else NULL. */
static const char *in_turns(struct finding *f) {
    if (!f->turn.since)
        return NULL;
    unsigned late = f->turn.first ? f->site + f->other_site - f->turn.first : comes_once_more(f);
    if (!late)
        return NULL;
    if (late == f->site) {
        unsigned thread = f->thread;
        f->site = f->other_site, f->other_site = late;
        f->thread = f->other_thread, f->other_thread = thread;
    }
    return f->turn.often ? "in a later turn of the loop" : "in the next turn of the loop";
}

/* Does one line store from several threads? */
static int is_one_store(const struct sentence *t) {
    return t->site->op == TRACE_STORE && t->other_site->op == TRACE_STORE &&
           same_line(t->source, t->other_source);
}

/* And does it read there what it changes, as x += 1 does? Then what it reads and what it stores are
 * counted in rows of one line and one memory. */
static int is_update(const struct sentence *t) {
    const struct trace_row *rows = t->launch->rows;
    const struct trace_row *store = LIST_FIND(rows, r, r->pc == t->site->pc);
    return is_one_store(t) && store &&
           LIST_FIND(rows, r,
                     r->op == TRACE_LOAD && r->allocation == store->allocation &&
                         r->variable == store->variable && r->bytes == store->bytes &&
                         same_line(trace_source_find(r->pc), t->source));
}

static const char *what_lacks(const struct sentence *t) {
    enum scope scope = trace_finding_scope(t->f);
    if (scope == BETWEEN_BLOCKS && t->site->op == TRACE_ATOMIC && t->other_site->op == TRACE_ATOMIC)
        return "an atomic function whose name ends in _block is one for the threads of a block";
    if (scope == BETWEEN_BLOCKS)
        return "nothing orders two blocks of a launch but atomics with __threadfence()";
    if (t->f->has_lock)
        return "a lock orders nothing without __threadfence() after it is taken and before it is "
               "given back";
    return scope == BETWEEN_WARPS
               ? "no __syncthreads() lies between"
               : "the same warp: no __syncwarp() or __syncthreads() lies between";
}

static void not_waited_for(struct sentence *t, unsigned copy) {
    text_add(t->second, "; the copy that begins at %s has not been committed and waited for",
             trace_place(trace_site_of(copy)->pc));
}

static void race(struct sentence *t) {
    const struct finding *f = t->f;
    const struct site *s = t->site, *o = t->other_site;
    add_access(t->first, s, t->pc);
    text_add(t->first, "%s ", t->turn ? ", then" : " and");
    add_access(t->first, o, t->other);
    if (t->turn)
        text_add(t->first, " %s", t->turn);
    if (f->block == f->other_block && f->thread == f->other_thread) /* its own copy */
        text_add(t->second, "block %s, thread %s: ", t->block, t->thread);
    else if (f->block == f->other_block)
        text_add(t->second, "block %s, threads %s and %s: ", t->block, t->thread, t->other_thread);
    else
        text_add(t->second, "block %s, thread %s, and block %s, thread %s: ", t->block, t->thread,
                 t->other_block, t->other_thread);
    text_add(t->second, "%s", t->memory);
    if (f->copy) {
        not_waited_for(t, f->copy);
        return;
    }
    if (!is_one_store(t) || t->turn || f->has_lock || f->block != f->other_block)
        text_add(t->second, "; %s", what_lacks(t));
    if (f->is_note)
        text_add(t->second, "; both store the same constant; let one thread do it, or use "
                            "atomicOr() or atomicExch()");
    else if (is_update(t))
        text_add(t->second, "; if both should count, use atomicAdd() or a related function");
    else if (is_one_store(t))
        text_add(t->second, "; one of the two is lost; if they are the same, let one thread do "
                            "it; if both should count, use atomicAdd() or a related function");
}

static void barrier(struct sentence *t) {
    const struct finding *f = t->f;
    text_add(t->first, "__syncthreads() at %s", trace_place(t->pc));
    text_add(t->second, "block %s: %u %s there, thread %s first; ", t->block, f->count,
             f->count == 1 ? "thread waits" : "threads wait", t->thread);
    if (t->other)
        text_add(t->second, "%u wait at %s, thread %s first", f->count_2, trace_place(t->other),
                 t->other_thread);
    else if (*f->text)
        text_add(t->second, "%s", f->text);
    else
        text_add(t->second, "%u have returned, thread %s first", f->count_2, t->other_thread);
}

static void warp(struct sentence *t) {
    const struct finding *f = t->f;
    text_add(t->first, "%s() at %s", f->function, trace_place(t->pc));
    if (f->other_function)
        text_add(t->first, ", %s() at %s", f->other_function, trace_place(t->other));
    text_add(t->second, "block %s, thread%s %s", t->block, t->other ? "s" : "", t->thread);
    if (t->other)
        text_add(t->second, " and %s", t->other_thread);
    text_add(t->second, ": %s", f->text);
    if (t->other && !f->other_function)
        text_add(t->second, " %s", trace_place(t->other));
}

static void died(struct sentence *t) {
    text_add(t->first, "%s", t->f->text);
    if (t->pc)
        text_add(t->first, " %s %s", t->is_near ? "near" : "at", trace_place(t->pc));
    text_add(t->second, "block %s, thread %s: ", t->block, t->thread);
    if (*t->name)
        text_add(t->second, "%s", t->memory);
    else
        text_add(t->second, "error %d, %s", t->f->error,
                 cudaGetErrorString((cudaError_t)t->f->error));
}

/* Is the shared variable declared in a kernel that has been launched, but not in this one? */
struct owner {
    const char *kernel;
    int found;
};
static void look_for_owner(const struct trace_launch *l, unsigned first, unsigned times,
                           void *data) {
    struct owner *o = data;
    (void)first, (void)times;
    o->found |= strcmp(l->kernel, o->kernel) == 0;
}
static int of_another_kernel(const struct finding *f, const struct trace_launch *l) {
    struct owner o = {f->function, 0};
    if (f->space == TRACE_SHARED && f->function && strcmp(f->function, l->kernel) != 0)
        trace_launches_each(look_for_owner, &o);
    return o.found;
}

/* An index that is not the thread's number in the grid, nor near it. */
static void add_far(struct sentence *t) {
    const unsigned *grid = t->launch->grid, *block = t->launch->block;
    long number = (long)(t->f->block * block[0] + t->f->thread), threads = (long)grid[0] * block[0];
    if (grid[1] * grid[2] * block[1] * block[2] == 1 &&
        index_of_address(t->launch, t->f->address) >= number + threads)
        text_add(t->second,
                 "; far from the thread's number, %ld: what computes it goes too far, or overflows",
                 number);
}

/* Why not. */
static void not_written(struct sentence *t, const struct trace_allocation *a) {
    const struct finding *f = t->f;
    if (f->other_site)
        not_waited_for(t, f->other_site);
    else if (of_another_kernel(f, t->launch))
        text_add(t->second,
                 "; it is kernel %s's, and this address has been kept: shared memory ends with its "
                 "block",
                 f->function);
    else
        text_add(t->second,
                 f->space == TRACE_SHARED ? "; no thread of the block has written it"
                 : a && a->set
                     ? "; the only copy to it was of fewer bytes: is its size that of the "
                       "elements, not of bytes?"
                     : "; no copy, memset or kernel has written it");
}

static void access(struct sentence *t) {
    const struct finding *f = t->f;
    const struct site *s = t->site;
    add_access(t->first, s, t->pc);
    text_add(t->second, "block %s, thread %s", t->block, t->thread);
    if (f->count > 1)
        text_add(t->second, " and %u more of its warp", f->count - 1);
    if (f->kind == MISALIGNED)
        text_add(t->second, ": the address must be a multiple of %u; it is %s%s", s->bytes,
                 t->memory, f->is_texel ? "; the x of a surface counts bytes" : "");
    else if (*f->text && f->space == TRACE_GLOBAL)
        text_add(t->second, ": %s", f->text);
    else
        text_add(t->second, ": %s", t->memory);
    const struct trace_allocation *a = trace_nearest(f->address);
    if (f->kind == OUT_OF_BOUNDS && f->space == TRACE_GLOBAL && !*f->text && a &&
        !trace_distance(a, (const char *)f->address))
        text_add(t->second, "; the access ends %zu bytes past that",
                 f->address + s->bytes - (uintptr_t)(a->base + a->bytes));
    if (f->kind == OUT_OF_BOUNDS && f->space == TRACE_GLOBAL && !*f->text && *t->name)
        add_far(t);
    if (f->address < cpu_device.page && f->space == TRACE_GLOBAL) {
        char names[700];
        trace_argument_names(t->launch->kernel, t->launch->arguments, NULL, ", ", names,
                             sizeof names);
        if (*names)
            text_add(t->second, ", as was given for %s", names);
    }
    if (f->kind == NOT_WRITTEN)
        not_written(t, a);
}

/* Both in the kernel itself, or in what is inlined into it, and in the order of the source: of what
 * is inlined that is not known. */
static int is_further_on(struct trace_source a, struct trace_source b) {
    return strcmp(a.function, b.function) == 0 && (a.inlined || b.inlined || a.line < b.line);
}

/* 0: there is nothing to say. */
static int find_lines(struct sentence *t) {
    const struct finding *f = t->f;
    t->site = trace_site_of(f->site);
    t->other_site = trace_site_of(f->other_site);
    t->pc = f->pc ? f->pc : t->site->pc;
    t->other = f->other_pc ? f->other_pc : f->other_site ? t->other_site->pc : NULL;
    t->source = trace_source_find(t->pc);
    t->other_source = (struct trace_source){.file = "", .path = "", .function = ""};
    t->is_near = f->kind == DIED && is_elsewhere(t->pc, t->other);
    if (t->is_near)
        t->source = trace_source_find(t->pc = t->other);
    else if (t->other && f->kind != DIED)
        t->other_source = trace_source_find(t->other);
    if (f->kind == BARRIER && t->other && t->source.line && same_line(t->source, t->other_source))
        return 0; /* the compiler has doubled the barrier */
    if (f->kind == WARP_MISUSED && !f->other_function && t->other > t->pc &&
        !is_further_on(t->source, t->other_source))
        return 0;
    return 1;
}

static void find_memory(struct sentence *t) {
    const struct finding *f = t->f;
    t->name = "";
    if (f->space == TRACE_SHARED)
        place_in_shared(t->memory, sizeof t->memory, f, &t->name);
    else if (f->kind == DIED ? cpu_device_memory_ours((void *)f->address)
                             : f->kind != BARRIER && f->kind != WARP_MISUSED)
        place_of_address(t->memory, sizeof t->memory, t->launch, f->address, &t->name);
}

/* Beside an atomic, a load in a line whose value another thread, or another call, has given to a
 * compare-and-swap. */
static int only_looks(const struct sentence *t) {
    int is_first = t->site->op == TRACE_LOAD, looks = 0;
    const struct site *load = is_first ? t->site : t->other_site;
    struct trace_source source = is_first ? t->source : t->other_source;
    int meets = load->op == TRACE_LOAD && (is_first ? t->other_site : t->site)->op == TRACE_ATOMIC;
    for (unsigned i = 1; i < SITES && meets && !looks; i++) {
        const struct site *s = trace_site_of(i);
        looks = s->is_compared &&
                (s == load || (source.line && same_line(trace_source_find(s->pc), source)));
    }
    return looks;
}

/* Finds what a finding is about; 0: there is nothing to say. */
static int understand(struct sentence *t, struct finding *f, const struct trace_launch *l) {
    *t = (struct sentence){.launch = l, .f = f};
    if (f->kind == RACE)
        t->turn = in_turns(f);
    if (!find_lines(t) || (f->kind == RACE && only_looks(t)))
        return 0;
    place_in_grid(t->block, f->block, l->grid, 0);
    place_in_grid(t->thread, f->thread, l->block, 0);
    place_in_grid(t->other_block, f->other_block, l->grid, 0);
    place_in_grid(t->other_thread, f->other_thread, l->block, 0);
    find_memory(t);
    t->from = t->pc < t->other ? t->pc : t->other;
    t->to = t->pc < t->other ? t->other : t->pc;
    return 1;
}

/* Puts it into words, and into the file; 0: it has been before. */
static int say(struct sentence *t) {
    const struct finding *f = t->f;
    const struct trace_launch *l = t->launch;
    char detail[TEXT] = "", block[64], thread[64];
    if (printed_before(kind_of(f), l->kernel, t->source, t->other_source, t->name))
        return 0;
    (f->kind == RACE           ? race
     : f->kind == BARRIER      ? barrier
     : f->kind == WARP_MISUSED ? warp
     : f->kind == DIED         ? died
                               : access)(t);
    text_add(detail, "%s; %s", t->first, t->second);
    print_error_csv(kind_of(f), l->kernel, place_in_grid(block, f->block, l->grid, 1),
                    place_in_grid(thread, f->thread, l->block, 1), t->source.file, t->source.line,
                    t->name, detail);
    return 1;
}

/* Would one barrier, or one change, do for what t tells and for n, too? */
static int has_that_cause(struct sentence *t, const struct sentence *n) {
    const struct finding *f = t->f, *g = n->f;
    enum scope scope = trace_finding_scope(f);
    if (kind_of(f) != kind_of(g))
        return 0;
    if (f->kind == BARRIER) /* threads have returned: they come to the next ones no more */
        return f->block == g->block && f->count_2 == g->count_2 && !t->other && !n->other;
    int is_other = scope != trace_finding_scope(g); /* a barrier between warps is one within them */
    if (f->kind != RACE || f->has_lock != g->has_lock || is_one_store(t) || is_one_store(n) ||
        !t->turn != !n->turn || !f->copy != !g->copy || (is_other && scope != BETWEEN_WARPS))
        return 0;
    if (scope == BETWEEN_BLOCKS)
        return strcmp(t->name, n->name) == 0;
    if (scope == WITHIN_WARP || t->turn)
        return f->turn.since == g->turn.since || !t->turn;
    /* Code between the two accesses of each. */
    if (n->from > t->to || n->to < t->from)
        return 0;
    t->from = n->from > t->from ? n->from : t->from;
    t->to = n->to < t->to ? n->to : t->to;
    return 1;
}

static void add_lines(struct sentence *t, const struct sentence *n) {
    const char *comma = *t->likewise ? ", " : "";
    if (n->f->kind == BARRIER)
        text_add(t->likewise, "%s%s", comma, trace_place(n->pc));
    else
        text_add(t->likewise, "%s(%d, %d)", comma, n->source.line, n->other_source.line);
}

/* All that is told of a launch, in order; `last`: of blocks before that. */
static void tell(struct finding *list, unsigned count, const struct trace_launch *l) {
    static struct sentence sentence, further; /* large; one launch at a time */
    struct sentence *t = &sentence, *n = &further;
    for (unsigned i = 0; i < count; i++) {
        char more[6 * TEXT] = "";
        if (list[i].rank == TOLD || !understand(t, &list[i], l) || !say(t))
            continue;
        for (unsigned k = i + 1; k < count; k++)
            if (list[k].kind == list[i].kind && list[k].rank != TOLD &&
                understand(n, &list[k], l) && has_that_cause(t, n)) {
                list[k].rank = TOLD;
                if (say(n))
                    add_lines(t, n);
            }
        snprintf(more, sizeof more, "    kernel %s, launch %u, %s\n%s%s%s", l->kernel, l->number,
                 t->second,
                 !*t->likewise           ? ""
                 : t->f->kind == BARRIER ? "    likewise at "
                                         : "    likewise the pairs of lines ",
                 t->likewise, *t->likewise ? "\n" : "");
        print_error(kind_of(t->f), l->kernel, t->first, more);
    }
}

/* ---- Order ------------------------------------------------------------------------------- */

/* What other threads have stored may decide where a thread goes: a race may be why a barrier is not
 * reached that comes later, also in the next turn of a loop. Notes come last, but for what ends the
 * kernel. */
static void rank(struct finding *list, unsigned count) {
    int comes_back = 0;
    for (unsigned i = 0; i < count; i++)
        comes_back |= list[i].kind == BARRIER && list[i].turn.often;
    for (unsigned i = 0; i < count; i++) {
        struct finding *f = &list[i];
        f->rank = f->error ? ENDS : f->is_note ? NOTE : FIRST;
        for (unsigned k = 0; k < count && f->kind == BARRIER && f->rank == FIRST; k++)
            if (list[k].kind == RACE && !list[k].is_note && list[k].epoch <= f->epoch &&
                trace_site_of(list[k].other_site)->op == TRACE_LOAD &&
                (comes_back || trace_site_of(list[k].other_site)->pc < f->pc))
                f->rank = CONSEQUENCE;
    }
}

static int by_rank(const void *a, const void *b) {
    const struct finding *x = a, *y = b;
    /* What several threads do to one place by one store is no matter of a barrier. */
    int order = x->rank - y->rank
                    ?: trace_compare(trace_finding_scope(x), trace_finding_scope(y))
                    ?: (y->site && y->site == y->other_site) - (x->site && x->site == x->other_site)
                    ?: trace_finding_compare(x, y);
    const struct site *s = trace_site_of(x->site), *o = trace_site_of(y->site);
    return order ?: trace_compare((uintptr_t)s->pc, (uintptr_t)o->pc); /* numbers vary with time */
}

void report_findings(const struct trace_launch *l) {
    const struct finding *end = NULL; /* the error that ended the kernel */
    unsigned of_launch, kept = 0;
    struct finding *list = trace_findings_take(l, &of_launch);
    if (!list)
        return;
    rank(list, of_launch);
    qsort(list, of_launch, sizeof *list, by_rank);
    const void **pcs = calloc(3 * of_launch + 1, sizeof *pcs);
    size_t count = 0;
    for (unsigned i = 0; pcs && i < of_launch; i++) {
        const struct finding *f = &list[i];
        if (f->error && !end)
            end = f;
        pcs[count++] = f->pc ? f->pc : trace_site_of(f->site)->pc;
        if (f->other_pc || f->other_site)
            pcs[count++] = f->other_pc ? f->other_pc : trace_site_of(f->other_site)->pc;
        if (f->turn.since)
            pcs[count++] = f->turn.since;
    }
    if (pcs)
        trace_sources_look_up(pcs, count);
    free(pcs);
    if (end) /* not that of the worker which was faster */
        atomic_store(&cpu_device.lost, end->error);
    /* What a kernel died of may be a consequence of what its block did before. */
    unsigned long long last = end ? end->position + (end->kind == DIED) : 0;
    for (unsigned i = 0; i < of_launch; i++)
        if (!end || &list[i] == end || (list[i].position < last && !list[i].error))
            list[kept++] = list[i];
    fflush(stdout);
    WITH_LOCK(report_saying);
    tell(list, kept, l);
    free(list);
}

/* ---- Host code --------------------------------------------------------------------------- */

void report_on_host(enum error_kind kind, const struct site *s, uintptr_t address,
                    const char *remark) {
    static __thread const void *told_pc[64];
    char memory[700], access[TEXT] = "";
    const char *name;
    const void **p = told_pc;
    while (p < told_pc + 64 && *p && *p != s->pc)
        p++;
    if (p < told_pc + 64 && !*p) {
        *p = s->pc;
        place_of_address(memory, sizeof memory, &(struct trace_launch){.kernel = ""}, address,
                         &name);
        add_access(access, s, s->pc);
        print_host_error(kind, s->pc, name, "%s: %s; %s", access, memory, remark);
    }
}
