/*
 * statements.c: a kernel's body as a tree of statements, and its variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "statements.h"
#include "waits.h"

struct statement *statements;
int statement_count;
struct local *locals;
int local_count;
static int refused_at;
static const char *refusal;
static bool (*is_apart)(int loop, int last);

static int refuse(int i, const char *why) {
    if (refused_at < 0)
        refused_at = i, refusal = why;
    return -1;
}

static int add_statement(enum statement_kind kind, int first, int last) {
    ADD(statements, statement_count,
        (struct statement){.kind = kind,
                           .first = first,
                           .last = last,
                           .inner = -1,
                           .next = -1,
                           .locals = local_count,
                           .region = -1,
                           .parent = -1,
                           .way = -1});
    return statement_count - 1;
}

const char number_types[] = "bool char short int long float double signed unsigned size_t "
                            "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t "
                            "ptrdiff_t uint uchar ushort ulong clock_t ";

static const char qualifiers[] = "const constexpr __restrict__ __restrict extern static __shared__ "
                                 "volatile register typename inline ";

/* Behind the type that a declaration begins with. */
static int past_base(int i, struct local *l) {
    bool words = false, name = false;
    l->plain_type = true;
    for (;; i++) {
        if (is_one_of(i, "alignas __align__ __attribute__ ") && opens(i + 1))
            i = tokens[i + 1].match;
        else if (is_one_of(i, qualifiers))
            ;
        else if (is_one_of(i, number_types) || is(i, "void"))
            words = true;
        else if (is(i, "auto"))
            words = l->automatic = true;
        else if (is_name(i) && !words && !name) {
            name = true;
            l->plain_type = false;
            while (is(i + 1, "::") || is(i + 1, "<")) {
                if (is(i + 1, "<") && angle_close(i + 1) < 0)
                    return i + 1;
                i = is(i + 1, "<") ? angle_close(i + 1) : i + 2;
            }
        } else {
            return words || name ? i : -1;
        }
    }
}

/* From the `<` of token i, may a `,` be one between template arguments? */
static bool has_comma(int i) { return is(i, "<") && find(i + 1, past(i) - 1, ", ") < past(i) - 1; }

/* A declarator and its initializer, from token i; the `,` or `;` after them; -1: it is none. */
static int read_declarator(int i, int last, struct local *l) {
    l->declarator = i;
    for (; is_one_of(i, "* & && const __restrict__ __restrict "); i++) {
        l->pointer |= is(i, "*");
        l->reference |= is_one_of(i, "& && ");
    }
    if (!is_name(i))
        return -1;
    l->name = i++;
    for (; is(i, "[") && opens(i); i = tokens[i].match + 1)
        l->array = true;
    l->end = i;
    l->initial = l->initial_end = -1;
    if (is(i, "="))
        l->initial = ++i;
    else if (is_one_of(i, "( { ") && opens(i))
        l->initial = i;
    else if (!is_one_of(i, ", ; "))
        return -1;
    for (; i < last && !is_one_of(i, ", ; "); i = past(i)) /* `v = n < 3, w = n > (4)`? */
        if (has_comma(i) && find(find(i, past(i), ", "), past(i), "= ( { [ ") < past(i))
            refuse(i, "a comma that may be one between template arguments");
    if (l->initial >= 0)
        l->initial_end = i - 1;
    return i;
}

/* `T (x) = ...;`, `T ((x))`, `T (x[2])`: one name, no operators. If T is a function, a call. */
static bool holds_declarator(int open) {
    int names = 0;
    for (int i = open + 1; i < tokens[open].match; i++) {
        if (is(i, "[") && opens(i))
            i = tokens[i].match;
        else if (is_name(i) && !is_one_of(i, "const volatile __restrict__ __restrict "))
            names++;
        else if (!is_one_of(i, "( ) * & && const volatile __restrict__ __restrict "))
            return false;
    }
    return names == 1;
}

/* Is a function's name that of a type, too? It stands somewhere where no function is called. */
static bool is_type_too(int name) {
    for (int i = 1; i < token_count; i++)
        if (same_text(i, name) && tokens[i].origin == OF_USER && !is_one_of(i + 1, "( < "))
            return true;
    return false;
}

/* What would be seen in its own part alone, were it a declaration. */
static bool may_declare(int first, int last) {
    if (is_one_of(first, "if for while do switch return else delete throw case default break "
                         "continue { ; "))
        return false;
    if (is_one_of(first, number_types) || is_one_of(first, "auto ") || is_one_of(first, qualifiers))
        return true;
    int open = first, name = first;
    for (; is_name(open) || is_one_of(open, ":: < "); open++) {
        name = is_name(open) ? open : name;
        if (is(open, "<") && (open = angle_close(open)) < 0)
            break;
    }
    if (open > first && is(open, "(") && opens(open) && holds_declarator(open) &&
        (!is_function(name, false) || is_type_too(name)))
        return true;
    for (int i = first; i < last && !is(i, "="); i++) {
        if (opens(i) && is(i, "{"))
            return true;
        i = opens(i) ? tokens[i].match : i;
        if ((is_name(i) || is_one_of(i, "> ] ") || (is(i, ")") && tokens[i].match > first)) &&
            is_name(i + 1))
            return true;
    }
    return is(first, "[");
}

/* `T *(x) = ...;`, `T (&x)[3] = ...;`, or an expression, `f(&x);`? From behind the `T`. */
static bool may_be_one(int i) {
    return is_one_of(i, "* & && ( ") &&
           (!is(i, "(") || !is_function(i - 1, false) || !is(tokens[i].match + 1, ";"));
}

/* `int v = n, n = 4;`: two; `n = sizeof(n)`: itself. */
static void refuse_uses(int name, int first, int end) {
    for (int k = first; k < end; k++)
        if (k != name && same_text(k, name) && is_use(k))
            refuse(k, "a name is used, and then declared");
}

/* Of a declaration whose first declarator is at token i. */
static void refuse_specifiers(int first, int i, int last) {
    if (has_one_of(first, i, "static extern "))
        refuse(first, "a static variable");
    if (has_word(first, last, "__attribute__")) /* its alignment, perhaps */
        refuse(first, "an attribute");
}

/* What a statement declares, if it is a declaration. */
static void read_locals_of(int s, int scope_last) {
    static const char none[] = "return else delete throw case default if for while do switch new "
                               "break continue goto using typedef static_assert sizeof ";
    int first = statements[s].first, last = statements[s].last;
    struct local base = {.base = first, .statement = s, .scope_last = scope_last, .use = KEPT};
    if (is_one_of(first, "struct class union enum template "))
        refuse(first, "a type is declared there");
    if (!is_name(first) || is_one_of(first, none) || local_of(first) >= 0)
        return;
    int i = past_base(first, &base);
    bool shared = i >= 0 && has_word(first, i, "__shared__");
    if (i < 0 || (is(i, "(") && !is_one_of(i + 1, "* & && ")))
        return;
    if (!shared)
        refuse_specifiers(first, i, last);
    for (bool more = true; more; i++) {
        struct local l = base;
        int from = i;
        i = read_declarator(i, last, &l);
        if (i < 0) {
            if ((is_one_of(first, number_types) && !is(first + 1, "(")) ||
                statements[s].local_count || may_be_one(from))
                refuse(first, "a declaration of an unusual kind");
            return;
        }
        refuse_uses(l.name, first, i);
        if (shared || has_word(first, l.declarator, "constexpr"))
            l.use = OUTSIDE;
        l.memory = shared && !l.array;
        ADD(locals, local_count, l);
        statements[s].local_count++;
        more = is(i, ",");
    }
}

static void read_locals(int s, int scope_last) {
    if (is_one_of(statements[s].first, "using typedef static_assert "))
        return;
    read_locals_of(s, scope_last);
    if (!statements[s].local_count && may_declare(statements[s].first, statements[s].last))
        refuse(statements[s].first, "a declaration of an unusual kind");
}

bool has_barrier(int first, int last) { return has_word(first, last + 1, "__syncthreads"); }

bool has_cut(int first, int last) {
    for (int i = first; i <= last; i++)
        if (is_warp_function(i))
            return true;
    return has_barrier(first, last);
}

int warp_call_at(int i) {
    for (int s = 0; s < statement_count; s++)
        if (statements[s].kind == WARP && statements[s].first == i)
            return s;
    return -1;
}

bool argument_of(int i, int n, int *first, int *last) {
    int close = tokens[i + 1].match, comma = i + 1;
    do {
        *first = comma + 1;
        read_parameter(*first, close, &comma);
    } while (n-- && comma < close);
    *last = comma - 1;
    return n < 0 && *first < comma;
}

int changes_in(int first, int last) {
    int n = 0;
    for (int i = first; i <= last; i++) {
        if (shift(i, "+") || shift(i, "-"))
            n += 2;
        n += is_one_of(i, "= <<= >>= ");
    }
    return n;
}

/* The calls of warp functions in a part of the statement that begins at `begin`, those within
 * others first. It must be certain that they are done once each, before all else. */
static void read_warp_calls(int begin, int first, int last) {
    bool unsure = false;
    for (int i = first; i <= last; i++) {
        unsure |= is_one_of(i, "? && || ");
        if (!is_warp_function(i)) {
            if (opens(i) && !has_cut(i, tokens[i].match))
                i = tokens[i].match;
            continue;
        }
        int close = tokens[i + 1].match;
        bool atomic = false;
        for (int k = i + 2; k < close; k++)
            atomic |= is_atomic(k) || has_comma(k);
        if (unsure || atomic || changes_in(i + 1, close))
            refuse(i, "a warp function in a part of an expression");
        read_warp_calls(begin, i + 2, close - 1);
        int s = add_statement(WARP, i, close);
        statements[s].open = begin;
        i = close;
    }
}

static int read_statement(int i, int end, int scope_last);

/* Those between two tokens, as a pair of braces. */
static int read_all(int first, int last, int scope_last) {
    int all = add_statement(BRACES, first, last), before = -1;
    for (int i = first; i <= last && refused_at < 0;) {
        int s = read_statement(i, last, scope_last);
        if (s < 0)
            return -1;
        if (before < 0)
            statements[all].inner = s;
        else
            statements[before].next = s;
        for (before = s; statements[before].next >= 0;)
            before = statements[before].next;
        i = statements[before].last + 1;
    }
    return all;
}
static int read_body(int first, int last) {
    if (!is(first, "{"))
        return read_all(first, last, last);
    int all = read_all(first + 1, last - 1, last);
    if (all >= 0)
        statements[all].first = first, statements[all].last = last;
    return all;
}

static int read_loop(int i, int last, int scope_last) {
    bool ends = is(i, "do"), strided = !has_cut(i, last);
    int s = add_statement(ends ? DO : is(i, "for") ? FOR : WHILE, i, last), begin = -1;
    int body_last = ends ? statement_end(i + 1, scope_last) : last;
    int open = ends ? body_last + 2 : i + 1, close = tokens[open].match;
    if ((ends && !is(body_last + 1, "while")) || !opens(open))
        return refuse(i, "a loop of an unusual kind");
    statements[s].open = open;
    if (has_cut(open, close))
        return refuse(i, "a warp function in a loop's condition");
    if (is(i, "while") && may_declare(i + 2, close))
        return refuse(i, "an unusual condition");
    if (is(i, "for")) { /* what it declares belongs to a statement of its own */
        int semicolon = find(i + 2, close, "; "), second = find(semicolon + 1, close, "; ");
        if (!is(semicolon, ";") || !is(second, ";"))
            return refuse(i, "a barrier in a loop over a range");
        begin = add_statement(ONCE, i + 2, semicolon);
        read_locals(begin, last);
    }
    int body =
        strided ? read_all(close + 1, last, last) : read_body(ends ? i + 1 : close + 1, body_last);
    statements[s].strided = strided;
    statements[s].inner = begin < 0 ? body : begin;
    if (begin >= 0)
        statements[begin].next = body;
    return s;
}

static int read_if(int i, int last) {
    int open = i + 1 + is(i + 1, "constexpr");
    int s = add_statement(IF, i, last);
    statements[s].open = open;
    int then_last = statement_end(tokens[open].match + 1, last);
    int then = read_body(tokens[open].match + 1, then_last);
    int other = is(then_last + 1, "else") ? read_body(then_last + 2, last) : -1;
    if (then >= 0)
        statements[then].next = other;
    statements[s].inner = then;
    return s;
}

/* A statement after the warp functions that are called in it, from token `first` to `last`. */
static int after_warp_calls(int i, int first, int last) {
    int begin = statement_count;
    read_warp_calls(i, first, last);
    for (int s = begin; s < statement_count; s++)
        statements[s].next = s + 1;
    return begin;
}

static int read_statement(int i, int end, int scope_last) {
    static const char none[] = "switch case default return ";
    int last = statement_end(i, end + 1);
    if (last > end)
        return refuse(i, "a statement without an end");
    if (!has_cut(i, last) && !(is_apart && is_apart(i, last))) {
        int s = add_statement(PLAIN, i, last);
        read_locals(s, scope_last);
        return s;
    }
    if (is(i, "__syncthreads") && is(i + 1, "(") && is(i + 2, ")") && is(i + 3, ";"))
        return add_statement(BARRIER, i, last);
    if (is(i, "{"))
        return read_body(i, last);
    if (is_one_of(i, "for while do "))
        return read_loop(i, last, last);
    if (is(i, "if")) {
        int open = i + 1 + is(i + 1, "constexpr");
        if (!opens(open) || may_declare(open + 1, tokens[open].match) ||
            has_word(open, tokens[open].match, ";"))
            return refuse(i, "an unusual condition");
        int begin = after_warp_calls(i, open + 1, tokens[open].match - 1);
        if (has_cut(tokens[open].match, last))
            read_if(i, last);
        else
            add_statement(PLAIN, i, last);
        return begin;
    }
    if (has_barrier(i, last) || is_one_of(i, none) || changes_in(i, last) > 1)
        return refuse(i, "a barrier within a statement");
    int begin = after_warp_calls(i, i, last);
    int s = add_statement(PLAIN, i, last);
    read_locals(s, scope_last);
    if (statements[s].local_count > 1)
        return refuse(i, "several variables, and a warp function");
    return begin;
}

static void read_parameters(int open, int scope_last) {
    for (int i = open + 1, next; i < tokens[open].match; i = next + 1) {
        struct local l = {.base = i, .statement = -1, .scope_last = scope_last, .use = UNIFORM};
        l.name = l.declarator = l.end = read_parameter(i, tokens[open].match, &next).name;
        int declarator = past_base(i, &l);
        l.pointer =
            has_word(declarator, l.name, "*") || (is(l.name + 1, "[") && !is(l.name + 2, "["));
        l.reference = has_one_of(declarator, l.name, "& && ");
        l.initial = l.initial_end = -1;
        if (l.name > i && declarator > i && declarator <= l.name && !has_word(i, next, "(") &&
            strncmp(join(l.name, l.name), "cpu_", 4) != 0)
            ADD(locals, local_count, l);
        else if (!is(i, "void") || next > i + 1)
            refuse(i, "a parameter without a name, or of an unusual kind");
        if (has_word(i, next, "..."))
            refuse(i, "a pack of parameters");
    }
}

bool is_use(int i) { return is_name(i) && !is_one_of(i - 1, ". -> :: ") && !is(i + 1, "::"); }

int local_of(int i) {
    int found = -1;
    for (int k = 0; k < local_count && is_use(i); k++)
        if (same_text(locals[k].name, i) && locals[k].name <= i && i <= locals[k].scope_last &&
            (found < 0 || locals[k].name > locals[found].name))
            found = k;
    return found;
}

int type_end(const struct local *l) {
    return l->statement < 0 ? l->name : locals[statements[l->statement].locals].declarator;
}

static void refuse_words(int open) {
    for (int i = open + 1; i < tokens[open].match; i++) {
        const char *why = why_refused(i);
        if (why)
            refuse(i, why);
    }
}

int read_statements(int parameters, int open, bool (*apart)(int loop, int last), int *because,
                    const char **why) {
    refused_at = -1;
    is_apart = apart;
    local_count = statement_count = 0;
    refuse_words(open);
    read_parameters(parameters, tokens[open].match);
    int all = refused_at < 0 ? read_all(open + 1, tokens[open].match - 1, tokens[open].match) : -1;
    *because = refused_at, *why = refusal;
    return refused_at < 0 ? all : -1;
}
