/*
 * unordered.c: work in several streams, or in one and of the host, that nothing orders, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/streams.h"
#include "trace/report/report.h"

/* "store of 4 bytes at x.cu:5 in kernel add"; "cudaMemcpyAsync at x.cu:20" */
static void add_use(char text[TEXT], const struct unordered_use *u) {
    const struct site *s = trace_site_of(u->site);
    if (!s->bytes)
        text_add(text, "%s at %s", u->what ? u->what : "a graph's copy", trace_place(s->pc));
    else
        add_access(text, s, s->pc);
    if (u->is_host)
        text_add(text, ", by the host,");
    else if (s->bytes && u->what)
        text_add(text, " in kernel %s", u->what);
}

static void tell(const struct unordered *u) {
    struct trace_source a = trace_source_find(trace_site_of(u->use[0].site)->pc);
    struct trace_source b = trace_source_find(trace_site_of(u->use[1].site)->pc);
    enum error_kind kind = u->is_free ? USE_AFTER_FREE : RACE;
    const char *name = trace_allocation_name(u->allocation, "", NULL);
    char first[TEXT] = "", second[TEXT] = "", more[TEXT] = "", place[300];
    if (printed_before(kind, "", a, b, name))
        return;
    add_use(first, &u->use[0]);
    text_add(first, " and ");
    add_use(first, &u->use[1]);
    text_add(second, "%s, %zu bytes%s; ", name, u->allocation->bytes,
             place_of_allocation(place, u->allocation));
    text_add(second, "%s",
             u->use[0].is_host
                 ? "the host has not waited for it: synchronize with its stream between the two"
             : u->is_graph
                 ? "in one graph, and no edge leads from one to the other"
                 : "in two streams, and nothing orders them: an event that one records and the "
                   "other waits for, or a synchronize, must lie between");
    text_add(more, "    %s\n", second);
    print_error(kind, "", first, more);
    text_add(first, "; %s", second);
    print_error_csv(kind, "", "", "", a.file, a.line, name, first);
}

/* ---- In one order, whichever was seen first ----------------------------------------------- */

static int by_line(const struct unordered_use *x, const struct unordered_use *y) {
    const struct site *s = trace_site_of(x->site), *o = trace_site_of(y->site);
    struct trace_source a = trace_source_find(s->pc), b = trace_source_find(o->pc);
    return trace_compare(!x->is_host, !y->is_host)
               ?: trace_compare((unsigned)a.line, (unsigned)b.line) ?: trace_compare(o->op, s->op);
}
static int by_lines(const void *x, const void *y) {
    const struct unordered *a = x, *b = y;
    int first = by_line(&a->use[0], &b->use[0]), second = by_line(&a->use[1], &b->use[1]);
    const char *p = a->allocation->base, *q = b->allocation->base;
    return first ? first : second ? second : (p > q) - (p < q);
}

void report_unordered(void) {
    unsigned count;
    struct unordered *list = trace_streams_unordered(&count);
    for (struct unordered *u = list; u < list + count; u++)
        if ((!u->is_free || u->use[1].is_host) && by_line(&u->use[1], &u->use[0]) < 0) {
            struct unordered_use first = u->use[0];
            u->use[0] = u->use[1];
            u->use[1] = first;
        }
    qsort(list, count, sizeof *list, by_lines);
    for (unsigned i = 0; i < count; i++)
        tell(&list[i]);
}
