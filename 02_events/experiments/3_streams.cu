// Operations in one stream run one after another. In two streams the copies of one may overlap the
// kernel of the other, if the host's memory is pinned. With pageable memory they do not.
//
//     nvcc -O3 -arch=native 3_streams.cu && ./a.out
//     ../../cudacc/cudacc -O2 3_streams.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "halves.h"

enum { GPU_N = 20 << 20, CPU_N = 2 << 20 }; // 80 MiB each way: far longer than a launch

static struct variant variants[] = {
    {"rotate", launch_rotate, rotate_reference, 512, 64, 8, 0, 0, "with turns, as long as a copy"},
};

// ---- The loop, in four forms -------------------------------------------------------------------
// Expect a gain in the last form alone: a pageable copy out is done before its call returns, and in
// one stream it is one thing at a time. First, each part of a half with nothing beside it.
enum { FORMS = 3, JOBS = 7 };
static const struct job {
    const char *name, *finding;
    int parts, memory, streams;
} jobs[JOBS] = {
    {"half: copy in", NULL, COPY_IN, PINNED, 1},
    {"half: kernel", NULL, KERNEL, PINNED, 1},
    {"half: copy out", NULL, COPY_OUT, PINNED, 1},
    {"pageable, 1 stream", NULL, ALL, PAGEABLE, 1},
    {"pageable, 2 streams", "pageable_share", ALL, PAGEABLE, 2},
    {"pinned, 1 stream", NULL, ALL, PINNED, 1},
    {"pinned, 2 streams", "pinned_share", ALL, PINNED, 2},
};

static int first_is_back[JOBS]; // the first half's result was there when the second was queued

// Both events are in the legacy default stream (the articles' stream 0): one is before all work of
// the two streams, one after it. 4_stream_order.cu shows when that holds.
static double time_job(size_t j) {
    const struct job *job = &jobs[j];
    volatile const float *h_result = h[1][job->memory];
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaEventRecord(events[0], cudaStreamLegacy));
    for (int half = 0; half < (job->parts == ALL ? 2 : 1); half++) {
        first_is_back[j] = x.n >= 2 && !isnan(h_result[x.n / 2 - 1]); // it began as NaN
        queue_half(half, job->parts, job->memory, half % job->streams,
                   (unsigned)variants->parameter);
    }
    CUDA_CHECK(cudaEventRecord(events[1], cudaStreamLegacy));
    return elapsed_ms(events[0], events[1]);
}

static int is_right(size_t j) {
    size_t bytes = x.n * sizeof(float);
    float *h_result = h[1][jobs[j].memory];
    variant_expect(variants, &x);
    variant_reset(variants, &x);
    poison(x.d_a, bytes); // or the copy in could be left out
    memset(h_result, POISON_BYTE, bytes);
    time_job(j);
    CUDA_CHECK(cudaMemcpy(x.d_out, h_result, bytes, cudaMemcpyHostToDevice));
    return variant_is_right(variants, &x);
}

// ---- Measure -----------------------------------------------------------------------------------
// Where one part takes nearly all the time, overlap has little to gain: so the kernel gets as many
// turns as make it as long as a copy.
static void choose_turns(void) {
    for (int i = 0; i < 3; i++) {
        double turns = (double)variants->parameter * time_job(0) / time_job(1);
        variants->parameter = (size_t)fmin(fmax(turns, 1), 1e6);
    }
}

// A row for each job, in whose medians go to median_ms. They take turns in random order.
static void measure_jobs(double *median_ms) {
    double *ms = (double *)host_malloc(JOBS * run.samples * sizeof *ms);
    size_t order[JOBS];
    int right[JOBS];
    for (size_t j = FORMS; j < JOBS; j++)
        right[j] = is_right(j); // the warm-up, too
    for (size_t i = 0; i < run.samples * JOBS; i++) {
        if (i % JOBS == 0)
            shuffle(order, JOBS);
        ms[order[i % JOBS] * run.samples + i / JOBS] = time_job(order[i % JOBS]);
    }
    for (size_t j = run.samples ? 0 : FORMS; j < JOBS; j++) {
        struct row row = row_of(jobs[j].name);
        row.n = j < FORMS ? x.n / 2 : x.n;
        row.check = j < FORMS ? NULL : right[j] & is_right(j) ? "ok" : "FAIL";
        row_times(&row, ms + j * run.samples, run.samples);
        median_ms[j] = row.median_ms;
        if (j == 1)
            row.parameter = "turns", row.value = (double)variants->parameter;
        if (jobs[j].streams == 2)
            row.parameter = "of one stream's time",
            row.value = round(1e3 * median_ms[j] / median_ms[j - 1]) * 1e-3;
        print_row(&row);
    }
    free(ms);
}

// Without times: was the first half's result back before the second half was queued?
static void order_jobs(void) {
    for (size_t j = FORMS; j < JOBS; j++)
        print_value(jobs[j].name, x.n, "first half back early", first_is_back[j], is_right(j));
    say("value: 1 if the first half's result was back before the second half was queued.");
}

// ---- Main --------------------------------------------------------------------------------------
static void time_jobs(void) {
    double ms[JOBS];
    choose_turns();
    measure_jobs(ms);
    for (int j = FORMS + 1; j < JOBS && run.samples; j += 2) {
        finding(jobs[j].finding, ms[j] / ms[j - 1],
                "With %s memory two streams take %.2f of one stream's time.",
                jobs[j].memory == PINNED ? "pinned" : "pageable", ms[j] / ms[j - 1]);
        if (first_is_back[j])
            say("The first half was back before the second was queued.");
    }
    double model = 0.5 + fmax(ms[0], fmax(ms[1], ms[2])) / (ms[0] + ms[1] + ms[2]) / 2;
    if (run.samples)
        finding("model_share", model,
                "If only the longest part showed, two streams would take %.2f of it.", model);
}

int main(int argc, char **argv) {
    run_begin(argc, argv, "02_events/streams",
              "Copies in one stream overlap the kernel in another if the host's memory is pinned.",
              "variant n parameter value median_ms min_ms max_ms check", "elements", NO_ERRORS);
    check_sizes(variants, 1);
    halves_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    if (run.counts)
        order_jobs();
    else
        time_jobs();
    halves_free();
    return run_end();
}
