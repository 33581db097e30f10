// The first kernel that touches managed memory is slow when the pages it needs are still on the
// host. Who initialized them, a second run, a prefetch, advice: each decides where the pages are
// when the kernel starts.
//
//     nvcc -O3 -arch=native 2_unified_memory.cu && ./a.out
//     ../../cudacc/cudacc -O2 2_unified_memory.cu && ./a.out
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "parts.h"

enum { MORE = 2 }; // times --samples on a GPU: how long pages take to move differs from run to run
static struct task tasks[SHOWN]; // their samples

// ---- Measure -----------------------------------------------------------------------------------
// Milliseconds in the case that ran last.
static double time_of(const struct bench *b, int i) {
    const size_t adds = (size_t)cases[rows[i].number].adds;
    double ms[RUNS], sum = 0;
    if (rows[i].from >= 0)
        return elapsed_ms(b->event[rows[i].from], b->event[rows[i].to]);
    for (size_t k = 0; k < adds; k++)
        sum += ms[k] = elapsed_ms(b->event[k + 1], b->event[k + 2]);
    return rows[i].from == CALLS     ? b->calls_ms
           : rows[i].from == AVERAGE ? sum / (double)adds
                                     : quantile_of(ms, adds, rows[i].from == SLOWEST);
}

// Every case once, to load what it needs; then rounds, each in another order.
static void measure_cases(struct bench *b, size_t *wrong) {
    size_t order[SHOWN_CASES];
    for (size_t round = 0; round <= MORE * run.samples; round++) {
        shuffle(order, SHOWN_CASES);
        for (int turn = 0; turn < SHOWN_CASES; turn++) {
            int number = (int)order[turn];
            wrong[number] += is_skipped(number) ? 0 : run_case(b, number);
            for (int i = 0; i < SHOWN && round > 0 && !is_skipped(number); i++)
                if (rows[i].number == number)
                    tasks[i].samples_ms[tasks[i].samples++] = time_of(b, i);
        }
    }
}

static void print_time(int i, size_t n, size_t wrong) {
    struct row row = row_of_floats(cases[rows[i].number].name, n, rows[i].parameter);
    int skipped = is_skipped(rows[i].number);
    row.block = BLOCK;
    row.bytes = rows[i].arrays * n * sizeof(float);
    row.check = skipped ? NULL : wrong ? "FAIL" : "ok";
    if (skipped)
        row.flag = "skipped";
    else if (run.samples)
        row_measured(&row, &tasks[i], SIZE_MAX); // pages move: no cache can explain the time
    print_row(&row);
}

// ---- Findings ----------------------------------------------------------------------------------
static const struct task *at(int number, const char *parameter) {
    return &tasks[row_at(number, parameter)];
}

static void conclude(int concurrent) {
    const double first = task_ms(at(MANY, "first")), best = task_ms(at(MANY, "fastest"));
    const struct task *add = at(HOST_INIT, "add"), *fetch = at(PREFETCH, "prefetch x and y");
    const struct task *fetch_add = at(PREFETCH, "prefetch and add");
    finding("first_touch_ratio", first / best,
            "Of %d runs the first takes %.4f ms, the fastest %.4f: %.1f times as long.", RUNS,
            first, best, first / best);
    finding("device_init_ms", task_ms(at(DEVICE_INIT, "init x and y")),
            "To initialize x and y on the device takes %.4f ms; the add after that takes %.4f.",
            task_ms(at(DEVICE_INIT, "init x and y")), task_ms(at(DEVICE_INIT, "add")));
    if (!concurrent)
        return;
    struct interval share = task_ratio(fetch_add, add);
    struct interval middle = median_interval(fetch->samples_ms, fetch->samples);
    finding("prefetch_share", share.median,
            "Prefetch and add take %.2f times as long as the add without it (95 %% interval of the "
            "median: %.2f to %.2f), and %.2f times as long as two copies and an add.",
            share.median, share.low, share.high,
            task_ratio(fetch_add, at(COPY, "copies and add")).median);
    finding("prefetch_ms", middle.median,
            "%zu prefetches of x and y took %.3f to %.3f ms; their median is %.3f (95 %% interval: "
            "%.3f to %.3f). The host spent %.3f ms in the two calls.",
            fetch->samples, quantile_of(fetch->samples_ms, fetch->samples, 0),
            quantile_of(fetch->samples_ms, fetch->samples, 1), middle.median, middle.low,
            middle.high, task_ms(at(PREFETCH, "host in its calls")));
    finding("preferred_on_host_share", task_ratio(at(TO_HOST, "add"), add).median,
            "With the host as preferred location, the add takes %.2f times as long as without "
            "advice.",
            task_ratio(at(TO_HOST, "add"), add).median);
    finding("read_mostly_share",
            task_ratio(at(MOSTLY, "second add"), at(REREAD, "second add")).median,
            "After the host has read x, a second add takes %.4f ms; with x read-mostly, %.4f.",
            task_ms(at(REREAD, "second add")), task_ms(at(MOSTLY, "second add")));
}

static int end(int concurrent) {
    if (!concurrent)
        say("Skipped: prefetch and advice need concurrentManagedAccess.");
    return run_end();
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    size_t wrong[SHOWN_CASES] = {0};
    run_begin(
        argc, argv, "04_unified_memory/unified_memory",
        "The first kernel to touch managed memory pays for the pages that have to come to it.",
        "variant parameter median_ms min_ms max_ms gb_per_s flag check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    int concurrent = platform_say();
    if (run.on_cpu)
        run.columns = "variant parameter value bytes flag check";
    struct bench bench = bench_create(managed_size(ARTICLE_N, 2));
    if (run.on_cpu) {
        show_pages(&bench);
        bench_free(&bench);
        return end(concurrent);
    }
    double floor_ms = run.samples ? timer_floor_ms() : 0;
    for (int i = 0; i < SHOWN; i++) {
        double *samples_ms = (double *)host_malloc(MORE * run.samples * sizeof(double));
        tasks[i] = task_of(NULL, NULL);
        tasks[i].samples_ms = samples_ms, tasks[i].batch = 1, tasks[i].floor_ms = floor_ms;
    }
    measure_cases(&bench, wrong);
    for (int i = 0; i < SHOWN; i++)
        print_time(i, bench.n, wrong[rows[i].number]);
    if (run.samples)
        conclude(concurrent);
    measure_free(tasks, SHOWN);
    bench_free(&bench);
    return end(concurrent);
}
