// With a stride the lanes of a warp read elements far apart, and the memory cannot deliver less
// than a whole fetch: most of what it brings is not used. Here every stride does the same work,
// each element of one array once, so that nothing but the order of the accesses differs.
//
//     nvcc -O3 3_stride.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_stride.cu && ./a.out   (no GPU)
//     ./a.out fp64         double instead of float; dev=1 chooses a device
//     ./a.out --article    4 MB and a footprint that grows with the stride, as in the article
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// ---- Kernel ------------------------------------------------------------------------------------
// Neighboring lanes are s elements apart; blockIdx.y is the phase, the element to start from. With
// s phases every element is touched once. Expect min(4 s, 32) sectors for 32 floats.
template <typename T> __global__ void stride(T *a, size_t n, size_t s) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n)
        a[i] = a[i] + 1;
}

template <typename T> static void launch_stride(const struct arrays *x, unsigned block, size_t s) {
    dim3 grid(blocks((x->n + s - 1) / s, block), (unsigned)s);
    stride<<<grid, block>>>((T *)x->d_out, x->n, s);
    CUDA_CHECK(cudaGetLastError());
}

// What the article's kernel does: every s-th element.
template <typename T> static void launch_phase(const struct arrays *x, unsigned block, size_t s) {
    stride<<<blocks((x->n + s - 1) / s, block), block>>>((T *)x->d_out, x->n, s);
    CUDA_CHECK(cudaGetLastError());
}

// ---- References --------------------------------------------------------------------------------
// In any order the result is the same.
static void stride_reference(float *out, const float *, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] += 1;
}

static void phase_reference(float *out, const float *, const float *, size_t n, size_t s) {
    for (size_t i = 0; i < n; i += s)
        out[i] += 1;
}

// Some of the sweep, against the host; main() takes all of it.
enum { VARIANTS = 7 };
static const struct variant variants[VARIANTS] = {
    {"stride 1", launch_stride<float>, stride_reference, BLOCK, 1, 8, 1, 1, "4 sectors"},
    {"stride 2", launch_stride<float>, stride_reference, BLOCK, 2, 8, 1, 1, "8 sectors"},
    {"stride 3", launch_stride<float>, stride_reference, BLOCK, 3, 8, 1, 1, "12 sectors"},
    {"stride 8", launch_stride<float>, stride_reference, BLOCK, 8, 8, 1, 1, "32, one a lane"},
    {"stride 16", launch_stride<float>, stride_reference, BLOCK, 16, 8, 1, 1, "32, but slower"},
    {"stride 32", launch_stride<float>, stride_reference, BLOCK, 32, 8, 1, 1, "slower still"},
    {"one phase of 7", launch_phase<float>, phase_reference, BLOCK, 7, 8.0 / 7, 1.0 / 7, 1,
     "28 sectors"},
};

// ---- What to expect ----------------------------------------------------------------------------
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

// The best rate of the memory, read and written: the device's own copy.
static double measure_copy(struct buffers *b) {
    struct task task = task_of(launch_copy, b);
    measure(&task, 1, MEASURE_HOT);
    double ms = task_ms(&task);
    measure_free(&task, 1);
    return gb_per_s(2 * b->bytes, ms);
}

// The bytes of a fetch, where there is a prediction; else 0.
static size_t fetch_bytes(void) {
    size_t fetch = 0;
    if (cudaDeviceGetLimit(&fetch, cudaLimitMaxL2FetchGranularity) != cudaSuccess)
        cudaGetLastError(); // not a device that knows; forget the error
    return run.on_cpu || option_article || !run.samples ? 0 : fetch;
}

// ---- Findings ----------------------------------------------------------------------------------
static void conclude_prediction(const struct point *points, size_t bend_bytes, size_t fetch) {
    double worst = 0;
    const char *where = points[0].name;
    for (size_t i = 0; i < MOST; i++) {
        double off = 100 * fabs(points[i].row.gb_per_s / points[i].row.value - 1);
        where = off > worst ? points[i].name : where;
        worst = fmax(off, worst);
    }
    finding("bend_bytes", (double)bend_bytes,
            "Twice the stride halves the rate up to one element in %zu bytes; the memory fetches "
            "%zu at a time.",
            bend_bytes, fetch);
    finding("prediction_off_percent", worst, "The prediction is %.1f %% off at worst, at %s.",
            worst, where);
}

static void conclude(const struct point *points, size_t count, size_t size, size_t fetch) {
    double ms[MOST + 1], twice[6]; // at stride s; how many times as long from 2^(k-1) to 2^k
    size_t bend = 1;
    for (size_t i = 0; i < count; i++)
        ms[points[i].s] = points[i].row.median_ms;
    for (size_t s = 1, k = 1; s < MOST; s *= 2, k++) {
        twice[k] = ms[2 * s] / ms[s];
        bend = twice[k] > 1.75 ? 2 * s : bend;
    }
    finding(option_article ? "article_stride_32" : "stride_32", ms[MOST] / ms[1],
            "From stride 1 to 2, 4, 8, 16 and 32, the time grows %.2f, %.2f, %.2f, %.2f and %.2f "
            "times: %.1f times in all.",
            twice[1], twice[2], twice[3], twice[4], twice[5], ms[MOST] / ms[1]);
    if (fetch)
        conclude_prediction(points, bend * size, fetch);
    else if (!run.on_cpu && option_article)
        say("At stride %d the footprint is %d times that of stride 1: two things change at once.",
            MOST, MOST);
    finding(option_article ? "article_sectors" : "sectors", points[count - 1].sectors,
            "By arithmetic, on any device: min(%zu s, 32) sectors, so %d at stride 1 and %d from "
            "stride %zu on.",
            size, points[0].sectors, points[count - 1].sectors, SECTOR / size);
}

// ---- Main --------------------------------------------------------------------------------------
static void sweep(int right) {
    size_t n = sweep_size(), total = option_article ? n * (MOST + 1) : n, count = 0;
    struct buffers buffers =
        option_fp64 ? buffers_create<double>(total) : buffers_create<float>(total);
    struct point points[MOST] = {};
    launch_function *launch = option_fp64 ? launch_stride<double> : launch_stride<float>;
    if (option_article)
        launch = option_fp64 ? launch_phase<double> : launch_phase<float>;
    for (size_t s = 1; s <= MOST; s++) {
        struct point *point = &points[count];
        point->launch = launch;
        point->buffers = &buffers;
        point->s = s;
        point->step = option_article ? s : 1;
        point->count = n;
        point->sectors = strided_sectors(0, s, buffers.size);
        snprintf(point->name, sizeof point->name,
                 option_article ? "stride %zu, article" : "stride %zu", s);
        count += (size_t)sweep_has(s);
    }
    sweep_measure(points, count, right);
    size_t fetch = fetch_bytes();
    double copy = fetch ? measure_copy(&buffers) : 0, first = points[0].row.gb_per_s;
    if (fetch)
        say("Predicted from the rate at stride 1, the device's own copy and fetches of %zu bytes.",
            fetch);
    for (size_t i = 0; i < count && fetch; i++)
        points[i].row.value = fmin(first, copy / bytes_moved(points[i].s, buffers.size, fetch));
    sweep_print(points, count);
    if (fetch)
        finding("copy_gb_per_s", copy, "The device's own copy reads and writes %.1f GB/s.", copy);
    if (run.samples)
        conclude(points, count, buffers.size, fetch);
    buffers_free(&buffers);
}

int main(int argc, char **argv) {
    run.own = sweep_options;
    run_begin(argc, argv, "05_coalescing/stride",
              "With a stride the memory fetches far more than was requested, and the useful rate "
              "falls.",
              "variant n check", "elements", NO_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    int right = variants_right(variants, VARIANTS);
    sweep(right);
    if (!option_article && !run.on_cpu && !run.size) {
        option_article = SOME_OF_ARTICLE;
        sweep(right);
    }
    return run_end();
}
