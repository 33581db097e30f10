/*
 * merge.c: one text of two, that for the host and that for a GPU.
 *
 * nvcc preprocesses a file twice, and __CUDA_ARCH__ is defined in the text for the GPU alone. What
 * differs is taken from that text in the bodies of kernels, of __device__ functions and of such
 * lambdas; a __host__ __device__ one gets both bodies and chooses when it runs. Everything else is
 * the host's: nvcc, too, wants the same kernels, functions and variables in both.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "messages.h"
#include "passes.h"

/* A body of device code, from its `{`. */
struct code {
    int open, start, name;
    struct place at;
    bool host, constant;
};
struct codes {
    struct code *list;
    int count;
};

/* w{t} of a constructor, before another one or the body. */
static bool is_first_value(int i) {
    return is(i, "{") && opens(i) && is_one_of(tokens[i].match + 1, ", { ");
}

/* The body that a __device__ or __global__ at token i belongs to; -1: to none. */
static int body_after(int i, int end) {
    while (i < end && (is_first_value(i) || !is_one_of(i, "; { } ")) &&
           !(is(i, "=") && !is(i - 1, "operator")))
        i = is_one_of(i, "( [ { ") && opens(i) ? tokens[i].match + 1 : i + 1;
    return is(i, "{") && opens(i) ? i : -1;
}

static struct codes codes_between(int first, int end) {
    struct codes c = {0};
    for (int i = first; i < end; i++) {
        if (tokens[i].origin != OF_USER || !is_one_of(i, "__device__ __global__ "))
            continue;
        int open = body_after(i, end), start = i;
        if (open < 0)
            continue;
        while (start > first && !is_one_of(start - 1, "; { } ( ) ] "))
            start--;
        int name = find(start, open, "( ");
        while (name < open && is_one_of(name - 1, attributes))
            name = find(name + 1, open, "( ");
        ADD(c.list, c.count,
            (struct code){.open = open,
                          .start = start,
                          .name = name - 1,
                          .at = place_of(open),
                          .host = has_word(start, open, "__host__"),
                          .constant = has_word(start, open, "constexpr")});
        i = open;
    }
    return c;
}

static bool same_place(struct place a, struct place b) {
    return a.line == b.line && a.name_length == b.name_length &&
           memcmp(a.name, b.name, (size_t)a.name_length) == 0;
}

static bool same_tokens(int a, int a_last, int b, int b_last) {
    if (b_last - b != a_last - a)
        return false;
    while (a <= a_last && same_text(a, b))
        a++, b++;
    return a > a_last;
}
static bool same_body(int a, int b) { return same_tokens(a, tokens[a].match, b, tokens[b].match); }

/* One line may have several, and some only in one of the texts. */
static int twin_of(const struct code *c, const struct codes *others, int next) {
    int twin = others->count;
    for (int k = next; k < others->count; k++) {
        const struct code *other = &others->list[k];
        if (!same_place(c->at, other->at) || !same_text(c->name, other->name))
            continue;
        if (same_tokens(c->start, c->open, other->start, other->open))
            return k;
        if (twin == others->count)
            twin = k;
    }
    return twin;
}

static size_t text_end(int i) { return tokens[i].start + tokens[i].length; }

static void put(FILE *out, size_t from, size_t to) { fwrite(text + from, 1, to - from, out); }

static void put_braces(FILE *out, int open) {
    put(out, tokens[open].start, text_end(tokens[open].match));
}

/* In place of the body of `c`. */
static void put_body(FILE *out, const struct code *c, const struct code *device) {
    if (c->host) {
        fprintf(out, "{ if (::cpu_device_in_kernel()) ");
        put_braces(out, device->open);
        fprintf(out, " else%s\n", marker_of(c->at));
        put_braces(out, c->open);
        fprintf(out, " }");
    } else {
        put_braces(out, device->open);
        struct place end = place_of(tokens[c->open].match);
        if (!same_place(end, place_of(tokens[device->open].match)))
            fprintf(out, "%s\n", marker_of(end));
    }
}

/* The next token of the user from i on, outside of the bodies of functions. */
static int next_outside(int i, int end) {
    for (; i < end; i++)
        if (is(i, "{") && opens(i) &&
            (is_one_of(i - 1, ") const noexcept override final } ") ||
             has_word(start_of(i), i, "->")))
            i = tokens[i].match;
        else if (tokens[i].origin == OF_USER && !is(i, ";"))
            break;
    return i;
}

/* What __CUDA_ARCH__ changes outside of them is not taken: that must not be silent. */
static void warn_of_differences(int middle) {
    int a = next_outside(0, middle), b = next_outside(middle, token_count - 1);
    while (a < middle && b < token_count - 1 && same_text(a, b)) {
        a = next_outside(a + 1, middle);
        b = next_outside(b + 1, token_count - 1);
    }
    if (a < middle || b < token_count - 1)
        warn(a < middle ? a : b, "what __CUDA_ARCH__ changes outside of the bodies of functions "
                                 "stays as it is for the host; a GPU has the other text");
}

void write_merged(FILE *out, size_t device) {
    int middle = 0, next = 0;
    while (tokens[middle].start < device)
        middle++;
    const struct codes host = codes_between(0, middle);
    const struct codes other = codes_between(middle, token_count - 1);
    size_t written = 0;
    for (const struct code *c = host.list; c < host.list + host.count; c++) {
        int twin = twin_of(c, &other, next);
        if (twin == other.count)
            continue;
        next = twin + 1;
        if (tokens[c->open].start < written || (c->host && c->constant) ||
            same_body(c->open, other.list[twin].open))
            continue;
        put(out, written, tokens[c->open].start);
        put_body(out, c, &other.list[twin]);
        written = text_end(tokens[c->open].match);
    }
    put(out, written, device);
    warn_of_differences(middle);
}
