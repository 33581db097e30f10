/*
 * loads.c: see loads.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "loads.h"

/* Behind the load that begins at token i: `a[i]`, `p->x[i]`; i: it is none. */
static int load_end(int i) {
    int k = i + 1, end = i;
    if (!is_name(i) || is_one_of(i, "sizeof new delete this return "))
        return i;
    for (;;) {
        if (is(k, "[") && opens(k) && !has_word(k, tokens[k].match, "("))
            end = k = tokens[k].match + 1;
        else if (is_one_of(k, ". -> ") && is_name(k + 1))
            k += 2;
        else
            return end == k ? end : i;
    }
}

static bool stands_in(int first, int end, int load, int load_end) {
    for (int i = first; i + load_end - load <= end; i++) {
        int k = 0;
        while (k < load_end - load && same_text(i + k, load + k))
            k++;
        if (k == load_end - load)
            return true;
    }
    return false;
}

/* The first token of the expression that ends before token i. */
static int condition_start(int i, int first) {
    while (i > first && !is_one_of(i - 1, "= ( [ { , ; ? : } return else ")) {
        i--;
        if (closes(i))
            i = tokens[i].match;
        else if (is(i, ">") && angle_open(i) >= 0)
            i = angle_open(i);
    }
    return i;
}

static void before_all(int i, const char *s) {
    tokens[i].before = format("%s%s", s, tokens[i].before ? tokens[i].before : "");
}

enum { MAX_NESTED = 16 };
static struct choice { int first, end; } nested[MAX_NESTED]; /* rewritten: the last ones */
static int nested_count;

/* Is the third operand a choice itself? */
static const struct choice *choice_at(int i) {
    for (int k = 0; k < nested_count && k < MAX_NESTED; k++)
        if (nested[k].first == i)
            return &nested[k];
    return NULL;
}

/* The operator `?` at token i, in a function whose body begins at `open`. */
static void choose_address(int i, int open) {
    int colon = load_end(i + 1), start = condition_start(i, open + 1);
    const struct choice *inner = choice_at(colon + 1);
    int end = inner ? inner->end : load_end(colon + 1);
    if (colon == i + 1 || !is(colon, ":") || end == colon + 1 || start >= i)
        return;
    if (!is_one_of(end, "; , ) ] } : "))
        return;
    if (stands_in(open, i, i + 1, colon) || (!inner && stands_in(open, i, colon + 1, end)))
        return;
    before_all(start, "*::cpu_device::one_of(bool(");
    tokens[i].instead = "), ::cpu_device::place(";
    tokens[colon].instead = inner ? "), " : "), ::cpu_device::place(";
    if (inner) /* its address */
        tokens[colon + 1].before += strspn(tokens[colon + 1].before, "*");
    append(&tokens[end - 1].after, inner ? ")" : "))");
    nested[nested_count++ % MAX_NESTED] = (struct choice){start, end};
}

/* a[i] = b[j]; with the first token of the statement at i. */
static void load_apart(int i) {
    int assign = load_end(i), end = load_end(assign + 1);
    if (assign == i || !is(assign, "=") || end == assign + 1 || !is(end, ";"))
        return;
    before_all(assign + 1, "::cpu_device::loaded(");
    append(&tokens[end - 1].after, ")");
}

void rewrite_loads(void) {
    for (int k = 0; k < body_count; k++) {
        const struct body *b = &bodies[k];
        if (tokens[b->start].origin != OF_USER || !(b->kernel || !of_host(b)) || !opens(b->open) ||
            has_word(b->start, b->open, "constexpr"))
            continue;
        nested_count = 0;
        for (int i = tokens[b->open].match - 1; i > b->open; i--) {
            if (is(i, "?"))
                choose_address(i, b->open);
            else if (is_one_of(i - 1, "; : { } ) else "))
                load_apart(i);
        }
    }
}
