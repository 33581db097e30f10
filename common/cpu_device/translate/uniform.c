/*
 * uniform.c: what is the same for all threads of a block.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "uniform.h"

static int header, body; /* of the kernel: its template parameters' `<` or -1, its `{` */
static bool returns_early;

/* Where all threads come together: an expression that may change a uniform variable. */
static struct spot { int first, last, statement; } * spots;
static int spot_count;

static bool is_template_parameter(int i) {
    return header >= 0 && has_word(header, angle_close(header), join(i, i));
}

/* A name from outside of the kernel: is it declared constant wherever it is declared at all? */
static bool is_constant(int name) {
    bool found = false;
    for (int i = 0, brace = -1; i < token_count; i++) {
        if (is(i, "{") && opens(i)) {
            int start = i;
            while (start > 0 && !is_one_of(start - 1, "; { } "))
                start = closes(start - 1) ? tokens[start - 1].match : start - 1;
            if (has_word(start, i, "enum"))
                brace = i;
            else if (!has_word(start, i, "namespace") && !has_word(start, i, "extern"))
                i = tokens[i].match; /* of a function, a class, an initializer */
        }
        if (!is_name(i) || !same_text(i, name) || is_one_of(i - 1, ":: . -> "))
            continue;
        int start = i;
        while (start > 0 && !is_one_of(start - 1, "; { } ( , "))
            start--;
        bool enumerator = brace >= 0 && i < tokens[brace].match && is_one_of(i - 1, "{ , ");
        bool constant = has_word(start, i, "const") || has_word(start, i, "constexpr") ||
                        has_word(start, i, "__constant__");
        if (!enumerator && (!constant || has_word(start, i, "typedef") || has_word(start, i, "*") ||
                            has_word(start, i, "&") || is_one_of(i + 1, "( [ ")))
            return false;
        found = true;
    }
    return found;
}

bool is_scalar(const struct local *l) {
    return !l->array && !l->reference && !l->memory &&
           (l->plain_type || l->pointer ||
            (is_template_parameter(l->base) && l->base + 1 == l->declarator));
}

const char number_types[] = "bool char short int long float double signed unsigned size_t "
                            "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t ";

enum aim { SAME_FOR_ALL, BY_INDEX, STABLE };
static bool same(int first, int last, enum aim aim);

const char number_words[] = "bool char short int long float double signed unsigned ";

bool holds_numbers(const struct local *l) {
    int end = l->statement < 0 ? l->name : locals[statements[l->statement].locals].declarator;
    for (int i = l->base; i < l->name; i++)
        if ((i < end || i >= l->declarator) && !is_one_of(i, number_words) &&
            !is_one_of(i, "* const constexpr extern __restrict__ __restrict __shared__ static "))
            return false;
    return !l->automatic && !l->reference;
}

const char *outer_names = "";

static bool is_outer_name(int i, enum aim aim) {
    static const char values[] = "true false nullptr __null warpSize min max sizeof ";
    if (is_one_of(i, values) || is_one_of(i, number_types) || is_one_of(i, "const static_cast "))
        return aim != STABLE || is_one_of(i, number_words) ||
               !(is_one_of(i, number_types) || is_one_of(i, "min max "));
    if (!is_use(i) || (!is_template_parameter(i) && (is(i + 1, "(") || !is_constant(i))))
        return false;
    char *word = format(" %s ", join(i, i));
    if (aim == STABLE && is(i + 1, "<") && angle_close(i + 1) > 0)
        return false;
    if (aim == STABLE && !strstr(outer_names, word))
        outer_names = format("%s%s", outer_names, word);
    return true;
}

static bool same_name(int i, enum aim aim) {
    if (is_one_of(i, "blockDim gridDim blockIdx ") || (aim != SAME_FOR_ALL && is(i, "threadIdx")))
        return is(i + 1, ".");
    int k = local_of(i);
    if (k < 0)
        return is_outer_name(i, aim);
    const struct local *l = &locals[k];
    if (is(i + 1, "(") || is(i + 1, "["))
        return false;
    switch (aim) {
    case SAME_FOR_ALL:
        return l->use == UNIFORM || (l->use == OUTSIDE && !l->memory);
    case BY_INDEX:
        return ((l->use == UNIFORM || l->use == OUTSIDE) && !l->modified && !l->memory) ||
               l->use == AGAIN;
    case STABLE:
        if (l->use < INSIDE)
            return holds_numbers(l) && !l->memory;
        return holds_numbers(l) && is_scalar(l) && !l->modified && l->initial >= 0 &&
               same(l->initial, l->initial_end, STABLE);
    }
    return false;
}

/* A division by what may be 0 must not be done for threads that have returned. */
static bool divides(int i, enum aim aim) {
    return !(aim != SAME_FOR_ALL || !returns_early || tokens[i + 1].kind == NUMBER ||
             is_one_of(i + 1, "blockDim gridDim warpSize ") ||
             (is_name(i + 1) && local_of(i + 1) < 0));
}

/* Is the `*` at token i a multiplication, for certain? */
static bool multiplies(int i) {
    int k = is_use(i + 1) ? local_of(i + 1) : -1;
    if (k >= 0 && locals[k].pointer)
        return false; /* (int)*p */
    if (!is(i - 1, ")") || !is(i + 1, "("))
        return true;
    for (int j = tokens[i - 1].match + 1; j < i - 1; j++)
        if (tokens[j].kind == NUMBER || local_of(j) >= 0 || is_one_of(j, "+ - / % . "))
            return true;
    return false; /* (int)*(p + 1) */
}

static bool same(int first, int last, enum aim aim) {
    for (int i = first; i <= last; i++) {
        bool unary = i == first || (tokens[i - 1].kind == PUNCTUATION && !is_one_of(i - 1, ") ] "));
        if (tokens[i].kind == NUMBER)
            continue;
        if (is_name(i)) {
            if (is_one_of(i - 1, ". ") && i > first)
                continue; /* of a name that has been looked at */
            if (!same_name(i, aim))
                return false;
        } else if (is_one_of(i, "* & ") && unary) {
            /* (float *)p is a cast */
            if (!is(i, "*") || !is_one_of(i + 1, ") * "))
                return false;
        } else if ((is(i, "&") && is_one_of(i + 1, ") > ")) || (is(i, "*") && !multiplies(i))) {
            return false;
        } else if (is_one_of(i, "/ % ") && divides(i, aim)) {
            return false;
        } else if ((shift(i, "+") || shift(i, "-")) ||
                   is_one_of(i, "= -> [ ] { } <<= >>= ->* ; ")) {
            return false;
        } else if (is(i, ".") && (!is_name(i - 1) || is(i + 2, "("))) {
            return false;
        } else if (tokens[i].kind == TEXT) {
            return false;
        }
    }
    return first <= last;
}

static bool assigns(int i) { /* behind a name */
    if (is(i, "=") || is_one_of(i, "<<= >>= "))
        return true;
    return is_one_of(i, "+ - * / % & | ^ ") && !tokens[i + 1].spaced &&
           (is(i + 1, "=") || ((is(i, "+") || is(i, "-")) && same_text(i, i + 1)));
}

static const char no_calls[] =
    "if for while switch return sizeof static_cast min max __syncthreads ";

/* Has the statement a cut within it? */
static bool has_cuts(int s) {
    bool any = statements[s].kind == WARP || statements[s].kind == BARRIER;
    for (int k = statements[s].inner; k >= 0 && !any; k = statements[k].next)
        any = has_cuts(k);
    return any;
}

/* Does a call hand its argument, from token i up to `end`, to a reference, perhaps? */
static bool given_by_reference(int i, int end) {
    if (!is_one_of(i - 1, "( , ") || !is_one_of(end, ") , "))
        return false;
    int open = i - 1;
    while (open > body && !is_one_of(open, "( { ; "))
        open = closes(open - 1) ? tokens[open - 1].match : open - 1;
    int name = open - 1;
    if (!is(open, "("))
        return false;
    if (is(name, ">") && angle_open(name) > 0)
        name = angle_open(name) - 1;
    if (is(name, ")")) /* (unsigned)(x) is no call */
        return !is_one_of(tokens[name].match + 1, number_types);
    if (!is_name(name))
        return is(name, "]");
    if (is_one_of(name, no_calls) || is_one_of(name, number_types) || is_template_parameter(name))
        return false;
    bool known = false;
    for (int k = 0; k < function_count + method_count; k++) {
        int other = k < function_count ? functions[k].name : methods[k - function_count].name;
        if (!same_text(other, name) || !opens(other + 1))
            continue;
        known = true;
        if (has_word(other, tokens[other + 1].match, "&") ||
            has_word(other, tokens[other + 1].match, "&&"))
            return true;
    }
    return !known;
}

/* Is the variable at token i changed there, or may it be later, as by its address? */
static bool modifies(int i) {
    const struct local *l = &locals[local_of(i)];
    if (assigns(i + 1) ||
        ((is_one_of(i - 1, "+ - ") && same_text(i - 2, i - 1) && !tokens[i - 1].spaced)))
        return true;
    if (is(i - 1, "&") && !is_name(i - 2) && !is_one_of(i - 2, ") ] ") &&
        tokens[i - 2].kind != NUMBER)
        return true;
    int end = i + 1; /* of v, or of v.a[0] */
    while (is(end, ".") || (end > i + 1 && is(end, "[")))
        end = is(end, ".") ? end + 2 : tokens[end].match + 1;
    if (end > i + 1 || (is(end, "[") && !l->pointer) || given_by_reference(i, end))
        return l->statement >= 0 || end == i + 1 || is(end, "(") || assigns(end) ||
               given_by_reference(i, end);
    /* What a reference is bound to, `T &r = x` */
    int start = i;
    while (start > body && !is_one_of(start - 1, "; { } ("))
        start--;
    for (int k = start; k < i; k++)
        if (is_one_of(k, "& && ") && is_name(k + 1) && (is_one_of(k + 2, "= : ( { ")) &&
            (is_name(k - 1) || is(k - 1, ">")))
            return true;
    return false;
}

/* `v = e`, `v += e`, `v++`, `++v`: the token of v; -1: something else. */
static int changed_by(const struct spot *p, int *from) {
    bool before = is_one_of(p->first, "+ - ") && same_text(p->first, p->first + 1);
    int v = before ? p->first + 2 : p->first, k = v + 1;
    *from = -1;
    if (!is_name(v) || local_of(v) < 0)
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
    for (int i = first, from = first; i <= last + 1; i++) {
        if (i == last + 1 || is(i, ",")) {
            if (from < i) {
                spots = grow(spots, ((size_t)spot_count + 1) * sizeof *spots);
                spots[spot_count++] = (struct spot){from, i - 1, statement};
            }
            from = i + 1;
        } else if (opens(i)) {
            i = tokens[i].match;
        }
    }
}

static int step_of(int s) { /* of a `for`: the `;` before its step */
    int i = statements[statements[s].inner].last + 1, close = tokens[statements[s].open].match;
    while (i < close && !is(i, ";"))
        i = opens(i) ? tokens[i].match + 1 : i + 1;
    return i;
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
        if (!same_text(i, l->name) || local_of(i) != (int)(l - locals) || !modifies(i))
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
                : loop >= 0 && way == (statements[loop].own ? loop : statements[loop].way));
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
        struct statement *t = &statements[s];
        if (t->own && (has_barrier(t->first, t->last) ||
                       (t->kind == IF && statements[t->inner].next >= 0 && has_cuts(t->inner) &&
                        has_cuts(statements[t->inner].next)))) {
            *because = t->first;
            return false;
        }
        if (t->kind == FOR && t->own)
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

bool find_uniform(int template_header, int open, int *because) {
    header = template_header, body = open;
    spot_count = 0;
    returns_early = has_word(open, tokens[open].match, "return");
    find_ways(0, -1);
    find_spots(0);
    for (int k = 0; k < local_count; k++) {
        struct local *l = &locals[k];
        for (int i = l->name + 1; i <= l->scope_last; i++)
            l->modified |= same_text(i, l->name) && local_of(i) == k && modifies(i);
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
            l->initial >= 0 && !is(l->initial, "{") && same(l->initial, l->initial_end, BY_INDEX))
            l->use = AGAIN;
    }
    return ways_are_right(because);
}
