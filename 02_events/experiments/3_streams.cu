// Operations in one stream run one after another. In two streams the copies of one may overlap the
// kernel of the other, if the host's memory is pinned. With pageable memory they do not.
//
//     nvcc -O3 3_streams.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_streams.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"

enum {
    GPU_N = 16 * 1024 * 1024, // 64 MiB each way: a copy takes far longer than a launch
    CPU_N = 2 * 1024 * 1024,
    BITS = 20, // of a number; a float holds it exactly
    MASK = (1 << BITS) - 1,
};

static unsigned turns = 64; // until it is known how many take as long as a copy

// ---- Reference ---------------------------------------------------------------------------------
static void rotate_reference(float *out, const float *a, const float *, size_t n) {
    unsigned left = turns % BITS;
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(((unsigned)a[i] << left | (unsigned)a[i] >> (BITS - left)) & MASK);
}

// ---- Kernel ------------------------------------------------------------------------------------
// Rotates the bits of a number by one place, `turns` times: as much work as one asks for.
__global__ void rotate(float *out, const float *a, size_t n, unsigned turns) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (unsigned)a[i];
        for (unsigned turn = 0; turn < turns; turn++)
            x = (x << 1 | x >> (BITS - 1)) & MASK;
        out[i] = (float)x;
    }
}

static void launch_in(cudaStream_t stream, float *out, const float *a, size_t n) {
    if (n > 0)
        rotate<<<(unsigned)((n + 511) / 512), 512, 0, stream>>>(out, a, n, turns);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_rotate(float *out, const float *a, const float *, size_t n) {
    launch_in(0, out, a, n);
}

static const struct variant variants[] = {
    {"rotate", launch_rotate, rotate_reference, 8, 0, 0, "as long as a copy, by choice of turns"},
};

// ---- The loop, in four forms -------------------------------------------------------------------
enum memory { PAGEABLE, PINNED };

static const struct form {
    const char *name;
    enum memory memory;
    int streams;
} forms[] = {
    {"pageable, 1 stream", PAGEABLE, 1},
    {"pageable, 2 streams", PAGEABLE, 2}, // no gain: the copy out is done before the call returns
    {"pinned, 1 stream", PINNED, 1},      // faster copies, but still one thing at a time
    {"pinned, 2 streams", PINNED, 2},     // the one that overlaps
};
enum { FORMS = (int)(sizeof forms / sizeof forms[0]) };

static struct arrays arrays;
static float *h_in[2], *h_out[2]; // by enum memory
static cudaStream_t streams[2];
static cudaEvent_t start, stop;
static int first_is_back; // the first half's result was there when the second half was queued

static void create(size_t n) {
    size_t bytes = n * sizeof(float);
    arrays = arrays_create(n);
    h_in[PAGEABLE] = arrays.h_a;
    h_out[PAGEABLE] = (float *)host_malloc(bytes);
    CUDA_CHECK(cudaMallocHost((void **)&h_in[PINNED], bytes));
    CUDA_CHECK(cudaMallocHost((void **)&h_out[PINNED], bytes));
    memcpy(h_in[PINNED], h_in[PAGEABLE], bytes);
    CUDA_CHECK(cudaStreamCreate(&streams[0]));
    CUDA_CHECK(cudaStreamCreate(&streams[1]));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
}

static void destroy(void) {
    arrays_free(&arrays);
    free(h_out[PAGEABLE]);
    CUDA_CHECK(cudaFreeHost(h_in[PINNED]));
    CUDA_CHECK(cudaFreeHost(h_out[PINNED]));
    CUDA_CHECK(cudaStreamDestroy(streams[0]));
    CUDA_CHECK(cudaStreamDestroy(streams[1]));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
}

// The work on one half of the data, or some part of it.
enum { COPY_IN = 1, KERNEL = 2, COPY_OUT = 4, ALL = 7 };

static void queue_half(int half, int parts, enum memory memory, cudaStream_t stream) {
    size_t first = half * (arrays.n / 2), n = half ? arrays.n - first : arrays.n / 2;
    size_t bytes = n * sizeof(float);
    float *d_in = arrays.d_a + first, *in = h_in[memory] + first;
    float *d_out = arrays.d_out + first, *out = h_out[memory] + first;
    if (parts & COPY_IN)
        CUDA_CHECK(cudaMemcpyAsync(d_in, in, bytes, cudaMemcpyHostToDevice, stream));
    if (parts & KERNEL)
        launch_in(stream, d_out, d_in, n);
    if (parts & COPY_OUT)
        CUDA_CHECK(cudaMemcpyAsync(out, d_out, bytes, cudaMemcpyDeviceToHost, stream));
}

// Both events are in the legacy default stream (the articles' stream 0): `start` is before all work
// of the two streams, `stop` after it. stream_order.cu shows when that holds.
static double time_halves(int halves, int parts, const struct form *form) {
    volatile const float *h_result = h_out[form->memory];
    float ms;
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaEventRecord(start, cudaStreamLegacy));
    for (int half = 0; half < halves; half++) {
        first_is_back = arrays.n >= 2 && !isnan(h_result[arrays.n / 2 - 1]); // it began as NaN
        queue_half(half, parts, form->memory, streams[half % form->streams]);
    }
    CUDA_CHECK(cudaEventRecord(stop, cudaStreamLegacy));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

static int form_is_right(const struct form *form) {
    size_t n = arrays.n, bytes = n * sizeof(float);
    variant_reset(&variants[0], &arrays);
    poison(arrays.d_a, bytes); // or the copy in could be left out
    memset(h_out[form->memory], POISON_BYTE, bytes);
    time_halves(2, ALL, form);
    return variant_is_right(&variants[0], &arrays) &&
           !count_mismatches(arrays.h_expected, h_out[form->memory], n, sizeof(float), 0,
                             form->name);
}

// ---- Measure -----------------------------------------------------------------------------------
// Each part of a half, with nothing beside it. The kernel gets as many turns as make it as long as
// a copy: where one part takes nearly all the time, overlap has little to gain.
static void measure_parts(struct run *run, double *alone_ms) {
    static const char *const names[] = {"half: copy in", "half: kernel", "half: copy out"};
    double *ms = (double *)host_malloc(run->samples * sizeof *ms);
    for (int i = 0; i < 9; i++) { // two rounds to find the turns, the third one counts
        int part = i % 3;
        struct row row = run_row(run, names[part]);
        for (size_t sample = 0; sample < run->samples; sample++)
            ms[sample] = time_halves(1, 1 << part, &forms[3]);
        row_times(&row, ms, run->samples);
        alone_ms[part] = row.median_ms;
        row.dtype = "float", row.n = arrays.n / 2;
        if (part == 1)
            row.parameter = "turns", row.value = turns;
        if (i >= 6)
            run_print(run, &row);
        else if (part == 2)
            turns = (unsigned)fmin(fmax(turns * alone_ms[0] / alone_ms[1], 1), 1e6);
    }
    free(ms);
}

// A row for each form. Their median times go to total_ms[], and what a check saw to back[].
static void measure_forms(struct run *run, double *total_ms, int *back) {
    size_t samples = run->quick ? 0 : run->samples;
    double *ms = (double *)host_malloc(FORMS * run->samples * sizeof *ms);
    int right[FORMS];
    for (int f = 0; f < FORMS; f++) {
        right[f] = form_is_right(&forms[f]); // the warm-up, too
        back[f] = first_is_back;
    }
    for (size_t i = 0; i < FORMS * samples; i++)
        ms[i % FORMS * samples + i / FORMS] = time_halves(2, ALL, &forms[i % FORMS]);
    for (int f = 0; f < FORMS; f++) {
        struct row row = run_row(run, forms[f].name);
        row.dtype = "float", row.n = arrays.n, row.block = 512;
        row.check = form_is_right(&forms[f]) && right[f] ? "ok" : "FAIL";
        if (samples)
            row_times(&row, ms + f * samples, samples);
        total_ms[f] = row.median_ms;
        if (forms[f].streams == 2)
            row.parameter = "of one stream's time",
            row.value = round(1e3 * total_ms[f] / total_ms[f - 1]) * 1e-3;
        run_print(run, &row);
    }
    free(ms);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "02_events",
    "streams",
    "Copies in one stream overlap the kernel in another if the host's memory is pinned.",
    "variant n parameter value median_ms min_ms max_ms check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    double part[3] = {0, 0, 0}, ms[FORMS], most;
    int back[FORMS];
    create(run_size(&run, GPU_N, CPU_N, 3 * sizeof(float)));
    if (!run.quick)
        measure_parts(&run, part);
    measure_forms(&run, ms, back);
    for (int f = 1; f < FORMS && !run.quick; f += 2)
        run_say(&run, "%s: %.2f of one stream's time; first half %s when the second was queued.",
                forms[f].name, ms[f] / ms[f - 1], back[f] ? "back" : "on its way");
    most = fmax(part[0], fmax(part[1], part[2]));
    if (!run.quick)
        run_say(&run, "Model: %.2f, if all of a half but its longest part is hidden by the other.",
                0.5 + most / (part[0] + part[1] + part[2]) / 2);
    destroy();
    return run_end(&run);
}
