/*
 * split.c: kernels whose threads run from barrier to barrier.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include "aligned.h"
#include "functions.h"
#include "options.h"
#include "kernels.h"
#include "numbers.h"
#include "regions.h"
#include "split.h"
#include "uniform.h"
#include "vectors.h"
#include "waits.h"

enum { MOST_BYTES = 400 << 10 }; /* of a block's KEPT variables, on one stack */

static FILE *out;
static bool returns, may_be_vectors, index_is_kept;
static int begin_after; /* the token behind which the kernel asks whether to run in parts */

/* ---- The text ------------------------------------------------------------------------------ */

static int statement; /* whose tokens they are, in a loop over threads; -1: none */

/* The running thread leaves its ways up to that of statement `end`; there it has another one. */
static void put_leaving(int end, int other) {
    for (int way = statements[statement].way; way >= 0; way = statements[way].way) {
        fprintf(out, "cpu_way_%d.arm[cpu_t] = %d; ", way, way == end ? other : 0);
        if (way == end)
            break;
    }
    fprintf(out, "goto cpu_next_%d; }", statements[statement].region);
}

static void put_result_of(int call);

static void put(int first, int last) {
    for (int i = first; i <= last; i++) {
        const struct token *t = &tokens[i];
        int loop = statement < 0 ? -1 : left_by(statement, i);
        if (i > first && t->spaced)
            fputc(' ', out);
        if (is(i, "return") && statement >= 0) {
            fputs("{ cpu_gone[cpu_t] = true; ", out);
            put_leaving(-1, 0);
            i++;
        } else if (loop >= 0) {
            fputs("{ ", out);
            put_leaving(loop, is(i, "continue") ? 3 : 0);
            i++;
        } else if (warp_call_at(i) >= 0) {
            put_result_of(i);
            i = tokens[i + 1].match;
        } else {
            if (t->before)
                fputs(t->before, out);
            if (t->instead)
                fputs(t->instead, out);
            else
                fwrite(text + t->start, 1, t->length, out);
            if (t->after && !is(i, ";"))
                fputs(t->after, out);
        }
    }
    fputc(' ', out);
}

/* "meet<operation, type", of which the result is. */
static void put_types_of(int call) {
    fprintf(out, "_meet<::%s, decltype(%s", operation_of(call), join(call, call));
    put(call + 1, tokens[call + 1].match);
    fputs(")>(", out);
}
static void put_result_of(int call) {
    if (is(call, "__syncwarp")) {
        fputs("(void)0", out);
        return;
    }
    fputs("::cpu_device::from", out);
    put_types_of(call);
    fprintf(out, "cpu_value_%d[cpu_t])", warp_call_at(call));
}

static void put_line(int i, const char *flag) {
    struct place at = place_of(i);
    fprintf(out, "\n# %ld \"%.*s\"%s\n", at.line, at.name_length, at.name, flag);
}

/* The type that all declarators share ends where the first of them begins. */
static int type_end(const struct local *l) {
    return locals[statements[l->statement].locals].declarator;
}
static void put_base(const struct local *l) { put(l->base, type_end(l) - 1); }

static void put_declaration(const struct local *l) {
    put_base(l);
    put(l->declarator, l->initial >= 0 ? l->initial_end : l->end - 1);
    fputs("; ", out);
}

static void put_type(const struct local *l) {
    if (l->statement >= 0) {
        put_base(l);
        put(l->declarator, l->name - 1);
        put(l->name + 1, l->end - 1);
    } else {
        put(l->name, l->name);
    }
}

static void put_room(int k) {
    const struct local *l = &locals[k];
    if (l->statement < 0) {
        fprintf(out, "typedef decltype(%s) cpu_type_%d; ", join(l->name, l->name), k);
    } else {
        fputs("typedef typename ::std::remove_reference<", out); /* it may hide in a name */
        put_type(l);
        fprintf(out, ">::type cpu_type_%d; ", k);
    }
    fprintf(out,
            "::cpu_device::kept<cpu_type_%d> cpu_room_%d[cpu_threads], *const cpu_kept_%d = "
            "cpu_room_%d; ",
            k, k, k, k);
}

static void put_reference(int k) {
    fprintf(out, "cpu_type_%d &%s = cpu_kept_%d[cpu_t].it; ", k,
            join(locals[k].name, locals[k].name), k);
}

static void put_kept(int k) {
    const struct local *l = &locals[k];
    bool list = l->initial >= 0 && is(l->initial, "{");
    bool converted = l->initial >= 0 && !list && is(l->initial - 1, "=") && !is_plain(l);
    fprintf(out, "::new ((void *)&cpu_kept_%d[cpu_t]) ", k);
    fprintf(out, list && l->array ? "::cpu_device::held<cpu_type_%d>" : "cpu_type_%d", k);
    if (list && l->array) {
        fputs("{", out);
        put(l->initial, l->initial_end);
        fputs("}", out);
    } else if (l->initial >= 0) {
        bool bare = list || !is(l->initial - 1, "=");
        fputs(bare ? "" : "(", out);
        if (converted) /* as `=` does, not as a constructor that is called */
            fprintf(out, "::cpu_device::converted<cpu_type_%d>(", k);
        put(l->initial, l->initial_end);
        fputs(converted ? "))" : bare ? "" : ")", out);
    }
    fputs("; ", out);
    put_reference(k);
}

static int way = -1, arm; /* where the statements in hand stand */

/* Can what stands there end in an error, or call what looks at the thread's index? Not what is done
 * with numbers alone. */
static bool may_fail(int first, int last) {
    for (int i = first; i <= last; i++) {
        int k = is_use(i) ? local_of(i) : -1;
        bool number = is_number_word(i) || is_warp_function(i) ||
                      is_one_of(i, "if else for while break continue return threadIdx blockIdx "
                                   "blockDim gridDim true false ") ||
                      (is_one_of(i, "x y z ") && is(i - 1, ".")) ||
                      (k >= 0 && is_plain(&locals[k]) && !locals[k].array);
        if (is_name(i) ? !number
                       : is_one_of(i, "[ -> ") || (tokens[i].kind != PUNCTUATION && !is_literal(i)))
            return true;
        if ((is_one_of(i, "/ % ") && tokens[i + 1].kind != NUMBER) ||
            (is(i, "*") && !is_binary(i)) || (is(i, "(") && k >= 0))
            return true;
    }
    return false;
}

/* An error names the thread: its index is stored for each, though the loop itself reads none. */
static void put_threads(bool may_fail) {
    static const char noted[] = "__asm__ volatile(\"\" : : \"m\"(::threadIdx.x)); ";
    const char *index =
        index_is_kept ? "const ::uint3 &threadIdx = cpu_indices[cpu_t]" : "const ::uint3 threadIdx";
    if (way >= 0) {
        fprintf(out,
                "for (unsigned cpu_t = cpu_way_%d.from[%d], cpu_end = cpu_way_%d.to[%d]; cpu_t < "
                "cpu_end; cpu_t++) { if (cpu_way_%d.arm[cpu_t] != %d) continue; { %s = "
                "::cpu_device::index_of(cpu_t); ",
                way, arm, way, arm, way, arm, index);
        if (may_fail)
            fprintf(out, "::threadIdx = threadIdx; %s", noted);
    } else {
        fprintf(out,
                "for (unsigned cpu_z = 0, cpu_t = 0; cpu_z < blockDim.z; cpu_z++) "
                "for (unsigned cpu_y = 0; cpu_y < blockDim.y; cpu_y++) { %s"
                "for (unsigned cpu_x = 0; cpu_x < blockDim.x; cpu_x++, cpu_t++) { "
                "%s = ::uint3{cpu_x, cpu_y, cpu_z}; ",
                may_fail ? "::threadIdx.y = cpu_y; ::threadIdx.z = cpu_z; " : "", index);
        if (may_fail)
            fprintf(out, "::threadIdx.x = cpu_x; %s", noted);
    }
    if (returns)
        fputs("if (cpu_gone[cpu_t]) continue; ", out);
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

/* Does it declare static __shared__ variables? */
static bool is_shared(int s) {
    int first = statements[s].first, last = statements[s].last;
    return has_word(first, last, "__shared__") && !has_word(first, last, "extern");
}

/* What tokens use, for the loop over threads that follows. */
static void put_used(const bool *used) {
    for (int k = 0; k < local_count; k++)
        if (used[k] && locals[k].use == KEPT)
            put_reference(k);
        else if (used[k])
            put_declaration(&locals[k]);
}
static bool *new_used(void) { return calloc((size_t)local_count + 1, sizeof(bool)); }

/* An expression for each thread. */
static void put_for_all(const char *before, int first, int last, const char *after) {
    bool *used = new_used();
    mark_used(first, last, first, used);
    put_threads(true);
    put_used(used);
    fputs(before, out);
    put(first, last);
    fprintf(out, "%s } } ", after);
    free(used);
}

static bool argument_differs(int s, int n) {
    int first, last;
    return argument_of(statements[s].first, n, &first, &last) && !is_uniform(first, last);
}

/* Of a warp function: room for what its lanes hand in, and that. */
static void put_rooms_of_call(int s) {
    int call = statements[s].first;
    fprintf(out, "unsigned long long cpu_value_%d[%s]; ", s,
            is(call, "__syncwarp") ? "1" : "cpu_threads");
    for (int n = 0; n < 3; n += 2)
        fprintf(out, "unsigned cpu_given_%d_%d[%s]; ", s, n,
                argument_differs(s, n) ? "cpu_threads" : "1");
}
static void put_given(int s, int n, const char *where) {
    int first, last;
    bool is_signed = n && !strstr(operation_of(statements[s].first), "_UP") &&
                     !strstr(operation_of(statements[s].first), "_DOWN");
    fprintf(out, "cpu_given_%d_%d[%s] = (unsigned)::cpu_device::converted<%s>(", s, n, where,
            is_signed ? "int" : "unsigned");
    if (argument_of(statements[s].first, n, &first, &last))
        put(first, last);
    else
        fputs(n ? "0" : "-1", out);
    fputs("); ", out);
}
static void put_call(int s) {
    int call = statements[s].first, first, last;
    for (int n = 0; n < 3; n += 2)
        if (argument_differs(s, n))
            put_given(s, n, "cpu_t");
    if (!argument_of(call, 1, &first, &last))
        return;
    fprintf(out, "cpu_value_%d[cpu_t] = ::cpu_device::to", s);
    if (is(call, "__match_any_sync")) {
        fprintf(out, "_meet<::%s, decltype(+(", operation_of(call));
        put(first, last);
        fputs("))>(", out);
    } else if (strstr(operation_of(call), "VOTE")) {
        fprintf(out, "_meet<::%s, int>(", operation_of(call));
    } else {
        put_types_of(call);
    }
    put(first, last);
    fputs("); ", out);
}

/* Does whoever does not come there return without another cut? */
static bool is_last_cut(int s) {
    int end = statements[s].way;
    for (int k = 0; k < statement_count && end >= 0; k++)
        if ((statements[k].kind == BARRIER || statements[k].kind == WARP) &&
            statements[k].first > statements[end].last)
            return false;
    for (int k = end < 0 ? -1 : statements[end].parent; k >= 0; k = statements[k].parent)
        if (statements[k].kind >= FOR)
            return false;
    return true;
}

static void put_meeting(int s) {
    int call = statements[s].first, first, last;
    for (int n = 0; n < 3; n += 2)
        if (!argument_differs(s, n))
            put_given(s, n, "0");
    fprintf(out, "::cpu_device::meet<::%s>(cpu_threads, ::cpu_device::meeting{cpu_value_%d, %s, ",
            operation_of(call), s, returns ? "cpu_gone" : "nullptr");
    if (way < 0)
        fputs("nullptr, 0", out);
    else
        fprintf(out, "&cpu_way_%d, %d", way, arm);
    fprintf(out, ", %s, cpu_given_%d_0, cpu_given_%d_2, %d, %d, ",
            is_last_cut(s) ? "true" : "false", s, s, argument_differs(s, 0),
            argument_differs(s, 2));
    if (argument_of(call, 3, &first, &last)) {
        fputs("(unsigned)::cpu_device::converted<int>(", out);
        put(first, last);
        fputs(")", out);
    } else {
        fputs("32", out);
    }
    fputs("}); ", out);
}

static void put_thread(int region, const bool *used) {
    put_used(used);
    fputs("{ ", out);
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        if (stands_outside(s))
            continue;
        put_line(t->first, " 3");
        statement = s;
        if (t->kind == WARP)
            put_call(s);
        else if (!t->local_count)
            put(t->first, t->last);
        for (int k = t->locals; k < t->locals + t->local_count; k++)
            if (locals[k].use == KEPT)
                put_kept(k);
            else if (locals[k].use > UNIFORM)
                put_declaration(&locals[k]);
    }
    statement = -1;
    fputs("} ", out);
}

static const char unchecked[] = "__attribute__((no_sanitize(\"alignment\")))";

/* The loop without an index in ::threadIdx (vectors.h); if it fails the other one comes next. */
static void put_vectors(int region, const bool *used, bool once) {
    fprintf(
        out,
        "const auto cpu_part_%d = [=]()%s %s { "
        "for (int cpu_z = 0; cpu_z < (int)blockDim.z; cpu_z++) "
        "for (int cpu_y = 0; cpu_y < (int)blockDim.y; cpu_y++) { "
        "__asm__ volatile(\"\"); " /* no row together with another one */
        "const int cpu_row = (cpu_z * (int)blockDim.y + cpu_y) * (int)blockDim.x; "
        "for (int cpu_x = 0; cpu_x < (int)blockDim.x; cpu_x++) { const int cpu_t = cpu_row + "
        "cpu_x; const ::uint3 threadIdx = {(unsigned)cpu_x, (unsigned)cpu_y, (unsigned)cpu_z}; ",
        region, kernel_attribute, unchecked);
    put_thread(region, used);
    fprintf(out, "} } }; if (!::cpu_device::runs(cpu_part_%d, %d)) { ", region, once);
}

static void put_loop(int region, const bool *used, bool fails) {
    bool once = false;
    bool vector = fails && may_be_vectors && way < 0 && !returns && is_vector(region, &once);
    if (vector)
        put_vectors(region, used, once);
    put_threads(fails);
    put_thread(region, used);
    fprintf(out, "cpu_next_%d:; } } ", region);
    if (vector && once) /* what has failed has done some of it before */
        fprintf(out, "::cpu_device_trap(::cudaErrorIllegalAddress, \"illegal address\"); ");
    if (vector)
        fputs("} ", out);
}

static void put_region(int region) {
    bool *used = new_used(), any = false, fails = false;
    int warp = -1, first = statements[region].first;
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        mark_used(t->first, t->last, first, used);
        fails |= may_fail(t->first, t->last);
        if (t->last <= begin_after && is_shared(s))
            continue; /* the kernel's own */
        if (t->kind == WARP) {
            any = true;
            put_rooms_of_call(warp = s);
            continue;
        }
        if (stands_outside(s)) {
            put_line(t->first, " 3");
            put(t->first, t->last);
            continue;
        }
        any |= !t->local_count;
        for (int k = t->locals; k < t->locals + t->local_count; k++) {
            any |= locals[k].use >= INSIDE;
            put_line(t->first, " 3");
            if (locals[k].use < INSIDE)
                put_declaration(&locals[k]);
            else if (locals[k].use == KEPT)
                put_room(k);
        }
    }
    if (any)
        put_loop(region, used, fails);
    if (warp >= 0)
        put_meeting(warp);
    free(used);
}

static void put_statement(int s);
static void put_statements(int s);

static void put_braces(int s) {
    fputs("{ ", out);
    put_statements(statements[s].inner);
    fputs("} ", out);
}
/* Of a loop: it ends where no thread is left. */
static void put_rounds(int s) {
    fputs("{ ", out);
    if (way >= 0)
        fprintf(out, "cpu_way_%d.fit(%d); if (!cpu_way_%d.any(%d)) break; ", way, arm, way, arm);
    else if (returns)
        fputs("if (!__builtin_memchr(cpu_gone, false, cpu_threads)) return true; ", out);
    put_braces(s);
    fputs("} ", out);
}

/* An IF or a loop in which each thread goes its own way: all rounds of all threads together. */
static void put_own(int s) {
    const struct statement *t = &statements[s];
    int close = tokens[t->open].match, outer = way, outer_arm = arm, first = t->open + 1,
        last = close - 1, step = close;
    char *before = format("cpu_way_%d.set(cpu_t, (", s);
    fprintf(out, "{ ::cpu_device::choice cpu_way_%d(cpu_threads); ", s);
    if (t->kind == IF) {
        put_for_all(before, first, last, ") ? 1 : 2);");
        way = s;
        for (int a = t->inner; a >= 0; a = statements[a].next) {
            arm = a == t->inner ? 1 : 2;
            fprintf(out, "if (cpu_way_%d.any(%d)) ", s, arm);
            put_braces(a);
        }
    } else {
        if (t->kind == FOR) {
            put_statement(t->inner);
            first = statements[t->inner].last + 1;
            step = step_of(s);
            last = step - 1;
        }
        put_for_all(before, 1, 0, "true) ? 1 : 2);");
        fprintf(out,
                "for (bool cpu_first = true;; cpu_first = false) { if (!cpu_first) { "
                "cpu_way_%d.next(); ",
                s);
        way = s, arm = 1;
        if (step + 1 < close)
            put_for_all("", step + 1, close - 1, ";");
        before = format("if (%s((", t->kind == DO ? "!cpu_first && " : "");
        fputs("} ", out);
        if (first <= last)
            put_for_all(before, first, last,
                        format(") ? false : true)) cpu_way_%d.arm[cpu_t] = 0;", s));
        fprintf(out, "cpu_way_%d.fit(1); if (!cpu_way_%d.any(1)) break; ", s, s);
        put_braces(t->kind == FOR ? statements[t->inner].next : t->inner);
        fputs("} ", out);
    }
    fputs("} ", out);
    way = outer, arm = outer_arm;
}

static void put_statement(int s) {
    const struct statement *t = &statements[s];
    int close = t->kind >= IF ? tokens[t->open].match : 0;
    put_line(t->first, " 3");
    if (t->own) {
        put_own(s);
        return;
    }
    switch (t->kind) {
    case PLAIN:
    case WARP:
        put_region(s);
        break;
    case ONCE:
        if (is_jump(s) && has_word(t->first, t->last, "return"))
            put(t->first, tokens[t->first + 1].match), fputs("return true; ", out);
        else
            put(t->first, t->last);
        break;
    case BARRIER:
        break;
    case BRACES:
        put_braces(s);
        break;
    case IF:
        put(t->first, close);
        put_braces(t->inner);
        if (statements[t->inner].next >= 0) {
            fputs("else ", out);
            put_braces(statements[t->inner].next);
        }
        break;
    case FOR:
        put(t->first, close);
        put_rounds(statements[t->inner].next);
        break;
    case WHILE:
        put(t->first, close);
        put_rounds(t->inner);
        break;
    case DO:
        fputs("do ", out);
        put_rounds(t->inner);
        put(t->open - 1, close);
        fputs("; ", out);
        break;
    }
}

static void put_statements(int s) {
    for (int region = -1; s >= 0; s = statements[s].next) {
        if (statements[s].region < 0 || statements[s].region != region)
            put_statement(s);
        region = statements[s].region;
    }
}

/* `T *v(x);` and `T < n > v(x);` declare v only if T is a type. */
static bool is_ambiguous(const struct local *l) {
    return l->statement >= 0 && l->use != OUTSIDE && !l->plain_type && !l->automatic &&
           (l->pointer || l->reference || has_word(l->base, type_end(l), "<"));
}

/* A variable that is kept is a copy of bytes, and none is destroyed later than its part ends. */
static void put_proof(const struct local *l) {
    if (is_ambiguous(l)) {
        fputs(" && ::cpu_device::is_type<", out);
        put_base(l);
        fputs(">()", out);
    }
    if (is_plain(l) || l->reference || l->automatic || l->use == AGAIN || l->use < INSIDE)
        return;
    fprintf(out, " && ::%s<",
            l->use == KEPT ? "cpu_device::is_kept" : "std::is_trivially_destructible");
    fputs(l->statement < 0 ? "decltype(" : "", out);
    put_type(l);
    fputs(l->statement < 0 ? ")>::value" : ">::value", out);
    if (l->use == KEPT && l->statement >= 0) { /* a type's name may hide that it is aligned */
        fputs(" && alignof(", out);
        put_type(l);
        fputs(") <= 16", out);
    }
}

static void put_function(const struct kernel *k) {
    int parameters = k->name + 1;
    statement = way = -1;
    fprintf(out, "\n// %s: split at its barriers", join(k->name, k->name));
    put_line(k->name, " 3");
    bool aligned = keeps_alignment(parameters, tokens[k->body_end].match);
    may_be_vectors = vectors && aligned && k->template_header < 0;
    fprintf(out, "struct cpu_block { static __attribute__((noinline)) %s %s bool cpu_run",
            kernel_attribute, aligned ? unchecked : "");
    put(parameters, tokens[parameters].match);
    fputs("{ const ::uint3 blockIdx = ::blockIdx; const ::dim3 blockDim = ::blockDim, gridDim = "
          "::gridDim; const unsigned cpu_threads = blockDim.x * blockDim.y * blockDim.z; "
          "if (cpu_threads * (0",
          out);
    for (int l = 0; l < local_count; l++) {
        if (locals[l].use != KEPT)
            continue;
        fputs(" + sizeof(", out);
        put_type(&locals[l]);
        fputc(')', out);
    }
    for (int k = 0; k < statement_count; k++)
        if (statements[k].kind == WARP)
            fputs(" + 16", out);
    fprintf(out, ") > %d) return false; ", MOST_BYTES);
    for (int l = 0; l < local_count && aligned; l++)
        if (locals[l].statement < 0 && locals[l].pointer)
            fprintf(out, "if (!::cpu_device::is_aligned(%s)) return false; ",
                    join(locals[l].name, locals[l].name));
    if (returns)
        fputs("bool cpu_gone[cpu_threads]; __builtin_memset(cpu_gone, 0, cpu_threads); ", out);
    if (index_is_kept)
        fputs("::uint3 cpu_indices[cpu_threads]; ", out);
    bool given = false;
    for (int l = 0; l < local_count; l++)
        if (locals[l].use == KEPT && locals[l].statement < 0) {
            put_room(l);
            fprintf(out, "cpu_type_%d &cpu_given_%d = %s; ", l, l,
                    join(locals[l].name, locals[l].name));
            given = true;
        }
    if (given) {
        put_threads(false);
        for (int l = 0; l < local_count; l++)
            if (locals[l].use == KEPT && locals[l].statement < 0)
                fprintf(out, "::new ((void *)&cpu_kept_%d[cpu_t]) cpu_type_%d(cpu_given_%d); ", l,
                        l, l);
        fputs("} } ", out);
    }
    put_statements(statements[0].inner);
    fprintf(out, "return true; } }; if constexpr (true%s", proofs);
    for (int l = 0; l < local_count; l++)
        put_proof(&locals[l]);
    fputs(") if (::cpu_device::in_parts(cpu_block::cpu_run", out);
    for (int l = 0; l < local_count && locals[l].statement < 0; l++)
        fprintf(out, ", %s", join(locals[l].name, locals[l].name));
    fputs(")) return;", out);
}

/* ---- Which kernels ------------------------------------------------------------------------- */

/* Does a type need what the kernel itself declares? */
static bool names_own(int first, int end) {
    for (int i = first; i < end; i++) {
        if (is_one_of(i, "alignas __align__ ") || (is_use(i) && local_of(i) >= 0))
            return true;
        for (int s = 0; s < statement_count && is_name(i) && !is_one_of(i, number_types); s++)
            if (statements[s].kind == PLAIN && stands_outside(s) &&
                (has_word(statements[s].first, statements[s].last, join(i, i)) ||
                 is(statements[s].first + 1, "namespace")))
                return true;
    }
    return false;
}

/* Is the `,` at token i one between arguments? */
static bool in_call(int i, int first) {
    while (--i >= first && !(is_one_of(i, "( { [ ") && tokens[i].match > i))
        i = closes(i) ? tokens[i].match : i;
    return i >= first && is(i, "(") && (is_name(i - 1) || is(i - 1, ">")) &&
           !is_one_of(i - 1, "if ");
}

/* Is it a name from outside: of a type, of a constant, of a function that gets values alone and is
 * none of the user's? */
static bool is_pure(int i) {
    if (is_one_of(i - 1, ". ") || is_one_of(i, "threadIdx blockIdx blockDim gridDim "))
        return is_one_of(i - 2, "threadIdx blockIdx blockDim gridDim ") || !is(i - 1, ".");
    bool found = false;
    for (int k = 0; k < function_count && is(i + 1, "("); k++)
        if (same_text(functions[k].name, i)) {
            int open = functions[k].name + 1;
            if (tokens[open].origin == OF_USER || !opens(open) ||
                has_word(open, tokens[open].match, "*") || has_word(open, tokens[open].match, "&"))
                return is_our(i);
            found = true;
        }
    return (found && !is_atomic(i) && !is_one_of(i - 1, ":: ")) || is_uniform(i, i);
}

/* May what stands there have an effect, or what it calls? A call of the user's around the warp
 * function comes after it. */
static bool may_have_effects(int first, int last, int call) {
    for (int i = first; i <= last; i++) {
        int k = is_use(i) ? local_of(i) : -1;
        bool around = is(i + 1, "(") && i < call && tokens[i + 1].match > call;
        if (is_one_of(i, "{ sizeof alignof noexcept "))
            return true;
        if (is_warp_function(i) || (is(i, ",") && in_call(i, first)) || (k < 0 && around))
            continue;
        if (is_one_of(i, "-> , ") || assigns(i) ||
            (is_name(i) &&
             (k < 0 ? !is_pure(i) : is(i + 1, "(") || !(is_plain(&locals[k]) || locals[k].array))))
            return true;
    }
    return false;
}

/* A warp function is done before all else in its statement: may that have to come first? What is
 * assigned comes before where to. */
static bool comes_second(int s) {
    int first = statements[s].open, call = statements[s].first, equals = first;
    int last = is(first, "if") ? call : statement_end(first, token_count - 1);
    first += is(first, "if") ? 2 + is(first + 1, "constexpr") : 0;
    while (equals < last && !assigns(equals))
        equals = opens(equals) ? tokens[equals].match + 1 : equals + 1;
    /* What its arguments change, a value before it must not be. */
    for (int i = call > equals ? equals + 1 : first; i < call; i++)
        if (is_name(i) && !is_number_word(i) && !is_warp_function(i) &&
            may_have_effects(call, tokens[call + 1].match, -1))
            return true;
    if (equals >= last)
        return may_have_effects(first, call - 1, call);
    equals += !is(equals, "=") && !is_one_of(equals, "<<= >>= ");
    return (call < equals && may_have_effects(first, call - 1, call)) ||
           may_have_effects(equals + 1, call < equals ? last : call - 1, call);
}

static const char *cannot_keep(int *because) {
    for (int s = 0, first, last; s < statement_count; s++) {
        *because = statements[s].first;
        if (statements[s].kind == WARP && argument_of(*because, 3, &first, &last) &&
            !is_uniform(first, last))
            return "a shuffle whose width may differ between threads";
        if (statements[s].kind == WARP && comes_second(s))
            return "a warp function beside what may have to be done first";
    }
    for (int k = 0; k < local_count; k++) {
        const struct local *l = &locals[k];
        *because = l->name;
        bool own = l->statement >= 0 &&
                   (names_own(l->base, type_end(l)) || names_own(l->declarator, l->name) ||
                    names_own(l->name + 1, l->end));
        if ((l->use == INSIDE && !l->reference && !is_plain(l) && (own || l->automatic)) ||
            (is_ambiguous(l) && names_own(l->base, type_end(l))))
            return "a variable of a type that only the compiler knows";
        for (int i = l->initial; l->use == OUTSIDE && i >= 0 && i <= l->initial_end; i++)
            if (local_of(i) >= 0 && locals[local_of(i)].use > UNIFORM)
                return "a constant that is found by what each thread has";
        if (l->use != KEPT)
            continue;
        for (int i = l->end; i <= l->scope_last; i++)
            if (is(i, "case") && local_of(i + 1) == k)
                return "a constant of an unusual kind";
        if (l->reference)
            return "a reference is used after a barrier";
        if (l->automatic)
            return "a variable of type auto is used after a barrier";
        if (l->array && has_word(l->name, l->end, "[") && is(l->name + 1, "[") &&
            is(l->name + 2, "]"))
            return "an array without a size is used after a barrier";
        if (l->initial >= 0 && tokens[l->initial].kind == TEXT && l->array)
            return "a text is used after a barrier";
        if (own)
            return "a type that is declared in the kernel is used after a barrier";
    }
    return NULL;
}

/* May one thread do it twice? Numbers may be declared, from others and from what is loaded. */
static bool may_be_repeated(int s) {
    const struct statement *t = &statements[s];
    for (int k = t->locals; k < t->locals + t->local_count; k++) {
        if (!is_plain(&locals[k]))
            return false;
        for (int i = locals[k].initial; i >= 0 && i <= locals[k].initial_end; i++) {
            int n = is_use(i) ? local_of(i) : -1;
            bool part = is(i - 1, ".") && is_one_of(i - 2, "threadIdx blockIdx blockDim gridDim ");
            if (is_name(i) && !part && !is(i, "threadIdx") &&
                !(n >= 0 ? is_plain(&locals[n]) && !is(i + 1, "(") : is_uniform(i, i)))
                return false;
            if (is(i, "[") ? !is(i - 1, "]") && local_of(i - 1) < 0
                           : is_one_of(i, "= { -> ") || shift(i, "+") || shift(i, "-"))
                return false;
        }
    }
    return t->local_count || stands_outside(s);
}

/* Both ways to run a kernel use the same __shared__ variables: it begins when these are known. */
static const char *find_begin(int open, int *because) {
    bool repeated = true;
    int close = tokens[open].match;
    begin_after = open;
    for (int s = statements[0].inner; s >= 0; s = statements[s].next) {
        *because = statements[s].first;
        if (!is_shared(s)) {
            repeated &= may_be_repeated(s);
            continue;
        }
        if (statements[s].kind != PLAIN || !statements[s].local_count)
            return "a __shared__ variable within braces";
        if (!repeated)
            return "a __shared__ variable after what is not done twice";
        begin_after = statements[s].last;
    }
    *because = close;
    return NULL;
}

/* One without cuts is split, into one part, where no access needs to be looked at for alignment. */
static const char *split(struct kernel *k, bool has_cuts, bool plain, int *because) {
    int open = tokens[k->body_end].match, parameters = k->name + 1;
    const char *why = NULL;
    if (!opens(parameters) || !is_one_of(k->name - 1, "void ) "))
        return "a kernel that is declared in an unusual way";
    if (waits_unnamed)
        return "the file has a lambda, an operator or a pointer in which threads may wait";
    int all = read_statements(parameters, open, because, &why);
    if (all < 0)
        return why;
    if (!has_cuts && !keeps_alignment(parameters, open))
        return "addresses may be misaligned";
    if (!find_uniform(k->template_header, open, because))
        return "a barrier under a condition that may differ between threads";
    *because = k->name;
    if (!(plain ? has_plain_classes : has_numbers_alone)(parameters, tokens[open].match))
        return plain ? "a class of a library" : "the file has classes with a meaning of their own";
    find_regions();
    if ((why = cannot_keep(because)) || (why = find_begin(open, because)))
        return why;
    returns = false;
    for (int s = 0; s < statement_count; s++)
        returns |= statements[s].kind == PLAIN &&
                   has_word(statements[s].first, statements[s].last + 1, "return");
    index_is_kept = false;
    for (int i = open; i < tokens[open].match && has_cuts; i++)
        index_is_kept |= is(i, "threadIdx") && is_handed_on(i, i + 2 * is(i + 1, "."));
    put_function(k);
    return NULL;
}

void split_kernels(void) {
    find_waits();
    const bool plain = file_is_plain();
    const char *foreign = built_ins_are_ours() ? NULL : "a name of the language is declared";
    for (int i = 0; i < kernel_count; i++) {
        struct kernel *k = &kernels[i];
        if (k->body_end < 0 || tokens[k->name].origin != OF_USER)
            continue;
        bool cuts = has_cut(tokens[k->body_end].match, k->body_end);
        int because = k->name;
        char *s;
        size_t length;
        out = open_memstream(&s, &length);
        const char *why = !out ? "no memory" : foreign ? foreign : split(k, cuts, plain, &because);
        if (why && cuts) {
            begin_after = tokens[k->body_end].match;
            fprintf(out, "\n// %s: not split, line %ld: %s", join(k->name, k->name),
                    place_of(because).line, why);
        }
        put_line(begin_after, "");
        fclose(out);
        if (!why || cuts)
            append(&tokens[begin_after].after, s);
        k->split = !why;
        if (k->split) /* it is seldom called for each thread: once is enough */
            append(&tokens[k->name - 1].after, " __attribute__((noinline))");
    }
}
