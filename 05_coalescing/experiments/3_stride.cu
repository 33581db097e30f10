// With a stride the lanes of a warp ask for elements far apart, and the memory cannot deliver less
// than a whole fetch: most of what it brings is not asked for. Here every stride does the same
// work, each element of one array once, so that nothing but the order of the accesses differs.
//
//     nvcc -O3 3_stride.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_stride.cu && ./a.out   (no GPU)
//     ./a.out fp64         double instead of float; dev=1 chooses a device
//     ./a.out --article    4 MB and a footprint that grows with the stride, as in the article
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// ---- Reference ---------------------------------------------------------------------------------
// The order is the kernel's own affair.
static void stride_reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] += 1;
}

// What one phase does, the article's kernel.
template <int S> static void phase_reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = 0; i < n; i += S)
        out[i] += 1;
}

// ---- Kernel ------------------------------------------------------------------------------------
// Neighbouring lanes are s elements apart; blockIdx.y is the phase, the element to start from. With
// s phases every element is touched once. Expect min(4 s, 32) sectors for 32 floats.
template <typename T> __global__ void stride(T *a, size_t n, size_t s) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n)
        a[i] = a[i] + 1;
}

template <typename T> static void launch_on(T *a, size_t n, size_t s, size_t phases) {
    size_t threads = (n + s - 1) / s;
    dim3 grid((unsigned)((threads + BLOCK - 1) / BLOCK), (unsigned)phases);
    if (n > 0)
        stride<<<grid, BLOCK>>>(a, n, s);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_point(void *context) {
    const struct point *point = (const struct point *)context;
    size_t phases = point->step == 1 ? point->s : 1;
    void *d_a = point->buffers->d_a;
    if (point->buffers->size == sizeof(double))
        launch_on((double *)d_a, point->n, point->s, phases);
    else
        launch_on((float *)d_a, point->n, point->s, phases);
}

template <int S> static void launch(float *out, const float *, const float *, size_t n) {
    launch_on(out, n, S, S);
}

template <int S> static void launch_phase(float *out, const float *, const float *, size_t n) {
    launch_on(out, n, S, 1);
}

// Some of the sweep, for the tests; main() takes all of it.
static const struct variant variants[] = {
    {"stride 1", launch<1>, stride_reference, 8, 1, 1, "4 sectors"},
    {"stride 2", launch<2>, stride_reference, 8, 1, 1, "8 sectors"},
    {"stride 3", launch<3>, stride_reference, 8, 1, 1, "12 sectors"},
    {"stride 8", launch<8>, stride_reference, 8, 1, 1, "32 sectors: one for each lane"},
    {"stride 16", launch<16>, stride_reference, 8, 1, 1, "32 sectors, half as fast again"},
    {"stride 32", launch<32>, stride_reference, 8, 1, 1, "32 sectors, slower still"},
    {"one phase of 7", launch_phase<7>, phase_reference<7>, 8, 1, 1, "28 sectors"},
};

// ---- What to expect ----------------------------------------------------------------------------
static int sectors_with_stride(size_t s, size_t size) {
    size_t address[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        address[lane] = lane * s * size;
    return count_sectors(address, LANES);
}

// How many bytes the memory moves for each useful one: an element comes in a fetch of `fetch`
// bytes, which has 1/s of it in use, but never less than the element; and it goes back as if its
// whole line were written. (`granularity` measures both.)
static double bytes_moved(size_t s, size_t size, size_t fetch) {
    double gap = (double)(s * size);
    return (fmin(gap, (double)fetch) + fmin(gap, LINE)) / (2.0 * (double)size);
}

static void launch_copy(void *context) {
    const struct buffers *b = (const struct buffers *)context;
    CUDA_CHECK(cudaMemcpyAsync(b->d_a, b->d_start, b->bytes, cudaMemcpyDeviceToDevice, 0));
}

// What the memory gives at best, read and written: the device's own copy.
static double copy_gb_per_s(const struct run *run, struct buffers *b) {
    struct task task = {launch_copy, b, NULL, 0, 0};
    measure(run, &task, 1, MEASURE_HOT);
    double ms = quantile_of(task.samples_ms, run->samples, 0.5);
    measure_free(&task, 1);
    return gb_per_s(2 * b->bytes, ms);
}

// Sets each point's prediction, if there is one; returns the fetch granularity, 0 if unknown.
static size_t predict(const struct run *run, struct point *points, struct buffers *b) {
    size_t fetch = 0;
    if (cudaDeviceGetLimit(&fetch, cudaLimitMaxL2FetchGranularity) != cudaSuccess)
        cudaGetLastError(); // not a device that knows; forget the error
    if (run->on_cpu || option_article || run->quick || !fetch)
        return 0;
    double ceiling = copy_gb_per_s(run, b);
    for (size_t i = 0; i < MOST; i++)
        points[i].row.value =
            fmin(points[0].row.gb_per_s, ceiling / bytes_moved(points[i].s, b->size, fetch));
    run_say(run,
            "Predicted from the rate at stride 1, the device's own copy (%.1f GB/s, read + "
            "written) and fetches of %zu bytes.",
            ceiling, fetch);
    return fetch;
}

// What the rates say: they may be any.
static void conclude(const struct run *run, const struct point *points, size_t count,
                     size_t fetch) {
    size_t size = points[0].buffers->size, bend = 1, worst = 0;
    double rate[MOST + 1], off[MOST + 1]; // at stride s; of point i
    for (size_t i = 0; i < count; i++) {
        rate[points[i].s] = points[i].row.gb_per_s;
        off[i] = fabs(points[i].row.gb_per_s / points[i].row.value - 1);
        worst = off[i] > off[worst] ? i : worst;
    }
    for (size_t s = 1; s < MOST; s *= 2) {
        run_say(
            run,
            "From stride %2zu to %2zu, an element in %3zu bytes to one in %3zu: %.2f times slower.",
            s, 2 * s, s * size, 2 * s * size, rate[s] / rate[2 * s]);
        bend = rate[s] > 1.75 * rate[2 * s] ? 2 * s : bend;
    }
    if (fetch) {
        run_say(
            run,
            "Twice the stride halves the rate up to stride %zu: there the curve bends. One "
            "element in %zu bytes,\nand the memory's fetch is %zu: %s. The prediction is %.1f %% "
            "off at worst, at %s.",
            bend, bend * size, fetch,
            bend * size == fetch ? "no longer stride can waste more of it"
                                 : "the fetch alone does not explain it",
            100 * off[worst], points[worst].name);
    } else if (!run->on_cpu && option_article)
        run_say(
            run,
            "At stride %d the footprint is %d times that of stride 1: two things change at once.",
            MOST, MOST);
    run_say(run,
            "By arithmetic, on any device: min(%zu s, 32) sectors, so %d at stride 1 and %d from "
            "stride %zu on.",
            size, points[0].sectors, points[count - 1].sectors, SECTOR / size);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "05_coalescing",
    "stride",
    "With a stride the memory fetches far more than was asked for, and the useful rate falls.",
    "variant value gb_per_s check",
    "elements",
    0,
    sweep_options,
};

static void sweep(struct run *run, int right) {
    size_t n = sweep_size(run), size = option_fp64 ? sizeof(double) : sizeof(float), count = 0;
    struct buffers buffers = buffers_create(option_article ? n * (MOST + 1) : n, size);
    struct point points[MOST];
    struct task tasks[MOST];
    for (size_t s = 1; s <= MOST; s++) {
        struct point fair = {s, n, 0, 1, &buffers, 0, sectors_with_stride(s, size), "", {}};
        struct point article = {s, n * s, 0, s, &buffers, 0, fair.sectors, "", {}};
        struct point *point = &points[count];
        *point = option_article ? article : fair;
        point_name(point, "stride");
        count += sweep_has(s);
    }
    sweep_measure(run, points, tasks, count, launch_point, right);
    size_t fetch = predict(run, points, &buffers);
    sweep_print(run, points, count);
    if (!run->quick) {
        conclude(run, points, count, fetch);
        measure_free(tasks, count);
    }
    buffers_free(&buffers);
}

int main(int argc, char **argv) {
    struct run run = sweep_begin(&program, argc, argv);
    int right = variants_right(variants, sizeof variants / sizeof variants[0]);
    sweep(&run, right);
    if (!option_article && !run.on_cpu && !run.size) {
        option_article = SOME_OF_ARTICLE;
        sweep(&run, right);
    }
    return run_end(&run);
}
