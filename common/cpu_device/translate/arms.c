/*
 * arms.c: see arms.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arms.h"
#include "calls.h"

/* Where the ways through a statement meet: each other, at the end of a loop too, others as well, in
 * a store that they share. */
enum meeting { ALONE, LOOP_END, OTHERS, ONE_STORE };

/* A statement `x[i] = ...;` at the end of an arm: its first token, its `=`, its `;`. */
struct store {
    int arm, first, assign, end;
};
enum { MAX_ARMS = 16 };
struct arms {
    struct store at[MAX_ARMS];
    int count;
    bool all; /* every arm ends in a store */
};

static int body_open; /* of the function that is walked through */

/* Tokens from one on, up to another. */
struct range {
    int open, close;
};
static struct range loop; /* the innermost around */

static int past_labels(int i, int end) {
    while (is_one_of(i, "case default ")) {
        while (i < end && !is(i, ":"))
            i++;
        i++;
    }
    return i;
}

/* The last statement of a block, without the braces around it. */
static int last_statement(int i, int end) {
    while (is(i, "{") && opens(i)) {
        int close = tokens[i].match, last = i + 1;
        for (int k = i + 1; k < close; k = statement_end(last, close) + 1)
            last = past_labels(k, close);
        if (last >= close || last == i)
            return close;
        i = last;
        end = close;
    }
    return i < end ? i : end;
}

/* x[i] =, p->x[i] +=, *p = */
static bool is_store(int i, int end, struct store *s) {
    bool memory = is(i, "*");
    int k = i + memory;
    if (!memory && !is_name(i) && !is(i, "("))
        return false;
    for (; k < end && !is(k, "="); k = opens(k) ? tokens[k].match + 1 : k + 1) {
        memory |= is(k, "[");
        if (is_one_of(k, "; , ? && || return else ") || (k > i && is_name(k) && is_name(k - 1)))
            return false;
    }
    *s = (struct store){.first = i, .assign = k, .end = end};
    return memory && is(k, "=") && is(end, ";");
}

static bool same(int a, int a_end, int b, int b_end) {
    if (a_end - a != b_end - b)
        return false;
    for (; a < a_end; a++, b++)
        if (!same_text(a, b))
            return false;
    return true;
}

static int condition_of(int i) { return i + 1 + is(i + 1, "constexpr"); }
static bool has_else(int i, int *then, int *other, int end) {
    if (!is(i, "if") || !opens(condition_of(i)))
        return false;
    *then = tokens[condition_of(i)].match + 1;
    *other = statement_end(*then, end) + 2;
    return is(*other - 1, "else");
}

/* The stores at the ends of the arms, of the `if` in an arm too. */
static void find_arms(int i, int end, struct arms *a) {
    int then, other, last = last_statement(i, end);
    int last_end = statement_end(last, end);
    if (has_else(last, &then, &other, end)) {
        find_arms(then, other - 1, a);
        find_arms(other, last_end + 1, a);
        return;
    }
    if (a->count == MAX_ARMS || !is_store(last, last_end, &a->at[a->count])) {
        a->all = false;
        return;
    }
    a->at[a->count++].arm = i;
}

/* From the `[` of a store on, up to where it is assigned. */
static struct range index_of(const struct store *s) {
    struct range x = {s->first, s->assign};
    while (x.open < s->assign && !is(x.open, "["))
        x.open++;
    while (is_one_of(x.close - 1, "+ - * / % & | ^ "))
        x.close--;
    return x;
}
static bool is_compound(const struct store *s) { return index_of(s).close < s->assign; }

static bool to_one_place(const struct arms *a) {
    const struct store *s = a->at;
    for (int k = 1; k < a->count; k++)
        if (!same(s->first, index_of(s).close, s[k].first, index_of(&s[k]).close))
            return false;
    return a->all;
}

static bool varies(struct range x) {
    for (int i = x.open; i < x.close; i++)
        if (is_name(i) && !(is_name(i - 1) || is_one_of(i - 1, ". -> ")))
            return true;
    return false;
}

/* Is there a `[...]` like that? `partly`: one with a name of it; `named`: of the same array. */
enum likeness { LIKE, PARTLY, NAMED };
static bool has_index(struct range x, int first, int end, enum likeness how) {
    for (int i = first; i < end; i++) {
        if (!is(i, "[") || !opens(i))
            continue;
        if (same(i, i + x.close - x.open, x.open, x.close) &&
            (how != NAMED || same_text(i - 1, x.open - 1)))
            return true;
        for (int k = i + 1; how == PARTLY && k < tokens[i].match; k++)
            for (int m = x.open; m < x.close; m++)
                if (is_name(k) && same_text(k, m))
                    return true;
    }
    return false;
}

/* Is a name of a place given a value between two tokens? */
static bool changes(int place, int place_end, int first, int end) {
    for (int m = place; m < place_end; m++)
        for (int i = first; is_name(m) && i < end; i++)
            if (same_text(i, m) && (is_one_of(i + 1, "= += -= *= /= %= >>= <<= |= &= ^= ++ -- ") ||
                                    is_one_of(i - 1, "++ -- & ")))
                return true;
    return false;
}

static bool is_unsigned(struct range x) {
    for (int m = x.open; m < x.close; m++)
        for (int i = body_open; is_name(m) && i < m; i++)
            if (same_text(i, m) && is(i + 1, "=") &&
                (is_one_of(i - 1, "unsigned size_t uint32_t uint uint64_t ") ||
                 is(i - 2, "unsigned")))
                return true;
    return false;
}

/* Is an array declared __shared__? Its addresses are of another size than its neighbours'. */
static bool is_shared(int name) {
    for (int i = 0; i < name; i++)
        if (is(i, "__shared__"))
            for (i++; i < name && !is(i, ";"); i++)
                if (same_text(i, name))
                    return true;
    return false;
}

/* What an arm does, as far as it shows.  What stands before the `if`, too, is loaded there. */
struct doing {
    int loads;
    bool at_index, elsewhere, stores; /* loads what has the store's index, or another; stores */
    bool constant, ready, steady;     /* = 0; = v; what does not change in the loop */
    int first_load;                   /* its `[` */
};
static struct doing doing_of(const struct store *s, int before) {
    struct range x = index_of(s);
    struct doing d = {.constant = true, .ready = s->end == s->assign + 2};
    for (int i = s->arm; i < s->end; i++) {
        if (i >= s->first && i <= s->assign)
            continue;
        d.constant &= i < s->assign || !is_name(i);
        if (!is(i, "[") || !opens(i) || !is_name(i - 1))
            continue;
        int end = tokens[i].match + 1, k = body_open;
        while (k < before && !same(k, k + end - i + 1, i - 1, end))
            k++;
        d.first_load = d.loads++ == 0 ? i : d.first_load;
        d.loads -= k < before;
        bool there = same(i, end, x.open, x.close);
        d.at_index |= there;
        d.elsewhere |= !there;
        d.stores |= i < s->first && is(end, "=");
    }
    d.ready |= d.constant;
    d.steady = d.ready || (loop.open && !d.at_index && !d.elsewhere &&
                           !changes(s->assign, s->end, loop.open, loop.close));
    return d;
}

static bool at_first(struct range x, int i) {
    return same(i, tokens[i].match + 1, x.open, x.close);
}

/* (... && a[i] > 0): the other arm is reached from both parts. */
static bool loads_in_parts(int before) {
    bool parts = false;
    for (int i = tokens[before - 1].match; i < before; i++) {
        parts |= is_one_of(i, "&& || ");
        if (parts && is(i, "[") && opens(i))
            return true;
    }
    return false;
}

/* Does nvcc make one store of them? The arms begin at token `before`. */
static bool is_joined(const struct arms *a, int before, enum meeting m) {
    struct range x = index_of(a->at);
    struct doing d[MAX_ARMS];
    bool constant = false, at_index = false, elsewhere = false;
    int least = 1000, most = 0;
    for (int k = 0; k < a->count; k++) {
        d[k] = doing_of(&a->at[k], before);
        if (d[k].stores)
            return true;
        least = d[k].loads < least ? d[k].loads : least;
        most = d[k].loads > most ? d[k].loads : most;
        constant |= d[k].constant;
        at_index |= d[k].at_index;
        elsewhere |= d[k].elsewhere;
    }
    if (is_compound(a->at))
        return most == 0;
    if (!varies(x) || has_index(x, body_open, before, NAMED) ||
        (loop.open && !changes(a->at[0].first, x.close, loop.open, loop.close)))
        return true;
    bool known = has_index(x, body_open, before, LIKE);
    at_index = at_index && !is_shared(x.open - 1);
    if (a->count > 2)
        return known ? !(constant && most > 0) : !at_index && !constant;
    /* The arm that comes last, or first at the end of a loop, is no arm if it has a constant. */
    bool last = m != LOOP_END;
    if (d[last].constant && !d[!last].steady)
        return false;
    if (known && m == ALONE && loads_in_parts(before))
        return d[0].ready && d[1].ready && !at_index;
    if (known || !at_index || d[0].ready || d[1].ready)
        return known || !at_index || loop.open || is_unsigned(x) || !constant;
    int p = d[0].first_load, q = d[1].first_load;
    if (least == 0)
        return false;
    if (least == most && (least > 1 || same_text(p - 1, q - 1)))
        return true;
    if (loop.open || is_unsigned(x))
        return at_first(x, p) && at_first(x, q);
    return elsewhere && has_index(x, body_open, before, PARTLY);
}

/* A load x[i] at its `[`; its first token is the name. */
static bool is_load(int i, int end) {
    return is(i, "[") && opens(i) && is_name(i - 1) && !is_one_of(i - 2, ". -> ") &&
           tokens[i].match < end && !is(tokens[i].match + 1, "=");
}
static int find_load(int like, int first, int end) {
    for (int i = first; i < end; i++)
        if (is_load(i, end) &&
            (like < 0 || same(i - 1, tokens[i].match + 1, like - 1, tokens[like].match + 1)))
            return i;
    return -1;
}

/* That of `x[i] += y` comes after those of y. */
static int first_load(int first, int end) {
    int i = find_load(-1, first, end), next;
    struct store s;
    if (i >= 0 && is_store(first, statement_end(first, end), &s) && i < s.assign &&
        (next = find_load(-1, s.assign, end)) >= 0)
        return next;
    return i;
}

/* Both arms load the same, and not first: gcc would load it before the `if`, nvcc does not. */
static bool loads_stay(int then, int other, int end) {
    int mine = first_load(then, other - 1), its = first_load(other, end);
    if (mine < 0 || its < 0 ||
        same(mine - 1, tokens[mine].match + 1, its - 1, tokens[its].match + 1))
        return false;
    bool common = false;
    for (int i = then; i < other - 1; i++) {
        if (is_load(i, other - 1) && find_load(i, body_open, then) >= 0)
            return false; /* it is in a register already */
        common |= is_load(i, other - 1) && find_load(i, other, end) >= 0;
        if (is_one_of(i, "-> if for while ") || (is(i, "*") && !is_name(i - 1) && !closes(i - 1)))
            return false;
    }
    return common;
}

static const char nothing[] = "({ __asm__ volatile(\"\" ::: \"memory\"); })";

static void walk_block(int first, int end, enum meeting last);

static void walk(int i, int end, enum meeting m) {
    int then, other;
    if (is(i, "{") && opens(i)) {
        walk_block(i + 1, tokens[i].match, m);
    } else if (has_else(i, &then, &other, end)) {
        struct arms a = {.all = true};
        find_arms(then, other - 1, &a);
        find_arms(other, end + 1, &a);
        bool one_place = to_one_place(&a);
        if (m < OTHERS && one_place && is_joined(&a, then, m))
            m = ONE_STORE;
        if (m != ONE_STORE)
            m = OTHERS;
        /* The last one needs no mark: one store is left with nothing to join it with. */
        for (int k = 0; m == OTHERS && one_place && k + 1 < a.count; k++)
            append(&tokens[a.at[k].end].before, format(", %s", nothing));
        struct store first;
        if (loads_stay(then, other, end + 1)) {
            if (is(then, "{"))
                append(&tokens[then].after, format(" %s; ", nothing));
            else if (is_store(then, other - 2, &first))
                append(&tokens[then].before, format("%s, ", nothing));
        }
        if (one_place)
            m = ONE_STORE; /* what is inside was part of it */
        walk(then, other - 2, m);
        walk(other, end, m);
    } else if (is(i, "if") && opens(condition_of(i))) {
        walk(tokens[condition_of(i)].match + 1, end, OTHERS);
    } else if ((is_one_of(i, "for while ") && opens(i + 1)) || is(i, "do")) {
        struct range around = loop;
        int first = is(i, "do") ? i + 1 : tokens[i + 1].match + 1;
        loop = (struct range){i, end};
        walk(first, is(i, "do") ? statement_end(first, end) : end,
             has_word(first, end, "continue") ? OTHERS : LOOP_END);
        loop = around;
    } else if (is(i, "switch") && opens(i + 1)) {
        walk(tokens[i + 1].match + 1, end, OTHERS);
    }
}

/* A store before a `return` is in an arm, too: of the `if` whose other way is the rest. */
static bool several_returns;

static void walk_block(int first, int end, enum meeting last) {
    for (int i = past_labels(first, end); i < end;) {
        int stop = statement_end(i, end), next = past_labels(stop + 1, end);
        if (stop >= end)
            return;
        bool at_end = next >= end || (is(next, "return") && is(next + 1, ";"));
        walk(i, stop, at_end ? last : is_one_of(next, "break continue goto ") ? OTHERS : ALONE);
        struct store s = {.arm = i};
        if (several_returns && is(next, "return") && next < end && is_store(i, stop, &s))
            append(&tokens[stop].before, format(", %s", nothing));
        i = next;
    }
}

/* The ways out before the last statement. */
static int early_returns(int open) {
    int last = tokens[open].match, count = 0;
    if (is(last - 1, ";") && is(last - 2, "return"))
        last -= 2;
    for (int i = open; i < last; i++)
        count += is(i, "return");
    return count;
}

void part_arms(void) {
    for (int k = 0; k < body_count; k++) {
        const struct body *b = &bodies[k];
        if (tokens[b->start].origin != OF_USER || !(b->kernel || !of_host(b)) || !opens(b->open) ||
            has_word(b->start, b->open, "constexpr"))
            continue;
        body_open = b->open;
        int returns = early_returns(b->open);
        several_returns = returns > 1;
        walk_block(b->open + 1, tokens[b->open].match, returns ? OTHERS : ALONE);
    }
}
