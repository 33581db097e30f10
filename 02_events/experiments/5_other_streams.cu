// What falls between two events? All that the device does between their stamps, another stream's
// work, too. The legacy default stream stamps its events when the other streams' work is done.
//
//     nvcc -O3 -arch=native 5_other_streams.cu && ./a.out
//     ../../cudacc/cudacc -O2 5_other_streams.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "rotate.h"

enum {
    GPU_N = 4 << 20, // more blocks than a GPU can hold at once
    CPU_N = 8 << 10,
    TURNS = 64,  // of the kernel that is timed
    LONGER = 20, // so many times as many: what the other stream has to do
};

enum { TIMED, OTHER, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"rotate", launch_rotate, rotate_reference, 512, TURNS, 8, 0, 0, "the kernel between events"},
    {"rotate longer", launch_rotate, rotate_reference, 512, LONGER *TURNS, 8, 0, 0, "the other"},
};

// ---- Two streams -------------------------------------------------------------------------------
enum { STREAM, BUSY, NON_BLOCKING, LEGACY, NONE };
static cudaStream_t s[] = {NULL, NULL, NULL, cudaStreamLegacy};
static cudaEvent_t start, stop;

// In which stream the events and the kernel between them are; which other stream is busy then.
enum { ALONE, BESIDE, STREAM_0, STREAM_0_BESIDE, CASES };
static const struct {
    const char *name, *other;
    int timed_in, busy;
} cases[CASES] = {
    {"events in a stream", "no other busy", STREAM, NONE},
    {"events in a stream", "another busy", STREAM, BUSY},
    {"events in stream 0", "another busy", LEGACY, BUSY},
    {"events in stream 0", "non-blocking busy", LEGACY, NON_BLOCKING},
};

// Milliseconds between the events. The other stream's kernel is launched before them.
static double time_case(int c, const struct arrays *x, const struct arrays *other) {
    cudaStream_t timed_in = s[cases[c].timed_in];
    CUDA_CHECK(cudaDeviceSynchronize());
    if (cases[c].busy != NONE)
        queue_rotate(s[cases[c].busy], other, LONGER * TURNS);
    CUDA_CHECK(cudaEventRecord(start, timed_in));
    queue_rotate(timed_in, x, TURNS);
    CUDA_CHECK(cudaEventRecord(stop, timed_in));
    return elapsed_ms(start, stop);
}

static int case_is_right(int c, struct arrays *x, struct arrays *other) {
    variant_expect(&variants[TIMED], x);
    variant_expect(&variants[OTHER], other);
    CUDA_CHECK(cudaDeviceSynchronize()); // the other stream may still write
    variant_reset(&variants[TIMED], x);
    variant_reset(&variants[OTHER], other);
    time_case(c, x, other);
    CUDA_CHECK(cudaDeviceSynchronize());
    return variant_is_right(&variants[TIMED], x) &&
           (cases[c].busy == NONE || variant_is_right(&variants[OTHER], other));
}

// Without times: had the other stream's kernel ended when `start` was stamped? If not, its work may
// fall between the events. Host functions beside the events note the order.
static int notes, busy_from, busy_to, stamped;

static void CUDART_CB note(void *at) { *(int *)at = __sync_add_and_fetch(&notes, 1); }

static int other_has_ended(int c, const struct arrays *x, const struct arrays *other) {
    cudaStream_t timed_in = s[cases[c].timed_in], busy = s[cases[c].busy];
    CUDA_CHECK(cudaDeviceSynchronize());
    busy_from = 0;
    CUDA_CHECK(cudaLaunchHostFunc(busy, note, &busy_from));
    queue_rotate(busy, other, LONGER * TURNS);
    CUDA_CHECK(cudaLaunchHostFunc(busy, note, &busy_to));
    while (!*(volatile int *)&busy_from) // so that it is busy
        usleep(100);
    CUDA_CHECK(cudaEventRecord(start, timed_in));
    CUDA_CHECK(cudaLaunchHostFunc(timed_in, note, &stamped));
    queue_rotate(timed_in, x, TURNS);
    CUDA_CHECK(cudaEventRecord(stop, timed_in));
    CUDA_CHECK(cudaDeviceSynchronize());
    return busy_to < stamped;
}

static void order_cases(struct arrays *x, struct arrays *other) {
    for (int c = 0; c < CASES; c++) {
        struct row row = variant_row(&variants[TIMED], x, case_is_right(c, x, other));
        row.variant = cases[c].name;
        row.parameter = cases[c].other;
        if (cases[c].busy != NONE)
            row.value = other_has_ended(c, x, other);
        print_row(&row);
    }
    say("value: 1 if the other stream's kernel had ended when the first event was stamped. Else "
        "its work falls between the events.");
}

// ---- Main --------------------------------------------------------------------------------------
static void find(const double *ms) {
    if (ms[BESIDE] > 1.5 * ms[ALONE])
        finding("beside", ms[BESIDE] / ms[ALONE],
                "Two events around the same kernel read %.3f ms alone and %.3f ms while another "
                "stream was busy: its work is in the time.",
                ms[ALONE], ms[BESIDE]);
    else
        finding("beside", ms[BESIDE] / ms[ALONE],
                "Two events around the same kernel read %.3f ms alone and %.3f ms while another "
                "stream was busy: little of its work is in the time.",
                ms[ALONE], ms[BESIDE]);
    finding(
        "stream_0", ms[STREAM_0] / ms[ALONE],
        "With events and kernel in the legacy default stream they read %.3f ms, and %.3f ms if the "
        "busy stream is a non-blocking one.",
        ms[STREAM_0], ms[STREAM_0_BESIDE]);
}

int main(int argc, char **argv) {
    double median_ms[CASES];
    size_t order[CASES];
    run_begin(argc, argv, "02_events/other_streams",
              "Between two events in a stream, other streams' work may fall.",
              "variant n parameter value median_ms min_ms max_ms check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t n = run_size(GPU_N, CPU_N, 2 * ARRAYS * sizeof(float));
    struct arrays x = arrays_create(n), other = arrays_create(n);
    double *ms = (double *)host_malloc(CASES * run.samples * sizeof *ms);
    CUDA_CHECK(cudaStreamCreate(&s[STREAM]));
    CUDA_CHECK(cudaStreamCreate(&s[BUSY]));
    CUDA_CHECK(cudaStreamCreateWithFlags(&s[NON_BLOCKING], cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    int right = case_is_right(ALONE, &x, &other); // the warm-up, too
    if (run.counts)
        order_cases(&x, &other);
    for (size_t i = 0; i < run.samples; i++) {
        shuffle(order, CASES);
        for (int turn = 0; turn < CASES; turn++)
            ms[order[turn] * run.samples + i] = time_case((int)order[turn], &x, &other);
    }
    for (int c = 0; c < CASES && !run.counts; c++) {
        struct row row = variant_row(&variants[TIMED], &x, right & case_is_right(c, &x, &other));
        row.variant = cases[c].name;
        row.parameter = cases[c].other;
        row_times(&row, ms + c * run.samples, run.samples);
        median_ms[c] = row.median_ms;
        row.value = round(100 * median_ms[c] / median_ms[ALONE]) / 100; // times as long as alone
        print_row(&row);
    }
    if (run.samples)
        find(median_ms);
    free(ms);
    arrays_free(&x);
    arrays_free(&other);
    return run_end();
}
