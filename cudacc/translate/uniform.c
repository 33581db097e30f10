/*
 * uniform.c: what is the same for all threads of a block.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "uniform.h"

static bool returns_early;

/* Where all threads come together: an expression that may change a uniform variable. */
static struct spot { int first, last, statement; } * spots;
static int spot_count;

enum aim { SAME_FOR_ALL, BY_INDEX, STABLE };
static bool same(int first, int last, enum aim aim);

bool holds_numbers(const struct local *l) {
    for (int i = l->base; i < l->name; i++)
        if ((i < type_end(l) || i >= l->declarator) && !is_one_of(i, number_words) &&
            !is_one_of(i, "* const constexpr extern __restrict__ __restrict __shared__ static "))
            return false;
    return !l->automatic && !l->reference;
}

/* Is it declared, called, or in the place of a type, `(T)` and `T *`? Or a variable of a device,
 * which may change? */
static bool is_no_value(int i) {
    return is(i + 1, "(") || is_name(i - 1) || is_name(i + 1) ||
           (is(i - 1, "(") && is(i + 1, ")")) || (is(i + 1, "*") && is_one_of(i + 2, ") * ")) ||
           (is_declared(i, "__device__ __constant__ __managed__ ") &&
            !is_declared(i, "const constexpr "));
}

/* A name from outside of the kernel, of a value or, in a cast, of a type. */
static bool is_outer_name(int i, enum aim aim) {
    int before = i - 1 - is(i - 1, "const");
    bool cast = is(before, "<") && is(before - 1, "static_cast") && is_one_of(i + 1, "> * const ");
    bool type = is_one_of(i, number_types) || is_template_type(i) || cast;
    if (is_one_of(i, "true false nullptr __null sizeof const static_cast "))
        return true;
    if (is_one_of(i, "min max "))
        return aim != STABLE && is_our(i);
    if (is_number_word(i))
        return true;
    if (!is_use(i) || is(i, "threadIdx") || (aim == STABLE && type) || is_declared_within(i) ||
        (is(i + 1, "<") && angle_close(i + 1) > 0) || (!type && is_no_value(i)))
        return false;
    if (cast || is_template_type(i))
        prove(format("::cpu_device::is_number<%s>", join(i, i)));
    else if (!type)
        prove(format("::cpu_device::is_constant<decltype(%s), decltype((%s))>", join(i, i),
                     join(i, i)));
    return true;
}

/* Of a number or a pointer that the kernel declares. */
static bool same_local(const struct local *l, enum aim aim) {
    bool outside = l->use == OUTSIDE && is_plain(l);
    switch (aim) {
    case SAME_FOR_ALL:
        return l->use == UNIFORM || outside;
    case BY_INDEX:
        return (l->use == UNIFORM && !l->modified) || outside || l->use == AGAIN;
    case STABLE:
        if (l->use < INSIDE)
            return holds_numbers(l) && !l->memory;
        return holds_numbers(l) && is_scalar(l) && !l->modified && l->initial >= 0 &&
               same(l->initial, l->initial_end, STABLE);
    }
    return false;
}

static bool same_name(int i, enum aim aim) {
    if (is_one_of(i, "blockDim gridDim blockIdx ") || (aim != SAME_FOR_ALL && is(i, "threadIdx")))
        return is(i + 1, ".");
    int k = local_of(i);
    if (k < 0)
        return is_outer_name(i, aim);
    const struct local *l = &locals[k];
    int end = i;
    if (!l->reference && !is_scalar(l) && l->use == UNIFORM && is_member_chain(i, &end))
        prove(format("::cpu_device::is_number<decltype(%s)>", join(i, end)));
    else if (!is_scalar(l) || is(i + 1, "."))
        return false;
    return !is_one_of(end + 1, "( [ ") && same_local(l, aim);
}

/* A division by what may be 0 must not be done for threads that have returned. */
static bool divides(int i, enum aim aim) {
    return aim == SAME_FOR_ALL && returns_early && tokens[i + 1].kind != NUMBER &&
           !is_one_of(i + 1, "blockDim gridDim warpSize ");
}

/* An operator or a bracket of what only reads values; (float *)p is a cast. */
static bool only_reads(int i, int first, enum aim aim) {
    bool unary = i == first || (tokens[i - 1].kind == PUNCTUATION && !is_one_of(i - 1, ") ] "));
    if (is_one_of(i, "* & ") && unary)
        return is(i, "*") && is_one_of(i + 1, ") * ");
    if (is_one_of(i, "* & "))
        return is_binary(i) && !(is(i, "&") && is_one_of(i + 1, ") > "));
    if (is_one_of(i, "/ % ") && divides(i, aim))
        return false;
    if (is(i, "."))
        return is_name(i - 1) && !is(i + 2, "(");
    return tokens[i].kind == PUNCTUATION && !shift(i, "+") && !shift(i, "-") &&
           !is_one_of(i, "= -> [ ] { } <<= >>= ->* ; ");
}

static bool all_same(int first, int last, enum aim aim) {
    for (int i = first; i <= last; i++) {
        bool member = i > first && is_one_of(i - 1, ". "); /* of a name that has been looked at */
        if (is_literal(i) || (is_name(i) && member))
            continue;
        if (is_name(i) ? !same_name(i, aim) : !only_reads(i, first, aim))
            return false;
    }
    return first <= last;
}

static bool same(int first, int last, enum aim aim) {
    const char *before = proofs;
    bool is_same = all_same(first, last, aim);
    if (!is_same)
        proofs = before;
    return is_same;
}

/* `v = e`, `v += e`, `v++`, `++v`: the token of v; -1: something else. */
static int changed_by(const struct spot *p, int *from) {
    bool before = is_one_of(p->first, "+ - ") && same_text(p->first, p->first + 1);
    int v = before ? p->first + 2 : p->first, k = v + 1;
    *from = -1;
    if (!is_name(v) || local_of(v) < 0 || !is_scalar(&locals[local_of(v)]))
        return -1;
    if (before)
        return v == p->last ? v : -1;
    if (!assigns(k))
        return -1;
    if (is_one_of(k, "+ - ") && same_text(k, k + 1))
        return k + 1 == p->last ? v : -1;
    *from = is_one_of(k, "= <<= >>= ") ? k + 1 : k + 2;
    return v;
}

static void add_spots(int first, int last, int statement) {
    for (int i = first, comma; i <= last; i = comma + 1) {
        read_parameter(i, last + 1, &comma);
        if (i < comma)
            ADD(spots, spot_count, (struct spot){i, comma - 1, statement});
    }
}

int step_of(int s) {
    return find(statements[statements[s].inner].last + 1, tokens[statements[s].open].match, "; ");
}

/* What is around each statement. */
static void find_ways(int s, int parent) {
    for (; s >= 0; s = statements[s].next) {
        struct statement *t = &statements[s];
        bool outside =
            parent >= 0 && statements[parent].kind == FOR && statements[parent].inner == s;
        t->parent = parent;
        t->way = parent < 0                           ? -1
                 : statements[parent].own && !outside ? parent
                                                      : statements[parent].way;
        find_ways(t->inner, s);
    }
}

static void find_spots(int s) {
    for (; s >= 0; s = statements[s].next) {
        struct statement *t = &statements[s];
        if ((t->kind == PLAIN || t->kind == ONCE) && !t->local_count)
            add_spots(t->first, t->last - 1, s);
        if (t->kind == FOR)
            add_spots(step_of(s) + 1, tokens[t->open].match - 1, s);
        find_spots(t->inner);
    }
}

static bool spot_is_same(const struct spot *p) {
    int from, v = changed_by(p, &from);
    if (v >= 0 && is_one_of(v + 1, "/ % ") && divides(from - 1, SAME_FOR_ALL))
        return false;
    return v >= 0 && locals[local_of(v)].use == UNIFORM &&
           (from < 0 || same(from, p->last, SAME_FOR_ALL));
}
static bool statement_is_same(int s) {
    bool any = false;
    for (int k = 0; k < spot_count; k++)
        if (spots[k].statement == s) {
            any = true;
            if (!spot_is_same(&spots[k]))
                return false;
        }
    return any;
}

static bool stays_uniform(struct local *l) {
    if (l->initial >= 0 && !same(l->initial, l->initial_end, SAME_FOR_ALL))
        return false;
    for (int i = l->name + 1; i <= l->scope_last; i++) {
        if (!same_text(i, l->name) || local_of(i) != (int)(l - locals) || use_of(i) == READS)
            continue;
        bool found = false;
        for (int k = 0, from; k < spot_count && !found; k++) {
            const struct statement *t = &statements[spots[k].statement];
            found = changed_by(&spots[k], &from) == i && statement_is_same(spots[k].statement) &&
                    !t->own && (l->statement < 0 ? -1 : statements[l->statement].way) == t->way;
        }
        if (!found)
            return false;
    }
    return true;
}

/* The innermost loop around a statement, or -1. */
static int loop_of(int s) {
    do
        s = statements[s].parent;
    while (s >= 0 && statements[s].kind < FOR);
    return s;
}

bool is_jump(int s) {
    int first = statements[s].first, open = first + 1, way = statements[s].way, loop = loop_of(s);
    if (!is(first, "if") || !opens(open) || !same(open + 1, tokens[open].match - 1, SAME_FOR_ALL))
        return false;
    int then = tokens[open].match + 1, braces = is(then, "{");
    return is_one_of(then + braces, "return break continue ") && is(then + braces + 1, ";") &&
           then + 1 + 2 * braces == statements[s].last &&
           (is(then + braces, "return")
                ? way < 0
                : loop >= 0 && !statements[loop].own && way == statements[loop].way);
}

int left_by(int s, int i) {
    if (!is_one_of(i, "break continue "))
        return -1;
    for (int k = statements[s].first; k < i; k++)
        if ((is_one_of(k, "for while do ") || (is(k, "switch") && is(i, "break"))) &&
            statement_end(k, statements[s].last + 1) >= i)
            return -1;
    return loop_of(s);
}

static bool condition_is_same(int s) {
    const struct statement *t = &statements[s];
    int close = tokens[t->open].match;
    int begin = t->kind == FOR ? statements[t->inner].last + 1 : t->open + 1;
    int last = t->kind == FOR ? step_of(s) - 1 : close - 1;
    if (!(t->kind == FOR && begin > last) && !same(begin, last, SAME_FOR_ALL))
        return false;
    if (t->kind != FOR)
        return true;
    const struct statement *first = &statements[t->inner];
    for (int k = 0; k < first->local_count; k++)
        if (locals[first->locals + k].use != UNIFORM)
            return false;
    return (first->local_count || first->first == first->last || statement_is_same(t->inner)) &&
           (step_of(s) + 1 == close || statement_is_same(s));
}

/* Where threads may go different ways; true: there are more of such places than were known. */
static bool find_own_ways(void) {
    bool more = false;
    for (int s = 0; s < statement_count; s++) {
        struct statement *t = &statements[s];
        if (t->kind >= IF && !t->own && !condition_is_same(s))
            more = t->own = true;
        for (int i = t->first; t->kind == PLAIN && i <= t->last && !is_jump(s); i++) {
            int loop = left_by(s, i);
            if (loop >= 0 && !statements[loop].own)
                more = statements[loop].own = true;
        }
    }
    if (more)
        find_ways(0, -1);
    return more;
}

/* No barrier of the block may stand there; nor warp functions in both arms, which might meet. */
static bool ways_are_right(int *because) {
    for (int s = 0; s < statement_count; s++) {
        struct statement *t = &statements[s], *then = t->kind == IF ? &statements[t->inner] : t;
        if (t->own &&
            (has_barrier(t->first, t->last) || (t->kind == IF && has_cut(then->first, then->last) &&
                                                has_cut(then->last + 1, t->last)))) {
            *because = t->first;
            return false;
        }
        if (t->kind == FOR && t->own) /* if all do the same it is ONCE again */
            statements[t->inner].kind = PLAIN;
    }
    for (int s = 0; s < statement_count; s++)
        if (statements[s].kind == PLAIN &&
            (is_jump(s) || (!statements[s].local_count && statement_is_same(s))))
            statements[s].kind = ONCE;
    return true;
}

bool is_stable(int first, int last) { return same(first, last, STABLE); }
bool is_uniform(int first, int last) { return same(first, last, SAME_FOR_ALL); }

/* Do all names in a variable's initializer mean the same to the end of its scope? */
static bool keeps_its_names(const struct local *l) {
    for (int i = l->initial; i <= l->initial_end; i++)
        for (int k = 0; k < local_count && is_name(i); k++)
            if (locals[k].name > l->name && same_text(locals[k].name, i))
                return false;
    return !has_one_of(l->name, l->scope_last, "using typedef ");
}

static void find_uses(struct local *l) {
    for (int i = l->name + 1; i <= l->scope_last; i++)
        if (same_text(i, l->name) && local_of(i) == (int)(l - locals)) {
            enum what what = use_of(i);
            l->modified |= what != READS;
            l->handed_on |= what == HANDS_ON;
        }
}

/* What has been found, once more, for its proofs alone. */
static void prove_all(int open) {
    proofs = "";
    int parameters = local_count && locals[0].statement < 0 ? locals[0].base : open;
    for (int i = parameters; i < tokens[open].match; i++)
        if (is_one_of(i, number_types) && !is_number_word(i) && is_use(i))
            prove(format("::cpu_device::is_type<%s, true>()", join(i, i)));
    for (int k = 0; k < local_count; k++) {
        struct local *l = &locals[k];
        if (l->use == UNIFORM)
            stays_uniform(l);
        else if (l->use == AGAIN)
            find_uses(l), same(l->initial, l->initial_end, BY_INDEX);
        if ((l->use == UNIFORM || l->use == AGAIN) && is_scalar(l) && !is_plain(l) && !l->automatic)
            prove(format("::cpu_device::is_number<%s>", join(l->base, l->base)));
    }
    for (int s = 0; s < statement_count; s++)
        if (statements[s].kind >= IF && !statements[s].own)
            condition_is_same(s);
        else if (statements[s].kind == ONCE && !is_jump(s))
            statement_is_same(s);
}

bool find_uniform(int open, int *because) {
    spot_count = 0;
    returns_early = has_one_of(open, tokens[open].match, "return break continue ");
    find_ways(0, -1);
    find_spots(0);
    for (int k = 0; k < local_count; k++) {
        struct local *l = &locals[k];
        find_uses(l);
        if (l->use == KEPT && is_scalar(l))
            l->use = UNIFORM;
    }
    do
        for (bool more = true; more;) {
            more = false;
            for (int k = 0; k < local_count; k++)
                if (locals[k].use == UNIFORM && (locals[k].modified || locals[k].statement >= 0) &&
                    !stays_uniform(&locals[k])) {
                    locals[k].use = KEPT;
                    more = true;
                }
        }
    while (find_own_ways());
    for (int k = 0; k < local_count; k++) {
        struct local *l = &locals[k];
        if (l->use == KEPT && l->statement >= 0 && !l->modified && is_scalar(l) &&
            l->initial >= 0 && !is(l->initial, "{") && keeps_its_names(l) &&
            same(l->initial, l->initial_end, BY_INDEX))
            l->use = AGAIN;
    }
    if (!ways_are_right(because))
        return false;
    prove_all(open);
    return true;
}
