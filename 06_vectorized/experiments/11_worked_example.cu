// One ordinary program, slow as first written, and what each chapter makes of it. The host has a
// matrix; each row's mean is subtracted, and the host gets the result, transposed. Chapter 01 times
// it, 02 overlaps copies and kernels, 03 compares it with what memory and link allow, 04 tries
// managed memory, 05 and 06 mend the kernels.
//
//     nvcc -O3 -arch=native 11_worked_example.cu && ./a.out
//     ../../cudacc/cudacc -O2 11_worked_example.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "center.h"

enum { GPU_N = 1 << 26, CPU_N = 1 << 16, CHUNKS = 8 };
enum part { TOTAL, LAUNCHES, COPY_IN, MEANS, CENTER, COPY_OUT, PARTS };
static const char *const part_names[PARTS] = {
    "total", "until the launches returned", "copy in", "row means", "transpose", "copy out"};

static const struct version {
    const char *name;
    enum memory memory;
    enum kernels kernels;
} versions[] = {
    {"as written", PAGEABLE, AS_WRITTEN},
    {"pinned, 4 streams", PINNED, AS_WRITTEN},
    {"managed", MANAGED, AS_WRITTEN},
    {"coalesced", PAGEABLE, COALESCED},
    {"float4", PAGEABLE, VECTORIZED},
    {"float4, pinned, 4 streams", PINNED, VECTORIZED},
    {"managed, prefetched", PREFETCHED, AS_WRITTEN}, // the last: not all devices can prefetch
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---- The ways of the data ----------------------------------------------------------------------
// All at once: in, both kernels, out; an event before and after each.
// Returns the ms until both launches returned.
static double run_in_turn(enum kernels kernels, const struct matrix *h) {
    const size_t bytes = h->rows * h->cols * sizeof(float);
    CUDA_CHECK(cudaEventRecord(events[0], 0));
    CUDA_CHECK(cudaMemcpy(device.x, h->x, bytes, cudaMemcpyHostToDevice));
    double start = wall_ms();
    CUDA_CHECK(cudaEventRecord(events[1], 0));
    launch_means(kernels, device, 0);
    CUDA_CHECK(cudaEventRecord(events[2], 0));
    launch_center(kernels, device, 0);
    CUDA_CHECK(cudaEventRecord(events[3], 0));
    double launches_ms = wall_ms() - start;
    CUDA_CHECK(cudaMemcpy(h->out, device.out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaEventRecord(events[4], 0));
    return launches_ms;
}

// Some rows at a time, in turns of four streams: one chunk is copied while another is worked on.
static void run_in_chunks(enum kernels kernels, const struct matrix *h) {
    const size_t pitch = h->pitch * sizeof(float);
    for (size_t i = 0; i < CHUNKS; i++) {
        size_t first = i * h->rows / CHUNKS, rows = (i + 1) * h->rows / CHUNKS - first;
        struct matrix m = {device.x + first * h->cols,
                           device.mean + first,
                           device.out + first,
                           rows,
                           h->cols,
                           h->pitch};
        cudaStream_t stream = streams[i % STREAMS];
        if (rows == 0)
            continue;
        CUDA_CHECK(cudaMemcpyAsync(m.x, h->x + first * h->cols, rows * h->cols * sizeof(float),
                                   cudaMemcpyHostToDevice, stream));
        launch_means(kernels, m, stream);
        launch_center(kernels, m, stream);
        CUDA_CHECK(cudaMemcpy2DAsync(h->out + first, pitch, m.out, pitch, rows * sizeof(float),
                                     h->cols, cudaMemcpyDeviceToHost, stream));
    }
}

// From a matrix that the host has written to a result that it has read: ms of each part, NAN for
// what this version cannot separate. Without rows there is nothing to do.
static void run_version(const struct version *v, double ms[PARTS]) {
    const struct matrix *h = &sides[v->memory < MANAGED ? v->memory : MANAGED];
    const size_t n = h->rows * h->cols, bytes = n * sizeof(float);
    static volatile float touched = 0;
    memset(h->out, POISON_BYTE, bytes);
    poison(device.out, bytes);
    for (size_t i = 0; i < n; i += 1024) // managed pages come back to the host
        h->x[i] = input(i);
    for (int part = 0; part < PARTS; part++)
        ms[part] = NAN;
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = wall_ms();
    if (v->memory == PAGEABLE && n > 0)
        ms[LAUNCHES] = run_in_turn(v->kernels, h);
    else if (v->memory == PINNED)
        run_in_chunks(v->kernels, h);
    if (v->memory == PREFETCHED && n > 0)
        CUDA_CHECK(prefetch(h->x, bytes, (int)run.device_number));
    if (v->memory >= MANAGED && n > 0) {
        launch_means(v->kernels, *h, 0);
        launch_center(v->kernels, *h, 0);
    }
    if (v->memory == PREFETCHED && n > 0)
        CUDA_CHECK(prefetch(h->out, bytes, cudaCpuDeviceId));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i += 1024) // a float of each page: what is elsewhere comes now
        touched = touched + h->out[i];
    ms[TOTAL] = wall_ms() - start;
    for (int part = COPY_IN; part <= COPY_OUT && v->memory == PAGEABLE && n > 0; part++)
        ms[part] = elapsed_ms(events[part - COPY_IN], events[part - COPY_IN + 1]);
}

// Runs a version once; every element of its result, and both of the device's guards, must be right.
static int is_right(const struct version *v) {
    const struct matrix *h = &sides[v->memory < MANAGED ? v->memory : MANAGED];
    const size_t n = h->rows * h->cols;
    size_t wrong = 0;
    double ms[PARTS];
    run_version(v, ms);
    for (size_t row = 0; row < h->rows; row++)
        for (size_t col = 0; col < h->cols; col++) {
            float is = h->out[col * h->pitch + row];
            wrong += !(is == input(row * h->cols + col) - sides[0].mean[row]);
        }
    if (wrong)
        fprintf(stderr, "%s: %zu of %zu elements are wrong\n", v->name, wrong, n);
    return !(wrong + count_guard_damage(device.out, n * sizeof(float), v->name));
}

// ---- Rows --------------------------------------------------------------------------------------
static void print_version(const struct version *v, size_t asked, double *ms, int right) {
    const size_t n = device.rows * device.cols, bytes = n * sizeof(float);
    const size_t moved[PARTS] = {2 * bytes, 0, bytes, bytes, 2 * bytes, bytes};
    for (int part = 0; part < PARTS; part++) {
        struct row row = row_of(v->name);
        if (part != TOTAL && (!run.samples || isnan(ms[part * run.samples])))
            continue;
        row.n = asked; // a last row that is not full is left out
        row.parameter = part_names[part];
        row.bytes = moved[part];
        row_times(&row, ms + part * run.samples, run.samples);
        row.gb_per_s = row.bytes ? gb_per_s(row.bytes, row.median_ms) : NAN;
        row.check = part ? NULL : right ? "ok" : "FAIL";
        print_row(&row);
    }
}

// The first `count` versions take turns in random order; each is checked before and after.
static void measure_versions(size_t count, size_t asked) {
    const size_t each = PARTS * run.samples;
    double *ms = (double *)host_malloc(VERSIONS * each * sizeof *ms), sample[PARTS];
    size_t order[VERSIONS];
    int right[VERSIONS];
    for (size_t v = 0; v < count; v++)
        right[v] = is_right(&versions[v]);
    for (size_t i = 0; i < run.samples; i++) {
        shuffle(order, count);
        for (size_t turn = 0; turn < count; turn++) {
            run_version(&versions[order[turn]], sample);
            for (int part = 0; part < PARTS; part++)
                ms[order[turn] * each + part * run.samples + i] = sample[part];
        }
    }
    for (size_t v = 0; v < count; v++)
        print_version(&versions[v], asked, ms + v * each,
                      right[v] & (!run.samples || is_right(&versions[v])));
    free(ms);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "06_vectorized/worked_example",
              "What each chapter makes of one slow program, from host memory to host memory.",
              "variant n parameter median_ms gb_per_s check", "elements", NO_ERRORS);
    int list = run.size_count > 1, concurrent = platform_say();
    for (size_t s = 0; s < (list ? run.size_count : 1); s++) {
        size_t n = list ? run.sizes[s] : managed_size(run.on_cpu ? CPU_N : GPU_N, 2);
        matrices_create(n);
        measure_versions(concurrent ? VERSIONS : VERSIONS - 1, n);
        matrices_free();
    }
    return run_end();
}
