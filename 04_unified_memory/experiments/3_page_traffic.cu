// The pages that explain the times: what moves between host and device in each case, how often,
// and which processor had to fault for it. The same table as the profiler nvprof used to print,
// made by the program itself.
//
//     nvcc -O3 -arch=native 3_page_traffic.cu && ./a.out
//     ../../cudacc/cudacc -O2 3_page_traffic.cu && ./a.out   (no GPU)
//
// The kernels and the cases are in cases.h.
//
// SPDX-License-Identifier: MIT
#include "cases.h"
#include "page_counters.h"

// What each kind of traffic is called, on a GPU and in the model of the CPU device.
static const char *const traffic_names[2][TRAFFICS] = {
    {"moves to device", "moves to host", "CPU page faults", "GPU fault groups"},
    {"pages to device", "pages to host", "host touches", "device touches"},
};

static double mb(size_t bytes) { return (double)bytes / (1 << 20); }

// Prints a row for each kind of traffic; below it stand nvprof's average, least and largest.
static void print_case(const struct bench *b, int number, const struct counters *counters,
                       const char *check) {
    for (int i = 0; i < TRAFFICS; i++) {
        const struct traffic_counter *traffic = &counters->traffic[i];
        struct row row = row_of_floats(cases[number].name, b->n, traffic_names[run.on_cpu][i]);
        row.value = (double)traffic->count;
        row.bytes = traffic->bytes;
        row.check = check;
        row_times(&row, &traffic->ms, run.samples && traffic->ms > 0);
        print_row(&row);
        if (traffic->least != traffic->most)
            say("  %.2f MB in all: average %.2f KB, least %.2f, largest %.2f", mb(traffic->bytes),
                1024 * mb(traffic->bytes) / (double)traffic->count, 1024 * mb(traffic->least),
                1024 * mb(traffic->most));
        if (i == DEVICE_FAULTS && traffic->faults > traffic->count)
            say("  %zu page faults in them", traffic->faults);
    }
}

// A row without counts: for its result only, or skipped.
static void print_uncounted(int number, const char *flag, const char *check) {
    struct row row = row_of(cases[number].name);
    row.parameter = "not counted";
    row.flag = flag;
    row.check = check;
    print_row(&row);
}

// What the counts say: they may be any.
static void conclude(const struct counters *all, size_t n) {
    const struct traffic_counter *plain = all[HOST_INIT].traffic;
    const double array = mb(n * sizeof(float)), to_device = mb(plain[TO_THE_DEVICE].bytes);
    const double in_all_runs = mb(all[MANY].traffic[TO_THE_DEVICE].bytes);
    const double device_init = mb(all[DEVICE_INIT].traffic[TO_THE_DEVICE].bytes);
    finding("to_device_mb", to_device,
            "Initialized on the host, %.2f MB moved to the device (x and y are %.2f) and %.2f MB "
            "back (y is %.2f), with %zu %s.",
            to_device, 2 * array, mb(plain[TO_THE_HOST].bytes), array, plain[HOST_FAULTS].count,
            traffic_names[run.on_cpu][HOST_FAULTS]);
    finding("device_init_to_device_mb", device_init,
            "Initialized on the device, %.2f MB moved to it.", device_init);
    finding("runs_to_device_mb", in_all_runs,
            "In %d runs %.2f MB moved to the device; in one run, %.2f.", RUNS, in_all_runs,
            to_device);
    if (run.on_cpu)
        say("These are the CPU device's pages, by a model: each changes sides at a first touch or "
            "a prefetch.\nNo driver moved them, and a driver moves many at a time.");
    say("(MB and KB are 2^20 and 2^10 bytes here, as in nvprof's table.)");
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct counters counters[MANAGED_CASES];
    run_begin(argc, argv, "04_unified_memory/page_traffic",
              "What moves between host and device when both use managed memory, counted.",
              "variant parameter value bytes median_ms flag check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    int concurrent = platform_say();
    struct bench bench = bench_create(managed_size(ARTICLE_N, 2));
    // A profiler or a sanitizer, for which --quick is, wants CUPTI for itself.
    const char *why = run.quick && !run.on_cpu ? "--quick counts nothing" : counters_open();
    memset(counters, 0, sizeof counters);
    for (int i = 0; i < MANAGED_CASES; i++) {
        if (is_skipped(i)) {
            print_uncounted(i, "skipped", NULL);
            continue;
        }
        size_t wrong = run_case(&bench, i); // loads what the case needs
        if (!why) {
            counters_start();
            wrong += run_case(&bench, i);
            counters[i] = counters_stop();
            print_case(&bench, i, &counters[i], wrong ? "FAIL" : "ok");
        } else {
            print_uncounted(i, NULL, wrong ? "FAIL" : "ok");
        }
    }
    if (why)
        say("No table of pages: %s.", why);
    else if (!run.quick)
        conclude(counters, bench.n);
    if (!concurrent)
        say("Skipped: prefetch and advice need concurrentManagedAccess.");
    bench_free(&bench);
    return run_end();
}
