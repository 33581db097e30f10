/*
 * parts.c: the text of cpu_run(), in which a block's threads run from cut to cut (split.c), and of
 * the proofs by the compiler that this kernel may run so.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include "functions.h"
#include "options.h"
#include "split.h"
#include "uniform.h"

/* Their lines fit into one set of a cache, though of three arrays. */
enum { ROUNDS = 4 };
enum { MOST_BYTES = 400 << 10 }; /* of a block's KEPT variables, on one stack */

/* An error names the thread: its index is stored for each, though the loop itself reads none. */
static void put_threads(struct writer *w) {
    static const char noted[] = "__asm__ volatile(\"\" : : \"m\"(::threadIdx.x)); ";
    const char *index = w->index_is_kept ? "const ::uint3 &threadIdx = cpu_indices[cpu_t]"
                                         : "const ::uint3 threadIdx";
    if (w->way >= 0) {
        fprintf(w->out,
                "for (unsigned cpu_t = cpu_way_%d.from[%d], cpu_end = cpu_way_%d.to[%d]; cpu_t < "
                "cpu_end; cpu_t++) { if (cpu_way_%d.arm[cpu_t] != %d) continue; { %s = "
                "::cpu_device::index_of(cpu_t); ::threadIdx = threadIdx; %s",
                w->way, w->arm, w->way, w->arm, w->way, w->arm, index, noted);
    } else {
        fprintf(w->out,
                "for (unsigned cpu_z = 0, cpu_t = 0; cpu_z < blockDim.z; cpu_z++) "
                "for (unsigned cpu_y = 0; cpu_y < blockDim.y; cpu_y++) { "
                "::threadIdx.y = cpu_y; ::threadIdx.z = cpu_z; "
                "for (unsigned cpu_x = 0; cpu_x < blockDim.x; cpu_x++, cpu_t++) { "
                "%s = ::uint3{cpu_x, cpu_y, cpu_z}; ::threadIdx.x = cpu_x; %s",
                index, noted);
    }
    if (w->returns)
        fputs("if (cpu_gone[cpu_t]) continue; ", w->out);
}

/* Marks what a region uses of what is declared elsewhere; to compute it again, likewise. */
static void mark_used(int first, int last, int before, bool *used) {
    for (int i = first; i <= last; i++) {
        int k = is_use(i) ? local_of(i) : -1;
        if (k < 0 || used[k] || (locals[k].name >= before && locals[k].statement >= 0) ||
            (locals[k].use != AGAIN && locals[k].use != KEPT))
            continue;
        used[k] = true;
        if (locals[k].use == AGAIN)
            mark_used(locals[k].initial, locals[k].initial_end, before, used);
    }
}

/* What tokens use, for the loop over threads that follows. */
static void put_used(struct writer *w, const bool *used) {
    for (int k = 0; k < local_count; k++)
        if (used[k] && locals[k].use == KEPT)
            put_reference(w, k);
        else if (used[k])
            put_declaration(w, &locals[k]);
}
static bool *new_used(void) { return calloc((size_t)local_count + 1, sizeof(bool)); }

/* An expression for each thread. */
static void put_for_all(struct writer *w, const char *before, int first, int last,
                        const char *after) {
    bool *used = new_used();
    mark_used(first, last, first, used);
    put_threads(w);
    put_used(w, used);
    fputs(before, w->out);
    put(w, first, last);
    fprintf(w->out, "%s } } ", after);
    free(used);
}
static void put_thread(struct writer *w, int region, const bool *used) {
    put_used(w, used);
    fputs("{ ", w->out);
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        if (stands_outside(s))
            continue;
        put_line(w, t->first, " 3");
        w->statement = s;
        if (t->kind == WARP)
            put_call(w, s);
        else if (!t->local_count)
            put(w, t->first, t->last);
        for (int k = t->locals; k < t->locals + t->local_count; k++)
            if (locals[k].use == KEPT)
                put_kept(w, k);
            else if (locals[k].use > UNIFORM)
                put_declaration(w, &locals[k]);
    }
    w->statement = -1;
    fputs("} ", w->out);
}

static const char unchecked[] = "__attribute__((no_sanitize(\"alignment\")))";

/* The loop without an index in ::threadIdx (vectors.c); if it fails the other one comes next. */
static void put_vectors(struct writer *w, int region, const bool *used) {
    fprintf(
        w->out,
        "const auto cpu_part_%d = [=]()%s %s { "
        "for (int cpu_z = 0; cpu_z < (int)blockDim.z; cpu_z++) "
        "for (int cpu_y = 0; cpu_y < (int)blockDim.y; cpu_y++) { "
        "__asm__ volatile(\"\"); " /* no row together with another one */
        "const int cpu_row = (cpu_z * (int)blockDim.y + cpu_y) * (int)blockDim.x; "
        "for (int cpu_x = 0; cpu_x < (int)blockDim.x; cpu_x++) { const int cpu_t = cpu_row + "
        "cpu_x; const ::uint3 threadIdx = {(unsigned)cpu_x, (unsigned)cpu_y, (unsigned)cpu_z}; ",
        region, kernel_attribute, unchecked);
    put_thread(w, region, used);
    fprintf(w->out, "} } }; if (!::cpu_device::runs(cpu_part_%d)) { ", region);
}

static void put_loop(struct writer *w, int region, const bool *used) {
    bool vector = w->may_be_vectors && w->way < 0 && !w->returns && is_vector(region);
    if (vector)
        put_vectors(w, region, used);
    put_threads(w);
    put_thread(w, region, used);
    fprintf(w->out, "cpu_next_%d:; } } ", region);
    if (vector) /* what has failed has done some of it before */
        fputs("::cpu_device_trap(::cudaErrorIllegalAddress, \"illegal address\"); } ", w->out);
}

static void put_region(struct writer *w, int region) {
    bool *used = new_used(), any = false;
    int warp = -1, first = statements[region].first;
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        mark_used(t->first, t->last, first, used);
        if (t->last <= w->begin_after && declares_shared(s))
            continue; /* the kernel's own */
        if (t->kind == WARP) {
            any = true;
            put_rooms_of_call(w, warp = s);
            continue;
        }
        if (stands_outside(s)) {
            put_line(w, t->first, " 3");
            put(w, t->first, t->last);
            continue;
        }
        any |= !t->local_count;
        for (int k = t->locals; k < t->locals + t->local_count; k++) {
            any |= locals[k].use >= INSIDE;
            put_line(w, t->first, " 3");
            if (locals[k].use < INSIDE)
                put_declaration(w, &locals[k]);
            else if (locals[k].use == KEPT)
                put_room(w, k);
        }
    }
    if (any)
        put_loop(w, region, used);
    if (warp >= 0)
        put_meeting(w, warp);
    free(used);
}

static void put_statement(struct writer *w, int s);
static void put_statements(struct writer *w, int s);

static void put_braces(struct writer *w, int s) {
    fputs("{ ", w->out);
    put_statements(w, statements[s].inner);
    fputs("} ", w->out);
}
/* Of a loop: it ends where no thread is left. */
static void put_rounds(struct writer *w, int s) {
    fputs("{ ", w->out);
    if (w->way >= 0)
        fprintf(w->out, "cpu_way_%d.fit(%d); if (!cpu_way_%d.any(%d)) break; ", w->way, w->arm,
                w->way, w->arm);
    else if (w->returns)
        fputs("if (!__builtin_memchr(cpu_gone, false, cpu_threads)) return true; ", w->out);
    put_braces(w, s);
    fputs("} ", w->out);
}

static void put_condition(struct writer *w, int s) {
    const struct statement *t = &statements[s];
    if (t->kind == FOR)
        put(w, statements[t->inner].last + 1, step_of(s) - 1);
    else
        put(w, t->open + 1, tokens[t->open].match - 1);
}

/* Of a loop of strides.c: one thread's rounds, all of them or some. */
static void put_rounds_of(struct writer *w, int s, bool all) {
    const struct statement *t = &statements[s];
    int close = tokens[t->open].match;
    if (all) {
        fputs("for (cpu_round = 0; ", w->out);
        put_condition(w, s);
    } else {
        fputs("bool cpu_goes = !cpu_first || (", w->out);
        put_condition(w, s);
        fputs("); for (cpu_round = 0; cpu_goes && cpu_round < cpu_most", w->out);
    }
    fputs("; cpu_round++) { ", w->out);
    put_line(w, close + 1, " 3");
    fputs("{ ", w->out); /* what the body declares is its own */
    put(w, close + 1, t->last);
    fputs("}", w->out);
    put_line(w, t->first, " 3");
    if (t->kind == FOR)
        put(w, step_of(s) + 1, close - 1), fputs("; ", w->out);
    if (!all)
        fputs("cpu_goes = (", w->out), put_condition(w, s), fputs("); ", w->out);
    fputs("} ", w->out);
}

/* A thread that makes many rounds is the last one to make all of its own at once: those after it
 * make a few and come again, until only a few go on. */
static void put_strided(struct writer *w, int s) {
    const struct statement *begin = &statements[statements[s].inner];
    bool *used = new_used(), counts = statements[s].kind == FOR && begin->local_count;
    const int k = begin->locals;
    const char *name = counts ? join(locals[k].name, locals[k].name) : "";
    if (statements[s].kind == FOR && !counts && begin->first < begin->last)
        put_statement(w, statements[s].inner);
    mark_used(statements[s].first, statements[s].last, statements[s].first, used);
    fputs("{ ", w->out);
    if (counts)
        put_room(w, k);
    fprintf(w->out, "bool cpu_waits[cpu_threads]; unsigned cpu_from = 0, cpu_going, cpu_round; ");
    put_threads(w);
    put_used(w, used);
    if (counts) {
        fprintf(w->out, "cpu_type_%d %s = ", k, name);
        put(w, locals[k].initial, locals[k].initial_end);
        fputs("; ", w->out);
    }
    put_rounds_of(w, s, true);
    fprintf(w->out,
            "if (cpu_round > %d) { cpu_from = cpu_t + 1; goto cpu_turns_%d; } } } "
            "goto cpu_past_%d; cpu_turns_%d: cpu_going = cpu_threads; "
            "for (bool cpu_first = true; cpu_going; cpu_first = false) { "
            "const unsigned cpu_most = cpu_going < cpu_threads / 4 ? ~0u : %d; cpu_going = 0; ",
            ROUNDS, s, s, s, ROUNDS);
    put_threads(w);
    fputs("if (cpu_t < cpu_from || !(cpu_first || cpu_waits[cpu_t])) continue; ", w->out);
    put_used(w, used);
    if (counts) {
        fprintf(w->out, "cpu_type_%d %s = cpu_kept_%d[cpu_t].it; if (cpu_first) %s = ", k, name, k,
                name);
        put(w, locals[k].initial, locals[k].initial_end);
        fputs("; ", w->out);
    }
    put_rounds_of(w, s, false);
    fputs("if ((cpu_waits[cpu_t] = cpu_goes)) { cpu_going++; ", w->out);
    if (counts)
        fprintf(w->out, "cpu_kept_%d[cpu_t].it = %s; ", k, name);
    fprintf(w->out, "} } } } cpu_past_%d:; } ", s);
    free(used);
}

/* An IF or a loop in which each thread goes its own way: all rounds of all threads together. */
static void put_own(struct writer *w, int s) {
    const struct statement *t = &statements[s];
    int close = tokens[t->open].match, outer = w->way, outer_arm = w->arm, first = t->open + 1,
        last = close - 1, step = close;
    char *before = format("cpu_way_%d.set(cpu_t, (", s);
    fprintf(w->out, "{ ::cpu_device::choice cpu_way_%d(cpu_threads); ", s);
    if (t->kind == IF) {
        put_for_all(w, before, first, last, ") ? 1 : 2);");
        w->way = s;
        for (int a = t->inner; a >= 0; a = statements[a].next) {
            w->arm = a == t->inner ? 1 : 2;
            fprintf(w->out, "if (cpu_way_%d.any(%d)) ", s, w->arm);
            put_braces(w, a);
        }
    } else {
        if (t->kind == FOR) {
            put_statement(w, t->inner);
            first = statements[t->inner].last + 1;
            step = step_of(s);
            last = step - 1;
        }
        put_for_all(w, before, 1, 0, "true) ? 1 : 2);");
        fprintf(w->out,
                "for (bool cpu_first = true;; cpu_first = false) { if (!cpu_first) { "
                "cpu_way_%d.next(); ",
                s);
        w->way = s, w->arm = 1;
        if (step + 1 < close)
            put_for_all(w, "", step + 1, close - 1, ";");
        before = format("if (%s((", t->kind == DO ? "!cpu_first && " : "");
        fputs("} ", w->out);
        if (first <= last)
            put_for_all(w, before, first, last,
                        format(") ? false : true)) cpu_way_%d.arm[cpu_t] = 0;", s));
        fprintf(w->out, "cpu_way_%d.fit(1); if (!cpu_way_%d.any(1)) break; ", s, s);
        put_braces(w, t->kind == FOR ? statements[t->inner].next : t->inner);
        fputs("} ", w->out);
    }
    fputs("} ", w->out);
    w->way = outer, w->arm = outer_arm;
}

static void put_statement(struct writer *w, int s) {
    const struct statement *t = &statements[s];
    int close = t->kind >= IF ? tokens[t->open].match : 0;
    put_line(w, t->first, " 3");
    if (t->own) {
        (t->strided ? put_strided : put_own)(w, s);
        return;
    }
    switch (t->kind) {
    case PLAIN:
    case WARP:
        put_region(w, s);
        break;
    case ONCE:
        if (is_jump(s) && has_word(t->first, t->last, "return"))
            put(w, t->first, tokens[t->first + 1].match), fputs("return true; ", w->out);
        else
            put(w, t->first, t->last);
        break;
    case BARRIER:
        break;
    case BRACES:
        put_braces(w, s);
        break;
    case IF:
        put(w, t->first, close);
        put_braces(w, t->inner);
        if (statements[t->inner].next >= 0) {
            fputs("else ", w->out);
            put_braces(w, statements[t->inner].next);
        }
        break;
    case FOR:
        put(w, t->first, close);
        put_rounds(w, statements[t->inner].next);
        break;
    case WHILE:
        put(w, t->first, close);
        put_rounds(w, t->inner);
        break;
    case DO:
        fputs("do ", w->out);
        put_rounds(w, t->inner);
        put(w, t->open - 1, close);
        fputs("; ", w->out);
        break;
    }
}

static void put_statements(struct writer *w, int s) {
    for (int region = -1; s >= 0; s = statements[s].next) {
        if (statements[s].region < 0 || statements[s].region != region)
            put_statement(w, s);
        region = statements[s].region;
    }
}

static void put_claim(struct writer *w, const char *claim, const struct local *l) {
    fprintf(w->out, " && %s<%s", claim, l->statement < 0 ? "decltype(" : "");
    put_type(w, l);
    fputs(l->statement < 0 ? ")>" : ">", w->out);
}

/* A variable that is kept is a copy of bytes, and none is destroyed later than its part ends. */
static void put_proof(struct writer *w, const struct local *l) {
    if (is_ambiguous(l)) {
        fputs(" && ::cpu_device::is_type<", w->out);
        put_base(w, l);
        fputs(">()", w->out);
    }
    if (is_plain(l) || l->reference || l->automatic || l->use == AGAIN || l->use < INSIDE)
        return;
    put_claim(w, l->use == KEPT ? "::cpu_device::is_kept" : "::cpu_device::is_dropped", l);
    if (l->use == KEPT && is_converted(l))
        put_claim(w, names_class(l) ? "::cpu_device::is_object" : "!::cpu_device::is_object", l);
    if (l->use == KEPT && l->statement >= 0) { /* a type's name may hide that it is aligned */
        fputs(" && alignof(", w->out);
        put_type(w, l);
        fputs(") <= 16", w->out);
    }
}

void put_function(struct writer *w, const struct kernel *k) {
    int parameters = k->name + 1;
    w->statement = w->way = -1;
    fprintf(w->out, "\n// %s: split at its barriers", join(k->name, k->name));
    put_line(w, k->name, " 3");
    bool aligned = keeps_alignment(parameters, tokens[k->body_end].match);
    w->may_be_vectors = vectors && aligned && k->template_header < 0;
    fprintf(w->out, "struct cpu_block { static __attribute__((noinline)) %s %s bool cpu_run",
            kernel_attribute, aligned ? unchecked : "");
    put(w, parameters, tokens[parameters].match);
    fputs("{ const ::uint3 blockIdx = ::blockIdx; const ::dim3 blockDim = ::blockDim, gridDim = "
          "::gridDim; const unsigned cpu_threads = blockDim.x * blockDim.y * blockDim.z; "
          "if (cpu_threads * (0",
          w->out);
    for (int l = 0; l < local_count; l++) {
        if (locals[l].use != KEPT)
            continue;
        fputs(" + sizeof(", w->out);
        put_type(w, &locals[l]);
        fputc(')', w->out);
    }
    for (int k = 0; k < statement_count; k++)
        if (statements[k].kind == WARP)
            fputs(" + 16", w->out);
    fprintf(w->out, ") > %d) return false; ", MOST_BYTES);
    for (int l = 0; l < local_count && aligned; l++)
        if (locals[l].statement < 0 && locals[l].pointer)
            fprintf(w->out, "if (!::cpu_device::is_aligned(%s)) return false; ",
                    join(locals[l].name, locals[l].name));
    if (w->returns)
        fputs("bool cpu_gone[cpu_threads]; __builtin_memset(cpu_gone, 0, cpu_threads); ", w->out);
    if (w->index_is_kept)
        fputs("::uint3 cpu_indices[cpu_threads]; ", w->out);
    for (int l = 0; l < local_count; l++)
        if (locals[l].use == KEPT && locals[l].statement < 0) {
            put_room(w, l);
            fprintf(w->out,
                    "for (unsigned cpu_t = 0; cpu_t < cpu_threads; cpu_t++) "
                    "::new ((void *)&cpu_kept_%d[cpu_t]) cpu_type_%d(%s); ",
                    l, l, join(locals[l].name, locals[l].name));
        }
    put_statements(w, statements[0].inner);
    fprintf(w->out, "return true; } }; if constexpr (true%s", proofs);
    for (int l = 0; l < local_count; l++)
        put_proof(w, &locals[l]);
    fputs(") if (::cpu_device::in_parts(cpu_block::cpu_run", w->out);
    for (int l = 0; l < local_count && locals[l].statement < 0; l++)
        fprintf(w->out, ", %s", join(locals[l].name, locals[l].name));
    fputs(")) return;", w->out);
}
