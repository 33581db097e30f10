// The first kernel that touches managed memory is slow when the pages it needs are still on the
// host. Who initialised them, a second run, a prefetch, a word of advice: each decides where the
// pages are when the kernel comes.
//
//     nvcc -O3 2_unified_memory.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_unified_memory.cu && ./a.out
//
// The kernels and the cases are in cases.h.
//
// SPDX-License-Identifier: MIT
#include "../../common/measure.h"
#include "cases.h"

// ---- Measure -----------------------------------------------------------------------------------
// Runs a case and prints its rows; median_ms[] takes their medians, NAN for a case that is skipped.
static void measure_case(struct run *run, struct bench *bench, int number, int skip,
                         double *median_ms) {
    struct task task = {NULL, NULL, NULL, 1, 0};
    size_t samples = run->quick ? 1 : run->samples, wrong = 0;
    if (!run->quick && !skip)
        wrong += run_case(bench, number, 0); // loads what it needs
    for (size_t i = 0; i < samples && !skip; i++)
        wrong += run_case(bench, number, i);
    task.floor_ms = run->quick ? 0 : timer_floor_ms();
    for (int step = 0; step < STEPS; step++) {
        struct row row = run_row(run, cases[number].name);
        row.dtype = "float";
        row.n = bench->n;
        row.block = 256;
        row.parameter = cases[number].rows[step];
        row.bytes = step_arrays[step] * bench->n * sizeof(float);
        if (run->on_cpu && number == PREFETCH && step == BEFORE)
            row.bytes = 0; // there nothing moves
        row.check = skip ? NULL : wrong ? "FAIL" : "ok";
        task.samples_ms = bench->ms[step];
        if (skip)
            row.flag = "skipped";
        else if (!run->quick)
            row_measured(&row, run, &task, 2 * row.n * sizeof(float));
        median_ms[step] = row.median_ms;
        if (row.parameter)
            run_print(run, &row);
    }
}

// What the times say: they may be any.
static void conclude(const struct run *run, double ms[CASES][STEPS], int concurrent) {
    double first = ms[MANY][ADD], best = ms[MANY][FASTEST], init = ms[DEVICE_INIT][BEFORE];
    run_say(run,
            "Of %d runs the first takes %.4f ms, the fastest %.4f: the first %.1f times as long.\n"
            "Initialised on the device, x and y take %.4f ms; the add behind that takes %.4f, %.1f "
            "times the fastest.",
            RUNS, first, best, first / best, init, ms[DEVICE_INIT][ADD],
            ms[DEVICE_INIT][ADD] / best);
    if (!concurrent) {
        run_say(run, "Skipped: prefetch and advice need concurrentManagedAccess.");
        return;
    }
    double prefetched = ms[PREFETCH][BEFORE] + ms[PREFETCH][ADD];
    run_say(
        run,
        "Prefetched, the add takes %.4f ms, %.1f times the fastest; the prefetch itself takes "
        "%.4f.\nBoth together take %.2f of the time of the add without it, and %.2f of the time "
        "of two copies and an add.",
        ms[PREFETCH][ADD], ms[PREFETCH][ADD] / best, ms[PREFETCH][BEFORE],
        prefetched / ms[HOST_INIT][ADD], prefetched / (ms[COPY][BEFORE] + ms[COPY][ADD]));
    run_say(run,
            "Preferred on the host, it takes %.2f of the time of the add without advice. Where the "
            "host has\nread x in between, a second add takes %.4f ms, with x read-mostly %.4f.",
            ms[TO_HOST][ADD] / ms[HOST_INIT][ADD], ms[REREAD][ADD], ms[MOSTLY][ADD]);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "04_unified_memory",
    "unified_memory",
    "The first kernel to touch managed memory pays for the pages that have to come to it.",
    "variant parameter median_ms min_ms max_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    struct platform platform = platform_say(&run);
    struct bench bench = bench_create(&run, managed_size(&run));
    double ms[CASES][STEPS];
    for (int i = 0; i < CASES; i++)
        measure_case(&run, &bench, i, cases[i].needs_concurrent && !platform.concurrent, ms[i]);
    if (!run.quick)
        conclude(&run, ms, platform.concurrent);
    bench_free(&bench);
    return run_end(&run);
}
