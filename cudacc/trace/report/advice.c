/*
 * advice.c: one sentence on what an access could do better, from what was counted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/count.h"
#include "trace/report/report.h"

/* Less than 2 % above the least is not worth reporting: a ragged edge, say. */
static int is_wasteful(const struct trace_row *r) {
    return r->all.sectors > r->all.ideal + r->all.ideal / 50;
}

/* "4", or "4.67" when requests differ. */
static const char *average(unsigned long long sum, unsigned long long count, char *text,
                           size_t size) {
    if (count && sum % count == 0)
        snprintf(text, size, "%llu", sum / count);
    else
        snprintf(text, size, "%.2f", count ? (double)sum / (double)count : 0);
    return text;
}

/* Wavefronts that shared memory needs for 32 threads, `stride` bytes apart, beyond the fewest. */
static uint64_t conflicts(size_t stride, unsigned bytes) {
    uint64_t address[WARP] __attribute__((aligned(16)));
    trace_line_up(address, 0, stride);
    struct trace_tally sum =
        trace_wavefronts(&(struct trace_request){.bytes = bytes, .lanes = ~0u, .address = address});
    return sum.sectors - sum.ideal;
}

/* A column of t[rows][columns] is a conflict that longer rows resolve. How many elements longer?
 * 0: none helps. */
static size_t padding(const struct trace_row *r) {
    const struct trace_variable *v = r->variable;
    size_t stride = (size_t)llabs(r->stride);
    if (!v || !v->row || !v->element || !r->strided || r->stride_varies || stride % v->row)
        return 0;
    for (size_t more = 1; more <= 8; more++) {
        size_t padded = stride / v->row * (v->row + more * v->element);
        if (padded % r->bytes == 0 && !conflicts(padded, r->bytes))
            return more;
    }
    return 0;
}

/* Do the rows of the block, of which a warp has several, lie side by side, but not one after the
 * other? */
static int is_narrow(const struct trace_row *r) { return 2 * r->narrow >= r->all.requests; }

static void add_narrow(char text[TEXT], const struct group *g) {
    text_add(text, "a row of the block has %u threads; make the block 32 wide",
             g->launch->block[0]);
}

static void advise_shared(const struct report_row *row, const struct group *g, char text[TEXT]) {
    const struct trace_row *r = &row->sum;
    const struct trace_variable *v = r->variable;
    if (!is_wasteful(r))
        return;
    size_t more = padding(r);
    text_add(text, "%llu-way bank conflict: ", r->all.worst / (r->bytes <= 4 ? 1 : r->bytes / 4));
    if (more)
        text_add(text, "pad the rows, %s[%zu][%zu]", row->name, v->bytes / v->row,
                 v->row / v->element + more);
    else if (is_narrow(r))
        add_narrow(text, g);
    else if (r->strided && !r->stride_varies && llabs(r->stride) % 4 == 0)
        text_add(text, "threads are %lld words apart; an odd distance has no conflict",
                 llabs(r->stride) / 4);
    else
        text_add(text, "threads of a warp use different words of one bank");
}

/* ---- Global memory ----------------------------------------------------------------------- */

/* Has the kernel accesses of global memory that take no more sectors than they need? What all
 * threads of a row of the block read together is good in any order: it says nothing of this one. */
static int some_are_good(const struct group *g) {
    unsigned width = g->launch->block[0], rows = width < WARP ? WARP / width : 1;
    for (const struct report_row *r = g->rows; r < g->rows + g->count; r++)
        if (r->sum.space == TRACE_GLOBAL && r->sum.all.requests && !is_wasteful(&r->sum) &&
            r->sum.all.useful_bytes > r->sum.all.requests * r->sum.bytes * rows)
            return 1;
    return 0;
}

/* A shared variable with an element for each thread, and no access down a column; or NULL. */
static const char *tile(const struct group *g) {
    const unsigned *block = g->launch->block;
    const char *name = NULL;
    for (const struct report_row *r = g->rows; r < g->rows + g->count; r++) {
        const struct trace_variable *v = r->sum.variable;
        if (r->sum.space != TRACE_SHARED || !v)
            continue;
        if (r->sum.strided)
            return NULL;
        size_t bytes = v->bytes ? v->bytes : g->launch->shared_bytes;
        if (bytes >= (size_t)block[0] * block[1] * block[2] * r->sum.bytes)
            name = r->name;
    }
    return name;
}

/* The way out of `waste`, for accesses at one distance. In a transpose the other access is good:
 * with x and y swapped it would have the stride. */
static void advise_stride(const struct trace_row *r, const struct group *g, const char *waste,
                          char text[TEXT]) {
    long long stride = r->stride / r->bytes;
    int is_matrix = g->launch->block[1] > 1 && (r->stride_varies || llabs(stride) >= WARP);
    if (r->stride_varies)
        text_add(text, "strides");
    else
        text_add(text, "stride %lld", stride);
    text_add(text, "%s: %s; ", is_matrix ? " in x" : "", waste);
    if (!is_matrix)
        text_add(text, "let neighboring threads touch neighbors");
    else if (!some_are_good(g))
        text_add(text, "swap x and y");
    else if (tile(g))
        text_add(text, "go along the rows here, and down the columns of %s instead", tile(g));
    else
        text_add(text, "stage a tile in shared memory");
}

/* More sectors than their bytes need. */
static void advise_sectors(const struct trace_row *r, const struct group *g, char text[TEXT]) {
    static const char *const how[] = {"gather", "scatter", "scattered atomics"};
    char got[32], ideal[32], waste[96];
    snprintf(waste, sizeof waste, "%s sectors where %s would do",
             average(r->all.sectors, r->all.requests, got, sizeof got),
             average(r->all.ideal, r->all.requests, ideal, sizeof ideal));
    /* A range that only starts at the wrong place costs one sector too many. */
    int is_range = 2 * r->misaligned >= r->all.sectors - r->all.ideal;
    if (is_range && r->misaligned >= r->all.requests)
        text_add(text, "%s: the first address is not a multiple of 32 bytes", waste);
    else if (is_range)
        text_add(text, "%s: %llu of %llu requests start off a multiple of 32", waste, r->misaligned,
                 r->all.requests);
    else if (is_narrow(r))
        text_add(text, "%s: ", waste), add_narrow(text, g);
    else if (2 * r->strided >= r->all.requests)
        advise_stride(r, g, waste, text);
    else
        text_add(text, "%s: %s; sort the indices, or stage in shared memory", how[r->op], waste);
}

static void advise_global(const struct trace_row *r, const struct group *g, char text[TEXT]) {
    if (r->op == TRACE_ATOMIC && 2 * r->same > r->all.requests)
        text_add(text, "the threads of a warp update one address, one after another; "
                       "add up in the block first");
    else if (is_wasteful(r))
        advise_sectors(r, g, text);
    else if (r->bytes < 4 && r->op != TRACE_ATOMIC && r->all.full == r->all.requests &&
             r->all.useful_bytes == r->all.requests * WARP * r->bytes)
        text_add(text,
                 "a request moves only %u bytes; let each thread take %u elements at a time (%s)",
                 WARP * r->bytes, 4 / r->bytes, r->bytes == 1 ? "char4" : "short2");
}

void trace_advice(const struct report_row *row, const struct group *g, char text[TEXT]) {
    text[0] = 0;
    if (row->sum.space == TRACE_SHARED)
        advise_shared(row, g, text);
    else
        advise_global(&row->sum, g, text);
}
