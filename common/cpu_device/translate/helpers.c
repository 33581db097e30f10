/*
 * helpers.c: device functions with barriers or warp functions in them become part of a kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include "functions.h"
#include "helpers.h"
#include "statements.h"
#include "waits.h"

enum { MOST_CALLS = 64, MOST_NAMES = 64, DEEPEST = 4 };

/* A function as it is called at one place. Its variables get a number; for the parameters of its
 * template stands what they are there. */
struct call {
    const struct call *around; /* NULL: the kernel itself */
    int number, names[MOST_NAMES], name_count;
    int parameters[8], first[8], last[8], parameter_count; /* of the template */
};
static struct token *copied;
static int copied_count, call_count, where; /* where: the token of the text that is at hand */
static bool failed;

/* For a call at that token stands what it gives. */
static struct given {
    int call, end;
    struct token *tokens;
    int count;
} given[MOST_CALLS];
static int given_count;

static void add(struct token t) {
    if (copied_count % 1024 == 0)
        copied = grow(copied, ((size_t)copied_count + 1024) * sizeof *copied);
    copied[copied_count++] = t;
}

/* Words that the text has not; they stand behind its end. */
static void add_word(enum kind kind, const char *word) {
    static size_t used;
    size_t n = strlen(word);
    if (used + n > 48 << 10) {
        failed = true;
        return;
    }
    memcpy(text + text_length + 2 + used, word, n);
    add((struct token){.kind = kind,
                       .start = text_length + 2 + used,
                       .length = n,
                       .spaced = true,
                       .copy_of = where,
                       .is_helpers = true});
    used += n;
}

static void copy(int first, int last, const struct call *in);

static void copy_one(int i, const struct call *in) {
    struct token t = tokens[i];
    where = t.copy_of = i;
    t.is_helpers = in->around != NULL;
    for (int k = 0; k < in->parameter_count; k++)
        if (is_use(i) && same_text(i, in->parameters[k])) {
            bool type = is_name(in->first[k]);
            for (int n = in->first[k]; n <= in->last[k]; n++)
                type &= is_name(n);
            if (!type)
                add_word(PUNCTUATION, "(");
            copy(in->first[k], in->last[k], in->around);
            if (!type)
                add_word(PUNCTUATION, ")");
            return;
        }
    for (int k = 0; k < in->name_count; k++)
        if (is_name(i) && !is_one_of(i - 1, ". -> :: ") && same_text(i, in->names[k])) {
            add_word(NAME, format("%s_cpu_%d", join(i, i), in->number));
            copied[copied_count - 1].before = t.before;
            copied[copied_count - 1].after = t.after;
            return;
        }
    add(t);
}

static void copy(int first, int last, const struct call *in) {
    for (int i = first; i <= last; i++) {
        int k = given_count - 1;
        while (k >= 0 && given[k].call != i)
            k--;
        if (k < 0) {
            copy_one(i, in);
            continue;
        }
        for (int n = 0; n < given[k].count; n++)
            add(given[k].tokens[n]);
        i = given[k].end;
    }
}

/* The one function of the file that a call at token i names, if it has cuts. */
static const struct body *helper_at(int i) {
    const struct body *found = NULL;
    int open = is(i + 1, "<") && angle_close(i + 1) > 0 ? angle_close(i + 1) + 1 : i + 1;
    if (!is_name(i) || !is(open, "(") || tokens[i].origin != OF_USER || is_warp_function(i) ||
        is(i, "__syncthreads") || !may_wait(i) || is_one_of(i - 1, ". -> :: "))
        return NULL;
    for (int k = 0; k < function_count; k++)
        if (same_text(functions[k].name, i) && (!found || functions[k].name != found->name))
            for (int b = 0; b < body_count; b++)
                if (bodies[b].name == functions[k].name) {
                    if (found)
                        return NULL;
                    found = &bodies[b];
                }
    return found && !found->kernel && !found->member && !found->implicit &&
                   has_word(found->start, found->name, "__device__")
               ? found
               : NULL;
}
static bool has_helper(int first, int last) {
    for (int i = first; i <= last; i++)
        if (helper_at(i))
            return true;
    return false;
}

static void copy_statements(int first, int last, const struct call *in, int depth);
static void expand_calls(int first, int last, const struct call *in, int depth);

/* `float` of `float x`: the type of what an argument names, if it is declared so. */
static bool type_of(int i, int *first, int *last) {
    for (int k = i - 1; k > 0 && i >= 0; k--) {
        if (!is_name(k) || !same_text(k, i) || !is_name(k - 1) ||
            !is_one_of(k + 1, "= ; , ) ( [ { "))
            continue;
        *last = *first = k - 1;
        while (is_name(*first - 1) && !is_one_of(*first - 1, "const return else "))
            --*first;
        return !is(k + 1, "[") && !is_one_of(*first, "return else new auto ");
    }
    return false;
}

static bool read_template(const struct body *b, int call, struct call *c, int arguments) {
    int open = b->start + 1, n = 0;
    if (!is(b->start, "template"))
        return true;
    for (int i = open + 1, close = angle_close(open); i <= close; i++) {
        if (!is(i, ",") && i < close)
            continue;
        if (n == 8 || !is_name(i - 1) || is(i - 2, "..."))
            return false;
        c->parameters[n++] = i - 1;
    }
    c->parameter_count = n;
    if (is(call + 1, "<")) {
        int k = 0;
        for (int i = call + 2, from = i, close = angle_close(call + 1); i <= close; i++) {
            if (opens(i))
                i = tokens[i].match;
            else if (is(i, ",") || i == close) {
                if (k == n)
                    return false;
                c->first[k] = from, c->last[k++] = i - 1, from = i + 1;
            }
        }
        return k == n;
    }
    for (int k = 0; k < n; k++) { /* (T x) */
        int first, last, p = b->parameters + 1, number = 0;
        while (p < tokens[b->parameters].match &&
               !(same_text(p, c->parameters[k]) && is_name(p + 1)))
            number += is(p++, ",");
        if (p == tokens[b->parameters].match ||
            !argument_of(arguments - 1, number, &first, &last) || first != last ||
            !type_of(first, &c->first[k], &c->last[k]))
            return false;
    }
    return true;
}

/* The parameters become variables, and then come the function's statements; what it returns stands
 * for the call. */
static void expand_call(int call, const struct body *b, const struct call *in, int depth) {
    int arguments = is(call + 1, "<") ? angle_close(call + 1) + 1 : call + 1;
    int open = b->open, close = tokens[open].match, end = close - 1, first, last;
    struct call c = {.around = in, .number = ++call_count};
    where = call;
    failed |= depth > DEEPEST || given_count == MOST_CALLS || has_word(open, close, "__shared__") ||
              is_one_of(b->parameters - 1, "operator ") || !read_template(b, call, &c, arguments);
    if (failed)
        return;
    /* `return x;` at its end alone */
    int returned = -1;
    for (int i = open + 1; i < close; i = statement_end(i, close) + 1)
        if (is(i, "return"))
            returned = i;
    for (int i = open; i < close; i++)
        failed |= (is(i, "return") && i != returned) || is_one_of(i, "__LINE__ static ");
    failed |= returned >= 0 && statement_end(returned, close) != end;
    read_names(b->parameters, open);
    failed |= local_count > MOST_NAMES;
    for (int k = 0; k < local_count && !failed; k++)
        c.names[c.name_count++] = locals[k].name;
    int n = 0;
    for (int i = b->parameters + 1, p = i, stop = tokens[b->parameters].match; i <= stop && !failed;
         i++) {
        if (opens(i))
            i = tokens[i].match;
        if (i == stop ? p == i : !is(i, ","))
            continue;
        int initial = p;
        while (initial < i && !is(initial, "="))
            initial++;
        failed |= has_word(p, i, "&") || has_word(p, i, "[") || !is_name(initial - 1);
        if (failed)
            return;
        bool has = argument_of(arguments - 1, n++, &first, &last);
        failed |= !has && initial == i;
        copy(p, initial - 1, &c);
        add_word(PUNCTUATION, "=");
        if (has)
            copy(first, last, in);
        else
            copy(initial + 1, i - 1, &c);
        add_word(PUNCTUATION, ";");
        p = i + 1;
    }
    failed |= argument_of(arguments - 1, n, &first, &last);
    copy_statements(open + 1, returned < 0 ? end : returned - 1, &c, depth + 1);
    if (returned >= 0)
        expand_calls(returned + 1, end - 1, &c, depth + 1);
    int begin = copied_count;
    where = call;
    if (returned >= 0) {
        int type = b->name - 1;
        while (type > b->start && (is_name(type) || is(type, "*")) &&
               !is_one_of(type, "__device__ __host__ static inline __forceinline__ __inline__ "
                                "__attribute__ constexpr "))
            type--;
        add_word(PUNCTUATION, "(");
        add_word(PUNCTUATION, "(");
        copy(type + 1, b->name - 1, &c);
        add_word(PUNCTUATION, ")");
        add_word(PUNCTUATION, "(");
        copy(returned + 1, end - 1, &c);
        add_word(PUNCTUATION, ")");
        add_word(PUNCTUATION, ")");
    }
    struct given g = {.call = call, .end = tokens[arguments].match, .count = copied_count - begin};
    g.tokens = grow(NULL, ((size_t)g.count + 1) * sizeof *g.tokens);
    memcpy(g.tokens, copied + begin, (size_t)g.count * sizeof *g.tokens);
    copied_count = begin;
    given[given_count++] = g;
}

/* All calls in a part of a statement, those within others first. */
static void expand_calls(int first, int last, const struct call *in, int depth) {
    bool unsure = false;
    for (int i = first; i <= last && !failed; i++) {
        const struct body *b = helper_at(i);
        unsure |= is_one_of(i, "? && || ");
        if (!b)
            continue;
        int open = is(i + 1, "<") ? angle_close(i + 1) + 1 : i + 1;
        failed |= unsure;
        expand_calls(open + 1, tokens[open].match - 1, in, depth);
        if (!failed)
            expand_call(i, b, in, depth);
        i = tokens[open].match;
    }
}

static void copy_body(int first, int last, const struct call *in, int depth) {
    bool braces = !is(first, "{") && has_helper(first, last);
    if (braces)
        add_word(PUNCTUATION, "{");
    copy_statements(first, last, in, depth);
    if (braces)
        add_word(PUNCTUATION, "}");
}

static void copy_statements(int first, int last, const struct call *in, int depth) {
    for (int i = first; i <= last && !failed;) {
        int end = statement_end(i, last + 1), kept = given_count;
        int open = i + 1 + is(i + 1, "constexpr"), close = opens(open) ? tokens[open].match : open;
        if (!has_helper(i, end)) {
            copy(i, end, in);
        } else if (is(i, "{")) {
            copy(i, i, in);
            copy_statements(i + 1, end - 1, in, depth);
            copy(end, end, in);
        } else if (is(i, "do")) {
            int body_end = statement_end(i + 1, end);
            failed |= has_helper(body_end + 1, end);
            copy(i, i, in);
            copy_body(i + 1, body_end, in, depth);
            copy(body_end + 1, end, in);
        } else if (is_one_of(i, "for while if ")) {
            if (is(i, "if"))
                expand_calls(open, close, in, depth);
            else
                failed |= has_helper(open, close);
            copy(i, close, in);
            int then_end = statement_end(close + 1, end);
            copy_body(close + 1, then_end, in, depth);
            if (then_end < end) {
                copy(then_end + 1, then_end + 1, in);
                copy_body(then_end + 2, end, in, depth);
            }
        } else {
            failed |= is_one_of(i, "switch return case default ") || changes_in(i, end) > 1;
            expand_calls(i, end, in, depth);
            copy(i, end, in);
        }
        given_count = kept;
        i = end + 1;
    }
}

struct kernel with_helpers(const struct kernel *k) {
    struct kernel c = *k;
    int open = tokens[k->body_end].match,
        start = k->template_header >= 0 ? k->template_header : k->name - 1;
    const struct call in = {.around = NULL};
    if (!has_helper(open, k->body_end))
        return c;
    copied_count = call_count = given_count = 0, failed = false;
    add(tokens[start - 1]);
    copy(start, open, &in);
    int at = token_count - start + 1;
    copy_statements(open + 1, k->body_end - 1, &in, 0);
    copy(k->body_end, k->body_end, &in);
    if (failed)
        return c;
    c.name += at;
    if (k->template_header >= 0)
        c.template_header += at;
    c.body_end = token_count + copied_count - 1;
    add_tokens(copied, copied_count);
    return c;
}
