/*
 * brief.c: what happened in a run, below what the program prints (ACCESS_TABLE=brief): a row for
 * launches of a kernel that are alike, and pages of managed memory. Where there are none, and all
 * of a kernel's launches are alike, the order of calls and kernels; as FILE.order.csv in any case.
 *
 * Calls are told apart by where they stand. One counts that has put work into a stream, or that
 * returned while a kernel was still to end, or after one had ended.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include <string.h>

/* ---- Launches ---------------------------------------------------------------------------- */

/* 4096x1x1 is 4096. */
static const char *shape(const unsigned size[3], char *text, size_t bytes) {
    int n = snprintf(text, bytes, "%u", size[0]);
    if (size[1] > 1 || size[2] > 1)
        n += snprintf(text + n, bytes - (size_t)n, "x%u", size[1]);
    if (size[2] > 1)
        snprintf(text + n, bytes - (size_t)n, "x%u", size[2]);
    return text;
}

static void print_total(FILE *f, const struct trace_tally *t) {
    char text[32];
    report_useful(t, text, sizeof text);
    if (t->requests)
        fprintf(f, "  %8llu %5.2f %6s", t->requests, (double)t->sectors / (double)t->requests,
                text);
    else
        fprintf(f, "  %8s %5s %6s", "-", "-", "-");
}

static void print_launches(FILE *f, const struct group *groups) {
    char grid[40], block[40], name[64];
    int width = 6;
    for (const struct group *g = groups; g; g = g->next)
        report_widen(&width, g->launch->kernel, 24);
    fprintf(f,
            "\nCounted in this run, for one launch; sectors, of 32 bytes, for each request\n"
            "%-*s %31s %24s\n%-*s %9s %5s %5s  %8s %5s %6s  %8s %5s %6s\n",
            width, "", "loads", "stores", width, "kernel", "grid", "block", "times", "requests",
            "each", "useful", "requests", "each", "useful");
    for (const struct group *g = groups; g; g = g->next) {
        const struct trace_launch *l = g->launch;
        struct trace_tally total[3] = {{0}};
        report_add_totals(total, g, 1);
        fprintf(f, "%-*s %9s %5s %5llu", width, report_clipped(l->kernel, width, name, sizeof name),
                shape(l->grid, grid, sizeof grid), shape(l->block, block, sizeof block),
                g->launches);
        print_total(f, &total[TRACE_LOAD]);
        print_total(f, &total[TRACE_STORE]);
        if (total[TRACE_ATOMIC].requests)
            fprintf(f, "  and %llu of atomics", total[TRACE_ATOMIC].requests);
        if (l->traced_blocks < l->blocks)
            fprintf(f, "  %llu of %llu blocks", l->traced_blocks, l->blocks);
        fprintf(f, "\n");
    }
    if (!groups)
        fprintf(f, "no kernel ran\n");
}

/* Nothing is left to compare but what came before what. */
static int kernels_are_alike(const struct group *groups) {
    for (const struct group *g = groups; g; g = g->next)
        for (const struct group *other = g->next; other; other = other->next)
            if (strcmp(g->launch->kernel, other->launch->kernel) == 0)
                return 0;
    return 1;
}

/* ---- Order ------------------------------------------------------------------------------- */

enum { FRAMES = 8 };
struct step { /* of the host or, with a kernel, of the device */
    void *frames[FRAMES];
    int count;
    const char *kernel;
    const void *pc;
    unsigned long long times, unfinished; /* of the calls; before all kernels had ended */
    int matters;
};

static struct step *steps;
static size_t step_count;
static pthread_mutex_t steps_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ullong queued, ended;
static __thread int has_put;
static __thread unsigned long long ended_before;

static struct step *step_of(const struct step *new) {
    for (size_t i = 0; i < step_count; i++) {
        struct step *s = &steps[i];
        if (s->kernel == new->kernel &&
            s->count == new->count &&memcmp(s->frames, new->frames, sizeof s->frames) == 0)
            return s;
    }
    TRACE_ADD(steps, step_count, *new);
    return &steps[step_count - 1];
}

void trace_order_queued(void) { atomic_fetch_add(&queued, 1); }
void trace_order_put(void) { has_put = 1; }

void trace_order_ended(const char *kernel) {
    const struct step new = {.kernel = kernel, .matters = 1};
    if (report_is_brief()) {
        WITH_LOCK(steps_lock);
        step_of(&new)->times++;
    }
    atomic_fetch_add(&ended, 1);
}

void trace_order_returns(void) {
    unsigned long long now = atomic_load(&ended), unfinished = atomic_load(&queued) - now;
    struct step new = {.count = 0};
    if (!report_is_brief())
        return;
    new.count = trace_calls(new.frames, FRAMES);
    WITH_LOCK(steps_lock);
    struct step *s = step_of(&new);
    s->times++;
    s->unfinished += unfinished != 0;
    s->matters |= has_put || unfinished || now != ended_before;
    has_put = 0;
    ended_before = now;
}

/* Calls from one place were told apart by what led there. */
static void join_steps(void) {
    size_t kept = 0;
    for (size_t i = 0; i < step_count; i++) {
        struct step *s = &steps[i], *same = steps;
        s->pc = trace_caller_among(s->frames, s->count);
        while (same < steps + kept && (same->pc != s->pc || same->kernel != s->kernel))
            same++;
        if (same < steps + kept) {
            same->times += s->times;
            same->unfinished += s->unfinished;
            same->matters |= s->matters;
        } else {
            steps[kept++] = *s;
        }
    }
    step_count = kept;
}

static void print_step(FILE *f, FILE *csv, const struct step *s) {
    char label[300], text[300], clip[80];
    const char *what = s->kernel, *line = "";
    if (s->pc) {
        struct report_row at = {.source = trace_source_find(s->pc), .sum = {.pc = s->pc}};
        line = report_label(&at, label, sizeof label);
        what = report_source_text(&at.source, text, sizeof text) ?: "";
    }
    if (f) {
        fprintf(f, "%12s  ", line);
        if (s->kernel)
            fprintf(f, "    the device ends %-*s %6llu\n", 26, what, s->times);
        else
            fprintf(f, "%-46s %6llu %10llu\n", report_clipped(what, 46, clip, sizeof clip),
                    s->times, s->unfinished);
    }
    if (csv) {
        csv_text(csv, line);
        putc(',', csv);
        csv_text(csv, what);
        fprintf(csv, ",%s,%llu,", s->kernel ? "device" : "host", s->times);
        fprintf(csv, s->kernel ? "\n" : "%llu\n", s->unfinished);
    }
}

static void report_order(FILE *f, const char *path) {
    FILE *csv = path ? csv_open(path, ".order", "line,what,side,times,unfinished") : NULL;
    join_steps();
    if (f)
        fprintf(f,
                "\nIn this order; unfinished: how often a kernel had not ended when the call did\n"
                "%12s  %-46s %6s %10s\n",
                "line", "the host's call", "times", "unfinished");
    for (const struct step *s = steps; s < steps + step_count; s++)
        if (s->matters && (s->pc || s->kernel))
            print_step(f, csv, s);
    if (csv)
        csv_close(csv, path, ".order");
}

void report_brief(FILE *f, const struct group *groups, const char *path) {
    print_launches(f, groups);
    int other = trace_pages_report(f, path) || !kernels_are_alike(groups);
    report_order(other ? NULL : f, path);
}
