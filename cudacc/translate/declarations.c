/*
 * declarations.c: what a declaration says, as far as the translator must know it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "declarations.h"

static const char *const words[WORDS] = {
    "__global__ ",  "__device__ ", "__shared__ ", "__constant__ ",
    "__managed__ ", "static ",     "extern ",     "inline __inline__ __inline __forceinline__ ",
    "friend "};

const char attributes[] =
    "__attribute__ __attribute alignas _Alignas __align__ __declspec decltype __typeof__ typeof "
    "__launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ explicit noexcept ";

/* A condition is in parentheses, a concept or a list of requirements; && and || stand between. */
int past_constraint(int i) {
    do {
        bool list = is(++i, "requires");
        i += list;
        if (is(i, "(") && opens(i))
            i = tokens[i].match + 1;
        if (list && opens(i))
            i = tokens[i].match + 1;
        for (; is(i, "::") || (is_name(i) && is_one_of(i - 1, ":: requires && || ")); i++)
            if (is(i + 1, "<") && angle_close(i + 1) > 0)
                i = angle_close(i + 1);
    } while (is_one_of(i, "&& || "));
    return i;
}

int template_end(int i) {
    int close = is(i + 1, "<") ? angle_close(i + 1) : -1;
    return close < 0 ? i : is(close + 1, "requires") ? past_constraint(close + 1) - 1 : close;
}

int head_end(int i) {
    while (i < token_count && !is_one_of(i, "{ ; } "))
        i = is(i, "requires") ? past_constraint(i) : i + 1;
    return i;
}

static int read_template(struct declaration *d, int i) {
    if (template_end(i) > i) {
        d->template_header = i + 1;
        d->specialization = is(i + 2, ">");
    }
    return template_end(i);
}

static void read_name(struct declaration *d, int i) {
    d->class_key |= is_one_of(i, "struct class union enum ");
    d->constant |= is_one_of(i, "const constexpr ");
    for (int w = 0; w < WORDS; w++)
        if (d->at[w] < 0 && is_one_of(i, words[w]))
            d->at[w] = i;
    d->qualified = is(i - 1, "::");
    d->name = i;
}

/* (*name)... declares a pointer, (3) initialises; all else is a function. */
static void read_parenthesis(struct declaration *d, int i) {
    if (is_one_of(i + 1, "* & ") && is_name(i + 2) && !is(i + 3, "(")) {
        d->name = i + 2;
        d->constant = false;
    } else {
        d->function = tokens[i + 1].kind != NUMBER && tokens[i + 1].kind != TEXT;
    }
}

/* Token i with what belongs to it: the last token of that; -1: the declarator ends before it. */
static int read_part(struct declaration *d, int i) {
    if (is(i, "template"))
        return read_template(d, i);
    if (is(i, "extern") && tokens[i + 1].kind == TEXT) {
        d->linkage = true;
        return i + 1;
    }
    if (is(i, "operator")) {
        d->function = true;
        d->name = i;
        return -1;
    }
    if (is_one_of(i, attributes)) {
        if (is(i, "__launch_bounds__") && opens(i + 1))
            d->bounds = i + 1;
        return opens(i + 1) ? tokens[i + 1].match : i;
    }
    if (is_name(i)) {
        read_name(d, i);
        return i;
    }
    if (is(i, "<") && is_name(i - 1))
        return angle_close(i);
    if (is(i, "[") && is(i + 1, "[") && opens(i))
        return tokens[i].match;
    if (is(i, "{") && d->class_key && opens(i)) {
        d->class_key = false;
        d->type_first = true;
        return tokens[i].match;
    }
    if (is(i, "("))
        read_parenthesis(d, i);
    if (is_one_of(i, "* & && "))
        d->constant = false;
    return is_one_of(i, "* & && :: ~ ... ") ? i : -1;
}

struct declaration parse_declaration(int start) {
    struct declaration d = {.start = start, .template_header = -1, .bounds = -1, .name = -1};
    for (int w = 0; w < WORDS; w++)
        d.at[w] = -1;
    d.end = start;
    for (int last; (last = read_part(&d, d.end)) >= 0; d.end = last + 1)
        ;
    return d;
}

int body_of(const struct declaration *d) {
    if (!d->function || d->name < 0 || !opens(d->end))
        return -1;
    int open = head_end(tokens[d->end].match + 1);
    return is(open, "{") && opens(open) ? open : -1;
}

int declarator_end(const struct declaration *d, int name) {
    return find(name == d->name ? d->end : name, token_count - 1, ", ; ");
}

int next_name(int end) {
    if (!is(end, ","))
        return -1;
    do
        end++;
    while (is_one_of(end, "* & ( const volatile __restrict__ "));
    return end;
}

void add_declared(struct names *n, const struct declaration *d) {
    for (int name = d->name; name >= 0; name = next_name(declarator_end(d, name)))
        add_name(n, name);
}

bool is_declarator(int i) {
    int start = i - 1;
    while (is_one_of(start, "* & && "))
        start--;
    if (is_one_of(start, "return do else case sizeof throw goto not and or ") ||
        !(is_name(start) || is(start, ">")))
        return false;
    if (start == i - 1)
        return is_name(start) || angle_open(start) > 0;
    while (is_name(start) || is_one_of(start, ":: > * "))
        start = is(start, ">") && angle_open(start) > 0 ? angle_open(start) - 1 : start - 1;
    return is_one_of(start, "; { } ( , ") && is_one_of(i + 1, "= ; , [ ) ") &&
           !(is(start, "(") && is_name(start - 1));
}

int count_items(int open, int close) {
    int count = close > open + 1;
    for (int i = open + 1; i < close; i = past(i)) {
        if (is(i, "..."))
            return -1;
        count += is(i, ",");
    }
    return count;
}

/* The last word is a name when there is a type before it. */
static void find_name(struct parameter *p) {
    static const char types[] =
        "void bool char short int long float double signed unsigned const volatile auto "
        "__restrict__ __restrict __grid_constant__ ";
    int name = p->end - 1, type = p->first;
    while (name > p->first && is(name, "]")) {
        name = tokens[name].match - 1;
        p->pointer = true;
    }
    while (is_one_of(type, "const volatile "))
        type++;
    if (name > type && is_name(name) && !is_one_of(name, types) &&
        !is_one_of(name - 1, ":: struct class union enum typename "))
        p->name = name;
}

struct parameter read_parameter(int first, int close, int *comma) {
    struct parameter p = {.first = first, .end = -1, .name = -1};
    int i = first;
    for (; i < close && !is(i, ","); i = past(i)) {
        if (is(i, "=") && p.end < 0) {
            p.end = i;
            p.has_default = true;
        }
        p.pointer |= is_one_of(i, "* & ") && p.end < 0;
    }
    *comma = i;
    if (p.end < 0)
        p.end = i;
    find_name(&p);
    return p;
}

static void append_type(const char **types, const struct parameter *p) {
    for (int i = p->first; i < p->end; i++) {
        if (i == p->name || (!p->pointer && is(i, "const")) ||
            is_one_of(i, "struct class union enum __restrict__ __restrict __grid_constant__ "))
            continue;
        append(types, format(" %s", is(i, "[") ? "*" : join(i, i)));
        if (is(i, "["))
            i = tokens[i].match;
    }
    append(types, ",");
}

struct parameters parse_parameters(int open) {
    struct parameters all = {"", "", false};
    for (int i = open + 1, comma; i < tokens[open].match; i = comma + 1) {
        struct parameter p = read_parameter(i, tokens[open].match, &comma);
        append(&all.names,
               format("%s%s", i > open + 1 ? "," : "", p.name < 0 ? "" : join(p.name, p.name)));
        append_type(&all.types, &p);
        all.defaults |= p.has_default;
    }
    return all;
}
