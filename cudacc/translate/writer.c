/*
 * writer.c: the text of a split kernel: tokens as they stand or with what replaces them, and the
 * variables that each thread has.
 *
 * SPDX-License-Identifier: MIT
 */
#include "uniform.h"
#include "writer.h"

/* The running thread leaves its ways up to that of statement `end`; there it has another one. */
static void put_leaving(struct writer *w, int end, int other) {
    for (int way = statements[w->statement].way; way >= 0; way = statements[way].way) {
        fprintf(w->out, "cpu_way_%d.arm[cpu_t] = %d; ", way, way == end ? other : 0);
        if (way == end)
            break;
    }
    fprintf(w->out, "goto cpu_next_%d; }", statements[w->statement].region);
}

static void put_result_of(struct writer *w, int call);

void put(struct writer *w, int first, int last) {
    for (int i = first; i <= last; i++) {
        const struct token *t = &tokens[i];
        int loop = w->statement < 0 ? -1 : left_by(w->statement, i);
        if (i > first && t->spaced)
            fputc(' ', w->out);
        if (is(i, "return") && w->statement >= 0) {
            fputs("{ cpu_gone[cpu_t] = true; ", w->out);
            put_leaving(w, -1, 0);
            i++;
        } else if (loop >= 0) {
            fputs("{ ", w->out);
            put_leaving(w, loop, is(i, "continue") ? 3 : 0);
            i++;
        } else if (warp_call_at(i) >= 0) {
            put_result_of(w, i);
            i = tokens[i + 1].match;
        } else {
            if (t->before)
                fputs(t->before, w->out);
            if (t->instead)
                fputs(t->instead, w->out);
            else
                fwrite(text + t->start, 1, t->length, w->out);
            if (t->after && !is(i, ";"))
                fputs(t->after, w->out);
        }
    }
    fputc(' ', w->out);
}

/* "meet<operation, type", of which the result is. */
void put_types_of(struct writer *w, int call) {
    fprintf(w->out, "_meet<::%s, decltype(%s", operation_of(call), join(call, call));
    put(w, call + 1, tokens[call + 1].match);
    fputs(")>(", w->out);
}
static void put_result_of(struct writer *w, int call) {
    if (is(call, "__syncwarp")) {
        fputs("(void)0", w->out);
        return;
    }
    fputs("::cpu_device::from", w->out);
    put_types_of(w, call);
    fprintf(w->out, "cpu_value_%d[cpu_t])", warp_call_at(call));
}

void put_line(struct writer *w, int i, const char *flag) {
    fprintf(w->out, "%s%s\n", marker_of(place_of(i)), flag);
}

/* `T *v(x);` and `T < n > v(x);` declare v only if T is a type. */
bool is_ambiguous(const struct local *l) {
    return l->statement >= 0 && l->use != OUTSIDE && !l->plain_type && !l->automatic &&
           (l->pointer || l->reference || has_word(l->base, type_end(l), "<"));
}

void put_base(struct writer *w, const struct local *l) { put(w, l->base, type_end(l) - 1); }

void put_declaration(struct writer *w, const struct local *l) {
    put_base(w, l);
    put(w, l->declarator, l->initial >= 0 ? l->initial_end : l->end - 1);
    fputs("; ", w->out);
}

void put_type(struct writer *w, const struct local *l) {
    if (l->statement >= 0) {
        put_base(w, l);
        put(w, l->declarator, l->name - 1);
        put(w, l->name + 1, l->end - 1);
    } else {
        put(w, l->name, l->name);
    }
}

void put_room(struct writer *w, int k) {
    const struct local *l = &locals[k];
    if (l->statement < 0) {
        fprintf(w->out, "typedef decltype(%s) cpu_type_%d; ", join(l->name, l->name), k);
    } else {
        fputs("typedef typename ::std::remove_reference<", w->out); /* it may hide in a name */
        put_type(w, l);
        fprintf(w->out, ">::type cpu_type_%d; ", k);
    }
    fprintf(w->out,
            "::cpu_device::kept<cpu_type_%d> cpu_room_%d[cpu_threads], *const cpu_kept_%d = "
            "cpu_room_%d; ",
            k, k, k, k);
}

void put_reference(struct writer *w, int k) {
    fprintf(w->out, "cpu_type_%d &%s = cpu_kept_%d[cpu_t].it; ", k,
            join(locals[k].name, locals[k].name), k);
}

/* The name of a struct or a union, as far as the text says; the compiler proves it. */
bool names_class(const struct local *l) {
    int name = l->base;
    while (
        name < type_end(l) &&
        (!is_name(name) || is_one_of(name, "const constexpr struct class ") || is(name + 1, "::")))
        name++;
    for (int i = 1; i < token_count && is_name(name); i++)
        if (is_one_of(i - 1, "struct class union ") && !is_one_of(i - 2, "< , ") &&
            same_text(i, name))
            return true;
    return false;
}

bool is_converted(const struct local *l) {
    return l->statement >= 0 && l->initial >= 0 && is(l->initial - 1, "=") && !is_plain(l) &&
           !is(l->initial, "{");
}

/* As `=` does: no explicit constructor is called, and an object that f() makes is made here. */
void put_kept(struct writer *w, int k) {
    const struct local *l = &locals[k];
    bool list = l->initial >= 0 && is(l->initial, "{");
    const char *before = "", *after = "";
    if (list && l->array)
        before = "{", after = "}";
    else if (is_converted(l) && !names_class(l))
        before = format("(::cpu_device::converted<cpu_type_%d>(", k), after = "))";
    else if (is_converted(l))
        before = "{", after = "}";
    else if (l->initial >= 0 && !list && is(l->initial - 1, "="))
        before = "(", after = ")";
    fprintf(w->out, "::new ((void *)&cpu_kept_%d[cpu_t]) ", k);
    fprintf(w->out, *before == '{' ? "::cpu_device::held<cpu_type_%d>" : "cpu_type_%d", k);
    fputs(before, w->out);
    if (l->initial >= 0)
        put(w, l->initial, l->initial_end);
    fprintf(w->out, "%s; ", after);
    put_reference(w, k);
}
