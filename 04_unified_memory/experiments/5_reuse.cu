// The device can read host memory over the link, again at each use (zero-copy), or have the pages
// moved into its own memory once. How often must it use them until the move has paid?
//
//     nvcc -O3 -arch=native 5_reuse.cu && ./a.out
//     ../../cudacc/cudacc -O2 5_reuse.cu && ./a.out   (no GPU)
//
// The kernel and the cases are in add.h and cases.h, a case with its way back in round_trip.h.
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "round_trip.h"

enum { ON_DEMAND, PREFETCHED, COPIED, MAPPED_MEMORY, FROM_MALLOC, PINNED, WAYS };
static const int ways[WAYS] = {HOST_INIT, PREFETCH, COPY, ZERO_COPY, MALLOC, PINNED_COPY}; // cases
static const size_t uses[] = {1, 2, 4, 8, 16, 32};
enum { USES = 6, TURNS = WAYS * USES };
static struct task tasks[WAYS][USES];
static size_t crossed[WAYS][USES]; // bytes between the memories: on the CPU device
static size_t wrong[WAYS][USES];

// ---- Measure -----------------------------------------------------------------------------------
// Everything once, to load it, or on the CPU device to count; then rounds, each in another order.
static void measure_ways(const struct bench *b) {
    size_t order[TURNS];
    for (size_t round = 0; round <= run.samples; round++) {
        shuffle(order, TURNS);
        for (int turn = 0; turn < TURNS; turn++) {
            size_t way = order[turn] / USES, use = order[turn] % USES;
            struct task *task = &tasks[way][use];
            if (is_skipped(ways[way]))
                continue;
            if (run.on_cpu)
                counters_start();
            double ms = run_way(b, ways[way], uses[use], &wrong[way][use]);
            if (run.on_cpu)
                crossed[way][use] = count_way(b, ways[way], uses[use]);
            if (round > 0)
                task->samples_ms[task->samples++] = ms;
        }
    }
}

static void print_way(int way, int use, size_t n) {
    struct row row = row_of_floats(cases[ways[way]].name, n, "adds");
    int skipped = is_skipped(ways[way]);
    row.block = BLOCK;
    row.value = (double)uses[use];
    row.bytes = crossed[way][use];
    row.check = skipped ? NULL : wrong[way][use] ? "FAIL" : "ok";
    if (skipped)
        row.flag = "not supported";
    else if (run.samples)
        row_times(&row, tasks[way][use].samples_ms, tasks[way][use].samples);
    print_row(&row);
}

// ---- Findings ----------------------------------------------------------------------------------
// The fewest adds from which a way is surely faster than mapped host memory.
static void conclude_pays(int way, const char *name, const char *what) {
    int use = USES;
    while (use > 0 && task_ratio(&tasks[way][use - 1], &tasks[MAPPED_MEMORY][use - 1]).high < 1)
        use--;
    double ratio = use < USES ? task_ratio(&tasks[way][use], &tasks[MAPPED_MEMORY][use]).median : 0;
    if (use == USES)
        finding(name, NAN, "%s is not surely faster than mapped host memory for %zu adds.", what,
                uses[USES - 1]);
    else
        finding_if(
            ratio < 1, name, (double)uses[use],
            "%s is faster than mapped host memory from %zu adds on (of 1, 2, 4... %zu): there "
            "it takes %.2f times as long.",
            what, uses[use], uses[USES - 1], ratio);
}

// What each add costs that is not the first, in milliseconds.
static double further_ms(int way) {
    return (task_ms(&tasks[way][USES - 1]) - task_ms(&tasks[way][0])) /
           (double)(uses[USES - 1] - uses[0]);
}

static void conclude_crossings(void) {
    const size_t last = USES - 1;
    finding("mapped_bytes", (double)crossed[MAPPED_MEMORY][last],
            "For %zu adds %.1f MiB of pages move, or %.1f MiB are copied; in mapped host memory "
            "each add reads and writes across the link, %.1f MiB in all.",
            uses[last], (double)crossed[ON_DEMAND][last] / (1 << 20),
            (double)crossed[COPIED][last] / (1 << 20),
            (double)crossed[MAPPED_MEMORY][last] / (1 << 20));
}

static void conclude(int concurrent) {
    double once = task_ms(&tasks[MAPPED_MEMORY][0]);
    finding("zero_copy_once_ms", once,
            "One add in mapped host memory takes %.3f ms; with pages that move on demand %.3f, "
            "with copies %.3f.",
            once, task_ms(&tasks[ON_DEMAND][0]), task_ms(&tasks[COPIED][0]));
    finding(
        "further_add_ms", further_ms(MAPPED_MEMORY),
        "A further add takes %.3f ms in mapped host memory; where the pages have moved, %zu adds "
        "take %.2f times as long as one.",
        further_ms(MAPPED_MEMORY), uses[USES - 1],
        task_ms(&tasks[ON_DEMAND][USES - 1]) / task_ms(&tasks[ON_DEMAND][0]));
    conclude_pays(ON_DEMAND, "on_demand_pays_from", "Moving the pages on demand");
    conclude_pays(COPIED, "copies_pay_from", "Copying the arrays");
    conclude_pays(PINNED, "pinned_copies_pay_from", "Copying from pinned memory");
    if (concurrent) {
        conclude_pays(PREFETCHED, "prefetch_pays_from", "Prefetching the pages");
        finding("pinned_share", task_ratio(&tasks[PINNED][0], &tasks[PREFETCHED][0]).median,
                "Copies from pinned memory take %.2f times as long as a prefetch for one add, %.2f "
                "times for %zu.",
                task_ratio(&tasks[PINNED][0], &tasks[PREFETCHED][0]).median,
                task_ratio(&tasks[PINNED][USES - 1], &tasks[PREFETCHED][USES - 1]).median,
                uses[USES - 1]);
    }
    if (!is_skipped(MALLOC))
        finding("malloc_once_ms", task_ms(&tasks[FROM_MALLOC][0]),
                "In memory from malloc one add takes %.3f ms, a further one %.4f.",
                task_ms(&tasks[FROM_MALLOC][0]), further_ms(FROM_MALLOC));
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "04_unified_memory/reuse",
              "Pages that the device uses often are worth moving; those it uses once may not be.",
              "variant parameter value median_ms min_ms max_ms flag check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    int concurrent = platform_say();
    struct bench bench = bench_create(managed_size(ARTICLE_N, 2));
    for (int i = 0; i < TURNS; i++)
        tasks[i / USES][i % USES].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
    if (run.on_cpu)
        run.columns = "variant parameter value bytes flag check";
    measure_ways(&bench);
    for (int i = 0; i < TURNS; i++)
        print_way(i / USES, i % USES, bench.n);
    if (run.on_cpu)
        conclude_crossings();
    if (run.samples)
        conclude(concurrent);
    if (is_skipped(MALLOC))
        finding_if(
            !attribute(cudaDevAttrPageableMemoryAccess), "malloc_supported", 0,
            "Not supported here: memory from malloc in a kernel, as pageableMemoryAccess is 0.");
    if (!concurrent)
        say("Skipped: prefetch and advice need concurrentManagedAccess.");
    measure_free(&tasks[0][0], TURNS);
    bench_free(&bench);
    return run_end();
}
