/*
 * steps.c: where a thread is about to use volatile memory or to print.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"
#include "uses.h"

static struct names global, types; /* variables; types as `typedef volatile int flag;` */

static bool is_volatile(int i) {
    return is(i, "volatile") ? !is_one_of(i - 1, "asm __asm__ __asm ")
                             : is_name(i) && has_name(&types, i);
}
static bool has_volatile(int first, int end) {
    while (first < end && !is_volatile(first))
        first++;
    return first < end;
}

void record_stepping(const struct declaration *d) {
    if (!d->function && d->name >= 0 && has_volatile(d->start, d->end))
        add_name(&global, d->name);
}

/* `typedef volatile int flag;`, or a class with members that are, which its functions name. */
void record_volatile_type(int start, int end) {
    start = is(start, "template") ? template_end(start) + 1 : start;
    int open = find(start, end, "{ "), name = is(start, "using") ? start + 1 : -1;
    bool is_class = open < end;
    if (is_class && is_one_of(start, "struct class union "))
        past_class_name(start, &name);
    if (is(start, "typedef"))
        name = find(start, end, "[ ") - 1;
    if (!is_name(name))
        return;
    for (int i = is_class ? open + 1 : start; i < (is_class ? tokens[open].match : end);
         i = past(i)) {
        int member = find(i, end, "; , [ = : ( { ") - 1;
        if (!is_volatile(i) || (is_class && (member <= i || is(member + 1, "("))))
            continue; /* of a function */
        add_name(&types, name);
        if (is_class && !is(member + 1, ":"))
            add_name(&global, member);
    }
}

/* The end of the words of a type, with its stars; what may be the declared name is the last. */
static int past_type(int i, bool *pointer) {
    for (;; i++) {
        if (is(i, "<") && is_name(i - 1) && angle_close(i) > 0)
            i = angle_close(i);
        else if (is_one_of(i, "* & && "))
            *pointer = true;
        else if (!is_name(i) && !is(i, "::"))
            return i;
    }
}

/* What is declared with the word `volatile` at token i: what others can see, too. */
static void collect(struct names *n, int i, int end) {
    int start = i;
    bool pointer = !is(i, "volatile");
    while (!is_one_of(start - 1, "; { } ( , "))
        start--;
    if (is(start, "typedef"))
        return;
    pointer |= has_one_of(start, i, "* & ");
    int stop = past_type(i + 1, &pointer);
    if (is(stop - 1, "*") || is(stop, ">") || stop == i + 1)
        return; /* a cast, a template's argument, asm volatile */
    if (!has_word(start, i, "__shared__") && !pointer && !is(stop, "["))
        return; /* a thread's own */
    add_name(n, stop - 1);
    if (is_one_of(start - 1, "( , ")) /* a parameter */
        return;
    for (int name; (name = next_name(find(stop, end, ", ; "))) >= 0; stop = name)
        add_name(n, name);
}

static bool is_declared_here(const struct names *local, int i) {
    for (int k = 0; k < local->count; k++)
        if (local->at[k] == i)
            return true;
    return is_declarator(i);
}

/* Behind `[`, `(` or an operator within brackets: the token that closes them; -1: a statement's. */
static int closer(int i) {
    while (!is_one_of(i, "; { } ") && !closes(i))
        i = opens(i) ? tokens[i].match + 1 : i + 1;
    return is_one_of(i, "] ) ") ? i : -1;
}

static bool sets(int i) { return assigns(i) && !shift(i, "+") && !shift(i, "-"); }

/* The operator that assigns to what token i is part of; -1: none. */
static int set_by(int i) {
    while (i >= 0 && !sets(i + 1))
        i = is_one_of(i + 1, "[ ( ") && opens(i + 1) ? tokens[i + 1].match
            : is_one_of(i + 1, ". -> ") || shift(i + 1, "+") || shift(i + 1, "-") ? i + 2
                                                                                  : closer(i + 1);
    return i < 0 ? i : i + 1;
}

/* Steps are taken in the order of the text, but a value comes before where it is stored. */
enum { PLACES = 64 }; /* for a token */
static int place_of_step(int first, int last) {
    int equals = set_by(last), end = equals, others = -1;
    if (equals < 0)
        return first * PLACES;
    for (; !is_one_of(end, ", ; ") && !closes(end); end++) {
        others += sets(end);
        if (opens(end))
            end = tokens[end].match;
        else if (is(end, "<") && angle_close(end) > 0)
            end = angle_close(end);
    }
    int before = equals - first < 8 ? 8 - (equals - first) : 0;
    return end * PLACES + (others < 7 ? others : 7) * 8 + before;
}

static int *steps, step_count; /* of the function, tokens */

static void wrap(const char *function, int first, int last, int place) {
    ADD(steps, step_count, place);
    const char *before = tokens[first].before; /* no `<::` comes of the blank, no `?a:::` */
    tokens[first].before = format("%s ::cpu_device::%s(", before ? before : "", function);
    append(&tokens[last].after, format(", %d)", place_of_step(place, last)));
}

static bool is_lambda(int i) {
    return is(i, "[") && opens(i) && !is_name(i - 1) && !is_one_of(i - 1, ") ] ");
}

/* Declared in the function, as `volatile int *v = p;` before a sum's last steps. Device memory that
 * is volatile from the start holds a flag for other blocks, or is to be read for its own sake. */
static bool is_own_pointer(const struct names *local, const struct body *f, int i) {
    for (int k = 0; k < local->count; k++)
        if (local->at[k] > f->open && local->at[k] < i && same_text(local->at[k], i))
            return true;
    return false;
}

static void wrap_names(const struct names *local, const struct body *f) {
    for (int i = f->open; i < tokens[f->open].match; i++) {
        if (is_lambda(i) || (is_one_of(i, "sizeof decltype alignof ") && opens(i + 1)))
            i = tokens[is(i, "[") ? i : i + 1].match;
        else if (is_name(i) && (has_name(local, i) || has_name(&global, i)) &&
                 !is_one_of(i - 1, ". -> :: ") && !is_declared_here(local, i) &&
                 !is_one_of(i + 1, "( :: "))
            wrap(is_own_pointer(local, f, i) ? "in_step" : "in_shared_step", i, i, i);
    }
}

/* The last token of the operand of a cast, which begins at token i. */
static int operand(int i) {
    while (is_one_of(i, "& * + - "))
        i++;
    if (opens(i) && is(i, "(")) {
        int next = tokens[i].match + 1;
        if (is_name(next) || tokens[next].kind == NUMBER || is(next, "("))
            return operand(next); /* it was a cast, too */
        i = next - 1;
    }
    for (;;) {
        if (is(i + 1, "<") && angle_close(i + 1) > 0 && is(angle_close(i + 1) + 1, "("))
            i = angle_close(i + 1);
        else if (is_one_of(i + 1, "[ ( ") && opens(i + 1))
            i = tokens[i + 1].match;
        else if (is_one_of(i + 1, ". -> :: ") || shift(i + 1, "+") || shift(i + 1, "-"))
            i += 2;
        else
            return i;
    }
}

/* (volatile T *)p, static_cast<volatile T *>(p) */
static void wrap_casts(const struct body *f) {
    for (int i = f->open + 1, end; i < tokens[f->open].match; i++) {
        bool named = is_one_of(i, "static_cast reinterpret_cast const_cast ");
        if (named && is(i + 1, "<") && (end = angle_close(i + 1)) > 0 && opens(end + 1)) {
            if (has_volatile(i + 2, end))
                wrap("in_shared_step", i, tokens[end + 1].match, i);
        } else if (is(i, "(") && opens(i) && has_volatile(i + 1, tokens[i].match)) {
            bool pointer = false;
            end = tokens[i].match;
            if (past_type(i + 1, &pointer) == end && !is(i - 1, "sizeof") &&
                (is(end - 1, "*") || (has_name(&types, end - 1) && !is_name(i - 1))))
                wrap("in_shared_step", i, operand(end + 1), i);
        }
    }
}

static bool may_begin_with(int i) {
    int label = is(i - 1, ":") ? i - 2 : 0;
    while (label > 0 && !is_one_of(label, "case default ? ; { } "))
        label--;
    return begins_statement(i) || is_one_of(label, "case default ");
}

static void step_before_prints(const struct body *f) {
    for (int i = f->open + 1; i < tokens[f->open].match; i++) {
        int first = is(i - 1, "::") ? i - 1 - is(i - 2, "std") : i;
        if (is(first - 1, ")") && is(first - 2, "void")) /* (void)printf() */
            first = tokens[first - 1].match;
        if (is_lambda(i))
            i = tokens[i].match;
        else if (is(i, "printf") && is(i + 1, "(") && may_begin_with(first))
            append(&tokens[first].before, format("::cpu_device_step_to_print(%d), ", i * PLACES));
    }
}

/* The last token of the loop at token i, if steps are taken in it; else -1. An empty one waits. */
static int loop_with_steps(int i, int end) {
    int close = tokens[i + 1].match;
    if (!is(i, "do") && !(is_one_of(i, "for while ") && is(i + 1, "(") && opens(i + 1)))
        return -1;
    int last = statement_end(i, end);
    for (int k = 0; k < step_count; k++)
        if (steps[k] > i && steps[k] <= last && !(is(i, "while") && is(close + 1, ";")))
            return last;
    return -1;
}

/* A round begins with the condition, or with the body where that stores something, is none, or
 * comes last. */
static void count_round(int i, const char *count) {
    bool is_do = is(i, "do"), is_for = is(i, "for");
    int close = tokens[i + 1].match, body = is_do ? i + 1 : close + 1;
    int condition = is_for ? find(i + 2, close, "; ") + 1 : i + 2;
    int end = is_for && condition < close ? find(condition, close, "; ") : close;
    if (!is_do && condition < end && !has_word(condition, end, "="))
        tokens[condition].before =
            format("%s, %s", count, tokens[condition].before ? tokens[condition].before : "");
    else if (is(body, "{"))
        append(&tokens[body].after, format("%s; ", count));
}

/* Lanes in one loop are compared by their rounds first, in one function by their calls. */
enum { LOOPS = 7 }; /* the next one is for the calls */
static void count_rounds(const struct body *f) {
    static const char call[] = "::cpu_device_round(%d, %d, %d)";
    int end[LOOPS + 1] = {0}, depth = 0, close = tokens[f->open].match;
    if (!f->kernel && step_count)
        append(&tokens[f->open].after,
               format("%s; ", format(call, LOOPS, f->open * PLACES, close * PLACES)));
    for (int i = f->open + 1, last; i < close; i++) {
        if (is_lambda(i))
            i = tokens[i].match;
        if ((last = loop_with_steps(i, close)) < 0)
            continue;
        while (depth && end[depth] < i)
            depth--;
        if (depth == LOOPS)
            continue;
        end[++depth] = last;
        count_round(i, format(call, depth - 1, i * PLACES, (last + 1) * PLACES));
    }
}

void give_steps(void) {
    for (int k = 0; k < body_count; k++) {
        const struct body *f = &bodies[k];
        struct names local = {NULL, 0};
        if (tokens[f->open].origin != OF_USER || is(f->name, "operator") ||
            !(f->kernel || has_word(f->start, f->name, "__device__")))
            continue;
        for (int i = f->parameters; i < tokens[f->open].match; i++)
            if (is_volatile(i))
                collect(&local, i, tokens[f->open].match);
        step_count = 0;
        wrap_names(&local, f);
        wrap_casts(f);
        step_before_prints(f);
        count_rounds(f);
    }
}
