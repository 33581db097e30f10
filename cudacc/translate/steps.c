/*
 * steps.c: where a thread is about to use volatile memory or to print.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"
#include "uses.h"

static struct names global, members, types; /* types as `typedef volatile int flag;` */
static struct names local, deduced;         /* of a function; of a type that the compiler knows */

static bool is_volatile(int i) {
    return is(i, "volatile") ? !is_one_of(i - 1, "asm __asm__ __asm ")
                             : is_name(i) && has_name(&types, i);
}
static bool has_volatile(int first, int end) {
    while (first < end && !is_volatile(first))
        first++;
    return first < end;
}

static const char asked[] = "decltype __typeof__ __typeof typeof ";
static bool is_deduced(const struct body *f, int i) {
    return is(i, "auto") || is_one_of(i, asked) ||
           (!f->kernel && is_name(i) && template_parameter(f, i));
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
            add_name(&members, member);
    }
}

/* The end of the words of a type, with its stars; what may be the declared name is the last. */
static int past_type(int i) {
    for (int first = i;; i++) {
        if (is(i, "<") && is_name(i - 1) && angle_close(i) > 0)
            i = angle_close(i);
        else if (opens(i) && (is_one_of(i - 1, asked) || (is(i, "[") && is(i - 1, ")"))))
            i = tokens[i].match;
        else if (!is_name(i) && !is_one_of(i, "* & && :: ") &&
                 !(is(i, "(") && is_one_of(i + 1, "* & && ")) &&
                 !(is(i, ")") && is_one_of(i - 1, "* & && ") && tokens[i].match >= first))
            return i;
    }
}

/* The bracket around token i. */
static int around(int i) {
    for (i--; i > 0 && !opens(i); i--)
        i = closes(i) ? tokens[i].match : i;
    return i;
}

/* A binding's name may stand for one, and then no reference takes it. */
static bool has_bit_fields(void) {
    for (int i = 2; i < token_count; i++)
        if (tokens[i].origin == OF_USER && is(i, ":") && is_name(i - 1) && !is(i - 1, "final") &&
            is_name(i - 2) && !is_one_of(i - 2, "struct class union enum case ") &&
            is(around(i), "{"))
            return true;
    return false;
}

/* What is declared with the word `volatile`, or with one of a deduced type, at token i: what others
 * can see, too. */
static void collect(struct names *n, int i, int end) {
    int start = i, stop = past_type(i + 1);
    if (members.count && is(i, "auto") && is(stop, "[") && opens(stop) && !has_bit_fields())
        for (int k = stop + 1; k < tokens[stop].match; k += 2)
            add_name(n, k);
    while (!is_one_of(start - 1, "; { } ( , "))
        start--;
    if (is(start, "typedef") || !is_name(stop - 1) || is(stop, ">") || stop == i + 1 ||
        (n == &deduced && has_one_of(start, stop, "const constexpr ")))
        return; /* a cast, a template's argument, asm volatile */
    if (is(i, "volatile") && !has_one_of(start, stop, "__shared__ * & && ") && !is(stop, "["))
        return; /* a thread's own */
    add_name(n, stop - 1);
    if (is_one_of(start - 1, "( , ")) /* a parameter */
        return;
    for (int name; (name = next_name(find(stop, end, ", ; "))) >= 0; stop = name)
        add_name(n, name);
}

static bool has_token(const struct names *n, int i) {
    for (int k = 0; k < n->count; k++)
        if (n->at[k] == i)
            return true;
    return false;
}

/* Is the name at token i being declared? In doubt it is: `f(&x) = 1` as `int (&x) = y`. */
static bool declares(const struct body *f, int i) {
    int open = around(i), first = start_of(i) > open ? start_of(i) : open + 1, before = i - 1;
    while (is_one_of(before, "* & && "))
        before--;
    if (has_token(&local, i) || has_token(&deduced, i))
        return true;
    if (is(open, "["))
        return has_word(start_of(open), open, "auto") && is_one_of(open - 1, "auto & && ");
    if (before == open && is(open, "(") && is(i + 1, ")") && is_name(open - 1))
        return is_one_of(i + 2, "[ ( = ");
    if (is(before, ")"))
        return is_one_of(tokens[before].match - 1, attributes);
    if (is(before, "}"))
        return has_one_of(start_of(tokens[before].match), before, "struct class union enum ");
    if (is_one_of(before, ", { ") && has_word(start_of(open), open, "enum"))
        return true;
    if (is(before, ",") && (is(open, "{") || is(open - 1, "for")))
        return is_declarator(parse_declaration(first).name);
    return is_declarator(i) && (before == i - 1 || is(open, "{") || open == f->parameters ||
                                is_one_of(open - 1, "] for if while switch catch "));
}

/* Where what the name at token i means has been declared: in f; -1: outside of it. */
static int declaration_of(const struct body *f, int i) {
    for (int k = i; k > f->start; k--) {
        int open = is(k, "}") && closes(k) ? tokens[k].match : k;
        if (open < k && is(open - 1, ")") && is_one_of(tokens[open - 1].match - 1, "for ] "))
            open = tokens[open - 1].match;
        if (same_text(k, i) && declares(f, k))
            return k;
        k = open;
    }
    return -1;
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

enum where { ANYWHERE, IN_SHARED };
static void wrap(enum where only, bool of_type, int first, int last, int place) {
    ADD(steps, step_count, place);
    const char *before = tokens[first].before; /* no `<::` comes of the blank, no `?a:::` */
    tokens[first].before =
        format("%s ::cpu_device::in_step<%d, %d>(", before ? before : "", only, !of_type);
    append(&tokens[last].after, format(", %d)", place_of_step(place, last)));
}

static bool is_lambda(int i) {
    return is(i, "[") && opens(i) && !is_one_of(i - 1, ") ] ") &&
           (!is_name(i - 1) || is_one_of(i - 1, "return else do case throw "));
}

static bool is_member(const struct body *f, int i) {
    for (int k = 0; k < members.count; k++)
        if (same_text(members.at[k], i) &&
            (f->member || f->of_class ||
             (members.at[k] > f->open && members.at[k] < tokens[f->open].match)))
            return true;
    return false;
}

/* A pointer of the function's own is as `volatile int *v = p;` before a sum's last steps. Device
 * memory that is volatile from the start holds a flag for other blocks, or is to be read for its
 * own sake. */
static void wrap_name(const struct body *f, int i) {
    int at = declaration_of(f, i);
    bool of_type = has_token(&deduced, at);
    if (of_type || has_token(&local, at))
        wrap(at > f->open ? ANYWHERE : IN_SHARED, of_type, i, i, i);
    else if (at < 0 && (has_name(&global, i) || is_member(f, i)))
        wrap(IN_SHARED, false, i, i, i);
}

static void wrap_names(const struct body *f) {
    for (int i = f->open; i < tokens[f->open].match; i++) {
        if (is_lambda(i) || (is_one_of(i, "sizeof decltype alignof noexcept ") && opens(i + 1)))
            i = tokens[is(i, "[") ? i : i + 1].match;
        else if (is_name(i) &&
                 (has_name(&local, i) || has_name(&deduced, i) || has_name(&global, i) ||
                  is_member(f, i)) &&
                 !is_one_of(i - 1, ". -> :: goto ") && !is_one_of(i + 1, "( :: ") &&
                 !(is(i + 1, ":") && is_one_of(i - 1, "; { } ")) && !declares(f, i))
            wrap_name(f, i);
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
                wrap(IN_SHARED, false, i, tokens[end + 1].match, i);
        } else if (is(i, "(") && opens(i) && has_volatile(i + 1, tokens[i].match)) {
            end = tokens[i].match;
            bool cast = is_name(end + 1) || tokens[end + 1].kind == NUMBER ||
                        is_one_of(end + 1, "( & * + - ");
            if (past_type(i + 1) == end && cast && !is_one_of(i - 1, "sizeof ] ") &&
                (is_one_of(end - 1, "* & && ] ") || (has_name(&types, end - 1) && !is_name(i - 1))))
                wrap(IN_SHARED, false, i, operand(end + 1), i);
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
    static const char call[] = "::cpu_device::in_round(%d, %d, %d)";
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
    bool used = false;
    for (int i = 0; i < token_count; i++)
        used |= tokens[i].origin == OF_USER && is_volatile(i);
    for (int k = 0; k < body_count; k++) {
        const struct body *f = &bodies[k];
        if (tokens[f->open].origin != OF_USER || is(f->name, "operator") ||
            !(f->kernel || has_word(f->start, f->name, "__device__")))
            continue;
        int close = tokens[f->open].match;
        bool asks = f->kernel ? global.count || types.count || has_volatile(f->open, close) : used;
        local.count = deduced.count = step_count = 0;
        for (int i = f->parameters; i < close; i++)
            if (is_volatile(i) || (asks && is_deduced(f, i)))
                collect(is_volatile(i) ? &local : &deduced, i, close);
        wrap_names(f);
        wrap_casts(f);
        step_before_prints(f);
        count_rounds(f);
    }
}
