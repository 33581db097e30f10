// Operations in one stream run one after another. In two streams the copies of one may overlap the
// kernel of the other, if the host's memory is pinned. With pageable memory they do not.
//
//     nvcc -O3 -arch=native 3_streams.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_streams.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/variants.h"

enum {
    GPU_N = 20 << 20, // 80 MiB each way: a copy takes far longer than a launch
    CPU_N = 2 << 20,
    BITS = 20, // of a number; a float holds it exactly
    MASK = (1 << BITS) - 1,
};

// ---- Kernel ------------------------------------------------------------------------------------
// Rotates the bits of a number by one place, `turns` times: it takes as long as you want.
__global__ void rotate(float *out, const float *a, size_t n, unsigned turns) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (unsigned)a[i];
        for (unsigned turn = 0; turn < turns; turn++)
            x = (x << 1 | x >> (BITS - 1)) & MASK;
        out[i] = (float)x;
    }
}

static void launch_rotate(const struct arrays *x, unsigned block, size_t turns) {
    rotate<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n, (unsigned)turns);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Reference ---------------------------------------------------------------------------------
static void rotate_reference(float *out, const float *a, const float *, size_t n, size_t turns) {
    unsigned left = turns % BITS;
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(((unsigned)a[i] << left | (unsigned)a[i] >> (BITS - left)) & MASK);
}

enum { VARIANTS = 1 };
static const struct variant variants[VARIANTS] = {
    {"rotate", launch_rotate, rotate_reference, 512, 64, 8, 0, 0, "by choice as long as a copy"},
};

// ---- The loop, in four forms -------------------------------------------------------------------
// Expect a gain in the last form alone: a pageable copy out is done before its call returns, and in
// one stream it is one thing at a time.
enum { PAGEABLE, PINNED, KINDS, FORMS = 4 }; // form / 2 is the memory, form % 2 + 1 the streams
static const char *const forms[FORMS] = {"pageable, 1 stream", "pageable, 2 streams",
                                         "pinned, 1 stream", "pinned, 2 streams"};

static struct arrays x;
static struct variant kernel; // rotate, with as many turns as take as long as a copy
static float *h_in[KINDS], *h_out[KINDS];
static cudaStream_t streams[2];
static cudaEvent_t events[2];
static int first_is_back; // the first half's result was there when the second half was queued

static void create(size_t n) {
    size_t bytes = n * sizeof(float);
    x = arrays_create(n);
    kernel = variants[0];
    h_in[PAGEABLE] = (float *)host_malloc(bytes);
    h_out[PAGEABLE] = (float *)host_malloc(bytes);
    CUDA_CHECK(cudaMallocHost((void **)&h_in[PINNED], bytes));
    CUDA_CHECK(cudaMallocHost((void **)&h_out[PINNED], bytes));
    for (int i = 0; i < 2; i++) {
        fill_floats(h_in[i], n, 1);
        CUDA_CHECK(cudaStreamCreate(&streams[i]));
        CUDA_CHECK(cudaEventCreate(&events[i]));
    }
}

static void destroy(void) {
    arrays_free(&x);
    free(h_in[PAGEABLE]);
    free(h_out[PAGEABLE]);
    CUDA_CHECK(cudaFreeHost(h_in[PINNED]));
    CUDA_CHECK(cudaFreeHost(h_out[PINNED]));
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
        CUDA_CHECK(cudaEventDestroy(events[i]));
    }
}

// The work on one half of the data, or some part of it.
enum { COPY_IN = 1, KERNEL = 2, COPY_OUT = 4, ALL = 7 };

static void queue_half(int half, int parts, int memory, cudaStream_t stream) {
    size_t first = half * (x.n / 2), n = half ? x.n - first : x.n / 2, bytes = n * sizeof(float);
    float *in = h_in[memory] + first, *out = h_out[memory] + first;
    float *d_in = x.d_a + first, *d_out = x.d_out + first;
    if (parts & COPY_IN)
        CUDA_CHECK(cudaMemcpyAsync(d_in, in, bytes, cudaMemcpyHostToDevice, stream));
    if (parts & KERNEL && n > 0)
        rotate<<<blocks(n, 512), 512, 0, stream>>>(d_out, d_in, n, (unsigned)kernel.parameter);
    CUDA_CHECK(cudaGetLastError());
    if (parts & COPY_OUT)
        CUDA_CHECK(cudaMemcpyAsync(out, d_out, bytes, cudaMemcpyDeviceToHost, stream));
}

// Both events are in the legacy default stream (the articles' stream 0): one is before all work of
// the two streams, one after it. 4_stream_order.cu shows when that holds.
static double time_halves(int halves, int parts, int form) {
    volatile const float *h_result = h_out[form / 2];
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaEventRecord(events[0], cudaStreamLegacy));
    for (int half = 0; half < halves; half++) {
        first_is_back = x.n >= 2 && !isnan(h_result[x.n / 2 - 1]); // it began as NaN
        queue_half(half, parts, form / 2, streams[half * (form % 2)]);
    }
    CUDA_CHECK(cudaEventRecord(events[1], cudaStreamLegacy));
    return elapsed_ms(events[0], events[1]);
}

static int form_is_right(int form) {
    size_t bytes = x.n * sizeof(float);
    float *h_expected = (float *)host_malloc(bytes);
    variant_expect(&kernel, &x);
    variant_reset(&kernel, &x);
    poison(x.d_a, bytes); // or the copy in could be left out
    memset(h_out[form / 2], POISON_BYTE, bytes);
    time_halves(2, ALL, form);
    CUDA_CHECK(cudaMemcpy(h_expected, x.d_expected, bytes, cudaMemcpyDeviceToHost));
    int right = variant_is_right(&kernel, &x) &
                !count_mismatches(h_expected, h_out[form / 2], x.n, sizeof(float), forms[form]);
    free(h_expected);
    return right;
}

// ---- Measure -----------------------------------------------------------------------------------
// Each part of a half, with nothing beside it. The kernel gets as many turns as make it as long as
// a copy: where one part takes nearly all the time, overlap has little to gain. Returns the share
// of one stream's time that two need if one half hides all but the longest part of the other.
static double measure_parts(void) {
    static const char *const names[] = {"half: copy in", "half: kernel", "half: copy out"};
    double *ms = (double *)host_malloc(run.samples * sizeof *ms), alone_ms[3];
    for (int i = 0; i < 9; i++) { // two rounds to find the turns, the third one counts
        int part = i % 3;
        struct row row = row_of(names[part]);
        for (size_t sample = 0; sample < run.samples; sample++)
            ms[sample] = time_halves(1, 1 << part, FORMS - 1);
        row_times(&row, ms, run.samples);
        alone_ms[part] = row.median_ms;
        row.dtype = "float", row.n = x.n / 2;
        if (part == 1)
            row.parameter = "turns", row.value = (double)kernel.parameter;
        if (i >= 6)
            print_row(&row);
        else if (part == 2)
            kernel.parameter =
                (size_t)fmin(fmax((double)kernel.parameter * alone_ms[0] / alone_ms[1], 1), 1e6);
    }
    free(ms);
    double longest = fmax(alone_ms[0], fmax(alone_ms[1], alone_ms[2]));
    return 0.5 + longest / (alone_ms[0] + alone_ms[1] + alone_ms[2]) / 2;
}

// A row for each form. They take turns.
static void measure_forms(void) {
    double *ms = (double *)host_malloc(FORMS * run.samples * sizeof *ms), total_ms[FORMS];
    int right[FORMS], back[FORMS];
    for (int f = 0; f < FORMS; f++) {
        right[f] = form_is_right(f); // the warm-up, too
        back[f] = first_is_back;
    }
    for (size_t i = 0; i < FORMS * run.samples; i++)
        ms[i % FORMS * run.samples + i / FORMS] = time_halves(2, ALL, (int)(i % FORMS));
    for (int f = 0; f < FORMS; f++) {
        struct row row = row_of(forms[f]);
        row.dtype = "float", row.n = x.n, row.block = kernel.block;
        row.check = form_is_right(f) && right[f] ? "ok" : "FAIL";
        row_times(&row, ms + f * run.samples, run.samples);
        total_ms[f] = row.median_ms;
        if (f % 2)
            row.parameter = "of one stream's time",
            row.value = round(1e3 * total_ms[f] / total_ms[f - 1]) * 1e-3;
        print_row(&row);
    }
    free(ms);
    for (int f = 1; f < FORMS && run.samples; f += 2) {
        double share = total_ms[f] / total_ms[f - 1];
        finding(f / 2 == PINNED ? "pinned_share" : "pageable_share", share,
                "%s take %.2f of one stream's time.", forms[f], share);
        if (back[f])
            say("The first half was back before the second was queued.");
    }
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double model = 0;
    run_begin(argc, argv, "02_events/streams",
              "Copies in one stream overlap the kernel in another if the host's memory is pinned.",
              "variant n parameter value median_ms min_ms max_ms check", "elements", NO_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    if (run.samples)
        model = measure_parts();
    measure_forms();
    if (run.samples)
        finding("model_share", model,
                "If one half hides all but the longest part of the other, two streams take %.2f of "
                "one stream's time.",
                model);
    destroy();
    return run_end();
}
