/*
 * split.c: kernels whose threads run from barrier to barrier.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include "aligned.h"
#include "kernels.h"
#include "options.h"
#include "regions.h"
#include "split.h"
#include "uniform.h"
#include "waits.h"

enum { MOST_BYTES = 400 << 10 }; /* of a block's KEPT variables, on one stack */

static FILE *out;
static bool returns;
static int begin_after; /* the token behind which the kernel asks whether to run in parts */

/* ---- The text ------------------------------------------------------------------------------ */

static void put(int first, int last, int region) {
    for (int i = first; i <= last; i++) {
        const struct token *t = &tokens[i];
        if (i > first && t->spaced)
            fputc(' ', out);
        if (is(i, "return") && region >= 0) {
            fprintf(out, "{ cpu_gone[cpu_t] = true; goto cpu_next_%d; }", region);
            i++;
            continue;
        }
        if (t->before)
            fputs(t->before, out);
        if (t->instead)
            fputs(t->instead, out);
        else
            fwrite(text + t->start, 1, t->length, out);
        if (t->after && !is(i, ";"))
            fputs(t->after, out);
    }
    fputc(' ', out);
}

static void put_line(int i, const char *flag) {
    struct place at = place_of(i);
    fprintf(out, "\n# %ld \"%.*s\"%s\n", at.line, at.name_length, at.name, flag);
}

/* The type that all declarators share ends where the first of them begins. */
static int type_end(const struct local *l) {
    return locals[statements[l->statement].locals].declarator;
}
static void put_base(const struct local *l) { put(l->base, type_end(l) - 1, -1); }

static void put_declaration(const struct local *l) {
    put_base(l);
    put(l->declarator, l->initial >= 0 ? l->initial_end : l->end - 1, -1);
    fputs("; ", out);
}

static void put_room(int k) {
    const struct local *l = &locals[k];
    if (l->statement < 0) {
        fprintf(out, "typedef decltype(%s) cpu_type_%d; ", join(l->name, l->name), k);
    } else {
        fputs("typedef ", out);
        put_base(l);
        put(l->declarator, l->name - 1, -1);
        fprintf(out, "cpu_type_%d ", k);
        put(l->name + 1, l->end - 1, -1);
        fputs("; ", out);
    }
    fprintf(out, "::cpu_device::kept<cpu_type_%d> cpu_kept_%d[cpu_threads]; ", k, k);
}

static void put_reference(int k) {
    fprintf(out, "cpu_type_%d &%s = cpu_kept_%d[cpu_t].it(); ", k,
            join(locals[k].name, locals[k].name), k);
}

static void put_kept(int k) {
    const struct local *l = &locals[k];
    bool list = l->initial >= 0 && is(l->initial, "{");
    fprintf(out, "::new (cpu_kept_%d[cpu_t].bytes) cpu_type_%d", k, k);
    if (l->initial >= 0) {
        bool bare = !list && !is(l->initial - 1, "=");
        fputs(list || bare ? "" : "(", out);
        put(l->initial, l->initial_end, -1);
        fputs(list || bare ? "" : ")", out);
    }
    fputs("; ", out);
    put_reference(k);
}

/* An error names the thread: its index is stored for each, though the loop itself reads none. */
static void put_threads(void) {
    fputs("for (unsigned cpu_z = 0, cpu_t = 0; cpu_z < blockDim.z; cpu_z++) "
          "for (unsigned cpu_y = 0; cpu_y < blockDim.y; cpu_y++) { "
          "::threadIdx.y = cpu_y; ::threadIdx.z = cpu_z; "
          "for (unsigned cpu_x = 0; cpu_x < blockDim.x; cpu_x++, cpu_t++) { "
          "::threadIdx.x = cpu_x; __asm__ volatile(\"\" : : \"m\"(::threadIdx.x)); "
          "const ::uint3 threadIdx = {cpu_x, cpu_y, cpu_z}; ",
          out);
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

static void put_region(int region) {
    int first = statements[region].first, last = last_of_region(region);
    bool *used = calloc((size_t)local_count + 1, sizeof *used), any = false;
    mark_used(first, last, first, used);
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        if (t->last <= begin_after && is_shared(s))
            continue; /* the kernel's own */
        if (stands_outside(s)) {
            put_line(t->first, " 3");
            put(t->first, t->last, -1);
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
    if (!any)
        return;
    put_threads();
    if (returns)
        fputs("if (cpu_gone[cpu_t]) continue; ", out);
    for (int k = 0; k < local_count; k++)
        if (used[k] && locals[k].use == KEPT)
            put_reference(k);
        else if (used[k])
            put_declaration(&locals[k]);
    fputs("{ ", out);
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        if (stands_outside(s))
            continue;
        put_line(t->first, " 3");
        if (!t->local_count)
            put(t->first, t->last, region);
        for (int k = t->locals; k < t->locals + t->local_count; k++)
            if (locals[k].use == KEPT)
                put_kept(k);
            else if (locals[k].use > UNIFORM)
                put_declaration(&locals[k]);
    }
    fprintf(out, "} cpu_next_%d:; } } ", region);
    free(used);
}

static void put_statements(int s);

static void put_braces(int s) {
    fputs("{ ", out);
    put_statements(statements[s].inner);
    fputs("} ", out);
}

static void put_statement(int s) {
    const struct statement *t = &statements[s];
    int close = t->kind >= IF ? tokens[t->open].match : 0;
    put_line(t->first, " 3");
    switch (t->kind) {
    case PLAIN:
        put_region(s);
        break;
    case ONCE:
        if (is_jump(s) && has_word(t->first, t->last, "return"))
            put(t->first, tokens[t->first + 1].match, -1), fputs("return true; ", out);
        else
            put(t->first, t->last, -1);
        break;
    case BARRIER:
        break;
    case BRACES:
        put_braces(s);
        break;
    case IF:
        put(t->first, close, -1);
        put_braces(t->inner);
        if (statements[t->inner].next >= 0) {
            fputs("else ", out);
            put_braces(statements[t->inner].next);
        }
        break;
    case FOR:
        put(t->first, close, -1);
        put_braces(statements[t->inner].next);
        break;
    case WHILE:
        put(t->first, close, -1);
        put_braces(t->inner);
        break;
    case DO:
        fputs("do ", out);
        put_braces(t->inner);
        put(t->open - 1, close, -1);
        fputs("; ", out);
        break;
    }
}

static void put_statements(int s) {
    for (int region = -1; s >= 0; s = statements[s].next) {
        if (statements[s].kind != PLAIN || statements[s].region != region)
            put_statement(s);
        region = statements[s].region;
    }
}

static void put_function(const struct kernel *k) {
    int parameters = k->name + 1;
    fprintf(out, "\n// %s: split at its barriers", join(k->name, k->name));
    put_line(k->name, " 3");
    bool aligned = keeps_alignment(parameters, tokens[k->body_end].match);
    fprintf(out, "struct cpu_block { static __attribute__((noinline)) %s%s bool run",
            kernel_attribute, aligned ? " __attribute__((no_sanitize(\"alignment\")))" : "");
    put(parameters, tokens[parameters].match, -1);
    fputs("{ const ::uint3 blockIdx = ::blockIdx; const ::dim3 blockDim = ::blockDim, gridDim = "
          "::gridDim; const unsigned cpu_threads = blockDim.x * blockDim.y * blockDim.z; "
          "if (cpu_threads * (0",
          out);
    for (int l = 0; l < local_count; l++) {
        if (locals[l].use != KEPT)
            continue;
        fputs(" + sizeof(", out);
        if (locals[l].statement >= 0) {
            put_base(&locals[l]);
            put(locals[l].declarator, locals[l].name - 1, -1);
            put(locals[l].name + 1, locals[l].end - 1, -1);
        } else {
            put(locals[l].name, locals[l].name, -1);
        }
        fputc(')', out);
    }
    fprintf(out, ") > %d) return false; ", MOST_BYTES);
    for (int l = 0; l < local_count && aligned; l++)
        if (locals[l].statement < 0 && locals[l].pointer)
            fprintf(out, "if (!::cpu_device::is_aligned(%s)) return false; ",
                    join(locals[l].name, locals[l].name));
    if (returns)
        fputs("bool cpu_gone[cpu_threads]; __builtin_memset(cpu_gone, 0, cpu_threads); ", out);
    bool given = false;
    for (int l = 0; l < local_count; l++)
        if (locals[l].use == KEPT && locals[l].statement < 0) {
            put_room(l);
            fprintf(out, "cpu_type_%d &cpu_given_%d = %s; ", l, l,
                    join(locals[l].name, locals[l].name));
            given = true;
        }
    if (given) {
        put_threads();
        for (int l = 0; l < local_count; l++)
            if (locals[l].use == KEPT && locals[l].statement < 0)
                fprintf(out, "::new (cpu_kept_%d[cpu_t].bytes) cpu_type_%d(cpu_given_%d); ", l, l,
                        l);
        fputs("} } ", out);
    }
    put_statements(statements[0].inner);
    fputs("return true; } }; if (::cpu_device::in_parts(cpu_block::run", out);
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
        for (int s = 0; s < statement_count && is_name(i); s++)
            if (statements[s].kind == PLAIN && stands_outside(s) &&
                has_word(statements[s].first, statements[s].last, join(i, i)) &&
                !is_one_of(i, number_types))
                return true;
    }
    return false;
}

static const char *cannot_keep(int *because) {
    for (int k = 0; k < local_count; k++) {
        const struct local *l = &locals[k];
        if (l->use != KEPT)
            continue;
        *because = l->name;
        if (l->reference)
            return "a reference is used after a barrier";
        if (l->automatic)
            return "a variable of type auto is used after a barrier";
        if (l->array && has_word(l->name, l->end, "[") && is(l->name + 1, "[") &&
            is(l->name + 2, "]"))
            return "an array without a size is used after a barrier";
        if (l->initial >= 0 && tokens[l->initial].kind == TEXT && l->array)
            return "a text is used after a barrier";
        if (l->statement >= 0 &&
            (names_own(l->base, type_end(l)) || names_own(l->declarator, l->name) ||
             names_own(l->name + 1, l->end)))
            return "a type that is declared in the kernel is used after a barrier";
    }
    return NULL;
}

/* May one thread do it twice? */
static bool may_be_repeated(int s) {
    if (!statements[s].local_count && !stands_outside(s))
        return false;
    for (int k = statements[s].locals; k < statements[s].locals + statements[s].local_count; k++)
        for (int i = locals[k].initial; i >= 0 && i <= locals[k].initial_end; i++)
            if (is(i, "=") || ((is(i, "+") || is(i, "-")) && same_text(i, i + 1)) ||
                (is(i, "(") && is_name(i - 1) && !is_one_of(i - 1, "sizeof min max ")))
                return false;
    return true;
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

static const char *split(struct kernel *k, int *because) {
    int open = tokens[k->body_end].match, parameters = k->name + 1;
    const char *why = NULL;
    if (!opens(parameters) || !is_one_of(k->name - 1, "void ) "))
        return "a kernel that is declared in an unusual way";
    if (waits_unnamed)
        return "the file has a lambda, an operator or a pointer in which threads may wait";
    int all = read_statements(parameters, open, because, &why);
    if (all < 0)
        return why;
    if (!find_uniform(k->template_header, open, because))
        return "a barrier under a condition that may differ between threads";
    int disorder = find_regions();
    if (disorder >= 0) {
        *because = disorder;
        return "atomic functions on both sides of a cut without a barrier";
    }
    if ((why = cannot_keep(because)) || (why = find_begin(open, because)))
        return why;
    returns = false;
    for (int s = 0; s < statement_count; s++)
        returns |= statements[s].kind == PLAIN &&
                   has_word(statements[s].first, statements[s].last + 1, "return");
    put_function(k);
    return NULL;
}

void split_kernels(void) {
    find_waits();
    for (int i = 0; i < kernel_count; i++) {
        struct kernel *k = &kernels[i];
        int because = k->name;
        if (k->body_end < 0 || tokens[k->name].origin != OF_USER ||
            !has_word(tokens[k->body_end].match, k->body_end, "__syncthreads"))
            continue;
        char *s;
        size_t length;
        out = open_memstream(&s, &length);
        const char *why = out ? split(k, &because) : "no memory";
        if (why) {
            begin_after = tokens[k->body_end].match;
            fprintf(out, "\n// %s: not split, line %ld: %s", join(k->name, k->name),
                    place_of(because).line, why);
        }
        put_line(begin_after, "");
        fclose(out);
        append(&tokens[begin_after].after, s);
    }
}
