// The first kernel that touches managed memory is slow when the pages it needs are still on the
// host. Who initialized them, a second run, a prefetch, advice: each decides where the pages are
// when the kernel starts.
//
//     nvcc -O3 2_unified_memory.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_unified_memory.cu && ./a.out
//
// The kernels and the cases are in cases.h.
//
// SPDX-License-Identifier: MIT
#include "../../common/measure.h"
#include "cases.h"

// The rows, case by case: a time, and how many arrays of n floats are read and written in it. The
// first three times are named by the event that they begin with.
enum { BEFORE, ADD, SECOND_ADD, AFTER, AVERAGE, FASTEST, SLOWEST, TIMES };
static const struct {
    int number;
    const char *parameter;
    int time;
    size_t arrays;
} shown[] = {
    {HOST_INIT, "add", ADD, 3},
    {DEVICE_INIT, "init x and y", BEFORE, 2},
    {DEVICE_INIT, "add", ADD, 3},
    {MANY, "first", ADD, 3},
    {MANY, "average", AVERAGE, 3},
    {MANY, "fastest", FASTEST, 3},
    {MANY, "slowest", SLOWEST, 3},
    {PREFETCH, "prefetch x and y", BEFORE, 2},
    {PREFETCH, "add", ADD, 3},
    {TO_DEVICE, "add", ADD, 3},
    {TO_HOST, "add", ADD, 3},
    {REREAD, "second add", SECOND_ADD, 3},
    {MOSTLY, "second add", SECOND_ADD, 3},
    {COPY, "copy x and y in", BEFORE, 2},
    {COPY, "add", ADD, 3},
    {COPY, "copy y out", AFTER, 1},
};
enum { SHOWN = (int)(sizeof shown / sizeof shown[0]) };

// ---- Measure -----------------------------------------------------------------------------------
// Milliseconds in the case that ran last.
static double time_of(const struct bench *b, int number, int time) {
    const cudaEvent_t *event = b->event;
    const int adds = cases[number].adds;
    double sum = 0, least = INFINITY, most = 0;
    if (time == BEFORE || time == ADD || time == SECOND_ADD)
        return elapsed_ms(event[time], event[time + 1]);
    if (time == AFTER)
        return elapsed_ms(event[adds + 1], event[adds + 2]);
    for (int i = 1; i <= adds; i++) {
        double ms = elapsed_ms(event[i], event[i + 1]);
        sum += ms, least = fmin(least, ms), most = fmax(most, ms);
    }
    return time == AVERAGE ? sum / adds : time == FASTEST ? least : most;
}

// Runs a case and prints its rows; median_ms[] takes their medians, NAN for a case that is skipped.
static void measure_case(const struct bench *b, int number, int skip, double floor_ms,
                         double *median_ms) {
    double *ms = (double *)host_malloc(SHOWN * run.samples * sizeof *ms);
    size_t wrong = skip ? 0 : run_case(b, number); // loads what the case needs
    for (size_t sample = 0; sample < run.samples && !skip; sample++) {
        wrong += run_case(b, number);
        for (int i = 0; i < SHOWN; i++)
            if (shown[i].number == number)
                ms[i * run.samples + sample] = time_of(b, number, shown[i].time);
    }
    for (int i = 0; i < SHOWN; i++) {
        if (shown[i].number != number)
            continue;
        struct task task = {NULL, NULL, ms + i * run.samples, run.samples, 1, floor_ms};
        struct row row = row_of(cases[number].name);
        row.dtype = "float";
        row.n = b->n;
        row.block = BLOCK;
        row.parameter = shown[i].parameter;
        row.bytes = shown[i].arrays * b->n * sizeof(float);
        if (run.on_cpu && number == PREFETCH && shown[i].time == BEFORE)
            row.bytes = 0; // there nothing moves
        row.check = skip ? NULL : wrong ? "FAIL" : "ok";
        if (skip)
            row.flag = "skipped";
        else if (run.samples)
            row_measured(&row, &task, 2 * row.n * sizeof(float));
        median_ms[shown[i].time] = row.median_ms;
        print_row(&row);
    }
    free(ms);
}

// What the times say: they may be any.
static void conclude(double ms[CASES][TIMES], int concurrent) {
    double first = ms[MANY][ADD], best = ms[MANY][FASTEST];
    double prefetched = ms[PREFETCH][BEFORE] + ms[PREFETCH][ADD];
    double alone = prefetched / ms[HOST_INIT][ADD];
    finding("first_touch_ratio", first / best,
            "Of %d runs the first takes %.4f ms, the fastest %.4f: %.1f times as long.", RUNS,
            first, best, first / best);
    finding("device_init_ms", ms[DEVICE_INIT][BEFORE],
            "To initialize x and y on the device takes %.4f ms; the add after that takes %.4f.",
            ms[DEVICE_INIT][BEFORE], ms[DEVICE_INIT][ADD]);
    if (!concurrent) {
        say("Skipped: prefetch and advice need concurrentManagedAccess.");
        return;
    }
    finding("prefetch_share", alone,
            "Prefetch and add take %.2f of the time of the add without it, and %.2f of the time of "
            "two copies and an add.",
            alone, prefetched / (ms[COPY][BEFORE] + ms[COPY][ADD]));
    finding("preferred_on_host_share", ms[TO_HOST][ADD] / ms[HOST_INIT][ADD],
            "With the host as preferred location, the add takes %.2f of the time without advice.",
            ms[TO_HOST][ADD] / ms[HOST_INIT][ADD]);
    finding("read_mostly_share", ms[MOSTLY][SECOND_ADD] / ms[REREAD][SECOND_ADD],
            "After the host has read x, a second add takes %.4f ms; with x read-mostly, %.4f.",
            ms[REREAD][SECOND_ADD], ms[MOSTLY][SECOND_ADD]);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double ms[CASES][TIMES];
    run_begin(
        argc, argv, "04_unified_memory/unified_memory",
        "The first kernel to touch managed memory pays for the pages that have to come to it.",
        "variant parameter median_ms min_ms max_ms gb_per_s flag check", "elements", NO_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    int concurrent = platform_say();
    struct bench bench = bench_create(managed_size());
    double floor_ms = run.samples ? timer_floor_ms() : 0;
    for (int i = 0; i < CASES; i++)
        measure_case(&bench, i, cases[i].needs_concurrent && !concurrent, floor_ms, ms[i]);
    if (run.samples)
        conclude(ms, concurrent);
    bench_free(&bench);
    return run_end();
}
