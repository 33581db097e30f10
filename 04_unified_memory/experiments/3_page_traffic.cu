// The pages behind the times: what moves between host and device in each case, how often, and which
// processor had to fault for it. The same table as the profiler nvprof used to print, made by the
// program itself.
//
//     nvcc -O3 3_page_traffic.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_page_traffic.cu && ./a.out   (no GPU)
//
// The kernels and the cases are in cases.h.
//
// SPDX-License-Identifier: MIT
#include "cases.h"
#include "page_counters.h"

// What each kind of traffic is called, on a GPU and in the model of the CPU device.
static const char *const traffic_names[2][TRAFFICS] = {
    {"moves to the device", "moves to the host", "CPU page faults", "GPU fault groups"},
    {"pages to the device", "pages to the host", "host touches", "device touches"},
};

// Prints a row for each kind of traffic; nvprof's average, least and largest stand below it.
static void print_case(struct run *run, const struct bench *bench, int number,
                       const struct counters *counters, size_t wrong) {
    double ms[TRAFFICS];
    for (int i = 0; i < TRAFFICS; i++) {
        const struct traffic_counter *traffic = &counters->traffic[i];
        struct row row = run_row(run, cases[number].name);
        row.dtype = "float";
        row.n = bench->n;
        row.parameter = traffic_names[run->on_cpu][i];
        row.value = (double)traffic->count;
        row.bytes = traffic->bytes;
        row.check = wrong ? "FAIL" : "ok";
        ms[i] = traffic->ms;
        if (!run->quick && traffic->ms > 0)
            row_times(&row, &ms[i], 1);
        run_print(run, &row);
        if (traffic->least != traffic->most)
            run_say(run, "  %.2f MB in all: average %.2f KB, least %.2f, largest %.2f",
                    (double)traffic->bytes / (1 << 20),
                    (double)traffic->bytes / (double)traffic->count / 1024,
                    (double)traffic->least / 1024, (double)traffic->most / 1024);
        if (i == DEVICE_FAULTS && traffic->faults > traffic->count)
            run_say(run, "  %zu page faults in them", traffic->faults);
    }
}

// A row without counts: for its result only, or skipped.
static void print_uncounted(struct run *run, int number, int skip, size_t wrong) {
    struct row row = run_row(run, cases[number].name);
    row.parameter = "not counted";
    row.flag = skip ? "skipped" : NULL;
    row.check = skip ? NULL : wrong ? "FAIL" : "ok";
    run_print(run, &row);
}

// What the counts say: they may be any.
static void conclude(const struct run *run, const struct counters *all, size_t n) {
    const struct traffic_counter *plain = all[HOST_INIT].traffic;
    double mb = (double)(n * sizeof(float)) / (1 << 20);
    run_say(run,
            "Initialised on the host, two arrays of %.2f MB each: %.2f MB moved to the device (x "
            "and y are %.2f),\n"
            "%.2f MB moved back (y is %.2f), %zu %s.",
            mb, (double)plain[TO_THE_DEVICE].bytes / (1 << 20), 2 * mb,
            (double)plain[TO_THE_HOST].bytes / (1 << 20), mb, plain[HOST_FAULTS].count,
            traffic_names[run->on_cpu][HOST_FAULTS]);
    run_say(run,
            "Initialised on the device, %.2f MB moved to it. In %d runs %.2f MB moved to it, %s.",
            (double)all[DEVICE_INIT].traffic[TO_THE_DEVICE].bytes / (1 << 20), RUNS,
            (double)all[MANY].traffic[TO_THE_DEVICE].bytes / (1 << 20),
            all[MANY].traffic[TO_THE_DEVICE].bytes == plain[TO_THE_DEVICE].bytes ? "as in one"
                                                                                 : "unlike in one");
    if (run->on_cpu)
        run_say(
            run,
            "These are the CPU device's pages, by a model: each changes sides at a first touch or "
            "a prefetch.\nNo driver moved them, and a driver moves many at a time.");
    run_say(run, "(MB and KB are 2^20 and 2^10 bytes here, as in nvprof's table.)");
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "04_unified_memory",
    "page_traffic",
    "What moves between host and device when both use managed memory, counted.",
    "variant parameter value bytes median_ms flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    struct platform platform = platform_say(&run);
    struct bench bench = bench_create(&run, managed_size(&run));
    struct counters counters[CASES];
    // A profiler or a sanitizer, for which --quick is, wants CUPTI for itself.
    const char *why = run.quick && !run.on_cpu ? "--quick counts nothing" : counters_open();
    memset(counters, 0, sizeof counters);
    for (int i = 0; i < COPY; i++) { // copies move no managed memory
        int skip = cases[i].needs_concurrent && !platform.concurrent;
        size_t wrong = skip ? 0 : run_case(&bench, i, 0); // loads what the case needs
        if (skip || why) {
            print_uncounted(&run, i, skip, wrong);
            continue;
        }
        counters_start();
        wrong += run_case(&bench, i, 0);
        counters[i] = counters_stop();
        print_case(&run, &bench, i, &counters[i], wrong);
    }
    if (why)
        run_say(&run, "No table of pages: %s.", why);
    else if (!run.quick)
        conclude(&run, counters, bench.n);
    if (!platform.concurrent)
        run_say(&run, "Skipped: prefetch and advice need concurrentManagedAccess.");
    bench_free(&bench);
    return run_end(&run);
}
