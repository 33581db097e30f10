// When does a copy's call return, and which clock can time the copy? Both directions, both kinds of
// memory, cudaMemcpy and cudaMemcpyAsync: each from an idle device and after a running kernel.
//
//     nvcc -O3 -arch=native 6_copy_calls.cu && ./a.out
//     ../../cudacc/cudacc -O2 6_copy_calls.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "takes.h"

// All forms are measured with the first and the last size; the sizes between show whether 64 KiB
// are a limit for the first form, a pageable cudaMemcpy to the device.
static const size_t sizes[] = {4 << 10, 16 << 10, 64 << 10, (64 << 10) + 4, 256 << 10, 1 << 20};
enum { SIZES = (int)(sizeof sizes / sizeof sizes[0]) };

// ---- Measure -----------------------------------------------------------------------------------
struct form_rows {
    struct row host[STATES], events[STATES];
};

// The rows of the first `forms`, from takes in random order in each round.
static void measure_size(size_t bytes, int forms, struct form_rows *rows, cudaEvent_t *events) {
    struct arrays x = arrays_create((bytes + sizeof(float) - 1) / sizeof(float));
    size_t cases = (size_t)forms * STATES * TAKES, samples = run.samples, order[CASES];
    double *taken = (double *)host_malloc(cases * samples * sizeof *taken), *next = taken;
    int right[FORMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    check_forms(&x, right, forms); // the warm-up, too
    launch_busy();
    for (size_t i = 0; i < samples; i++) {
        shuffle(order, cases);
        for (size_t turn = 0; turn < cases; turn++)
            taken[order[turn] * samples + i] = take(&x, (int)order[turn], events);
    }
    check_forms(&x, right, forms);
    for (int form = 0; form < forms; form++)
        for (int state = 0; state < STATES; state++, next += TAKES * samples) {
            struct row row = row_of(form_names[form]);
            double early = 0;
            row.bytes = bytes, row.check = right[form] ? "ok" : "FAIL";
            row.parameter = state == IDLE ? "events, idle" : "events, busy";
            row_times(&row, next + EVENTS * samples, samples);
            rows[form].events[state] = row;
            for (size_t i = 0; i < samples; i++)
                early += next[EARLY * samples + i] / (double)samples;
            row.parameter = state == IDLE ? "host, idle; early %" : "host, busy; early %";
            row_times(&row, next + HOST * samples, samples);
            row.value = samples ? round(early) : NAN;
            rows[form].host[state] = row;
            print_row(&rows[form].host[state]), print_row(&rows[form].events[state]);
        }
    free(taken);
    arrays_free(&x);
}

// Without times: did the call return while a kernel ahead of it ran?
static void count_size(size_t bytes, int forms, cudaEvent_t *events) {
    struct arrays x = arrays_create((bytes + sizeof(float) - 1) / sizeof(float));
    int right[FORMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    check_forms(&x, right, forms);
    for (int form = 0; form < forms; form++) {
        struct row row = row_of(form_names[form]);
        int at = (form * STATES + BUSY) * TAKES + EARLY;
        row.bytes = bytes, row.check = right[form] ? "ok" : "FAIL";
        row.parameter = "returned early";
        row.value = take(&x, at, events) > 0;
        print_row(&row);
    }
    arrays_free(&x);
}

// ---- Findings ----------------------------------------------------------------------------------
// Which calls came back while a kernel ran ahead of them, and what both clocks say of one copy.
static void conclude(const struct form_rows *rows, size_t bytes) {
    const struct form_rows *pinned = &rows[PINNED], *pageable = &rows[0];
    char list[256] = "none", name[64];
    int early = 0;
    for (int form = 0, used = 0; form < FORMS; form++)
        if (rows[form].host[BUSY].value > 50)
            used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", early++ ? "; " : "",
                             form_names[form]);
    snprintf(name, sizeof name, "early, %zu bytes", bytes);
    finding(name, early,
            "Of %d calls for %zu bytes, %d return while a kernel ahead of them runs: %s.", FORMS,
            bytes, early, list);
    snprintf(name, sizeof name, "clocks, %zu bytes", bytes);
    finding(name, 1e3 * pinned->host[IDLE].median_ms,
            "%zu bytes to an idle device take %.1f us from pinned memory and %.1f from pageable by "
            "the host's clock, %.1f and %.1f by events; after a kernel events read %.1f and %.1f.",
            bytes, 1e3 * pinned->host[IDLE].median_ms, 1e3 * pageable->host[IDLE].median_ms,
            1e3 * pinned->events[IDLE].median_ms, 1e3 * pageable->events[IDLE].median_ms,
            1e3 * pinned->events[BUSY].median_ms, 1e3 * pageable->events[BUSY].median_ms);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct form_rows rows[FORMS];
    cudaEvent_t events[3];
    size_t early = 0, times = 0; // the first form returned while a kernel ran: the most bytes
    const size_t tried = run.size ? 1 : SIZES;
    run_begin(argc, argv, "03_bandwidth/copy_calls",
              "Which calls return before their copy is done, and which clock can time it?",
              "variant parameter value bytes median_ms spread_pct check", "bytes", NO_ERRORS);
    check_sizes(round_trips, FORMS / 2);
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaEventCreate(&events[i]));
    for (size_t i = 0; i < tried; i++) {
        size_t bytes = run.size ? run.size : sizes[i];
        int forms = run.size || i == 0 || i == SIZES - 1 ? FORMS : 1;
        if (run.counts) {
            count_size(bytes, forms, events);
            continue;
        }
        measure_size(bytes, forms, rows, events);
        if (rows[0].host[BUSY].value > 50)
            early = bytes, times++;
        if (run.samples && forms == FORMS)
            conclude(rows, bytes);
    }
    if (run.counts)
        say("value: 1 if the call returned while a kernel ahead of it ran.");
    if (run.samples && times)
        finding("early_bytes", (double)early,
                "A cudaMemcpy from pageable memory returns while a kernel ahead of it runs at %zu "
                "of %zu sizes tried, the largest %zu bytes.",
                times, tried, early);
    else if (run.samples)
        finding("early_bytes", 0,
                "A cudaMemcpy from pageable memory waits for the kernel ahead of it at each size "
                "tried.");
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaEventDestroy(events[i]));
    host_buffer(0, 0), host_buffer(PINNED, 0);
    return run_end();
}
