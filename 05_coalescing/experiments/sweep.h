// SPDX-License-Identifier: MIT
// What the sweeps over offsets and strides share: an array of float or double, launches that change
// some of its elements, and the check of every element, in no more time than a GPU needs.
#ifndef SWEEP_H
#define SWEEP_H

#include "../../common/experiment/measure.h"
#include "sectors.h"

enum {
    BLOCK = 256,       // the article's, as is the next
    MOST = 32,         // the largest offset and stride
    SWEEP_N = 1 << 26, // for a GPU, or 4 x L2 if that is more
    SWEEP_CPU_N = 1 << 18,
};

// ---- Buffers -----------------------------------------------------------------------------------
// `total` elements of `size` bytes: a; what a must become, what it starts as, and that + 1.
struct buffers {
    size_t total, size, bytes;
    char *d_a, *d_expected, *d_start, *d_plus_one;
};

template <typename T> static struct buffers buffers_create(size_t total) {
    const size_t bytes = total * sizeof(T);
    struct buffers b = {total, sizeof(T), bytes, NULL, NULL, NULL, NULL};
    char **all[] = {&b.d_a, &b.d_expected, &b.d_start, &b.d_plus_one};
    for (int i = 0; i < 4; i++)
        *all[i] = (char *)guarded_malloc(bytes);
    T *h = (T *)host_malloc(bytes);
    for (int more = 0; more <= 1; more++) {
        for (size_t i = 0; i < total; i++)
            h[i] = (T)fill_value(i, 3) + (T)more;
        CUDA_CHECK(cudaMemcpy(more ? b.d_plus_one : b.d_start, h, bytes, cudaMemcpyHostToDevice));
    }
    free(h);
    return b;
}

static inline void buffers_free(struct buffers *b) {
    char *all[] = {b->d_a, b->d_expected, b->d_start, b->d_plus_one};
    for (int i = 0; i < 4; i++)
        guarded_free(all[i]);
}

// ---- Points of a sweep -------------------------------------------------------------------------
typedef void launch_function(const struct arrays *x, unsigned block, size_t parameter);

// One launch: element first + i * step of a, for i < count, becomes one more than element from +
// i * step started as; the others stay.
struct point {
    launch_function *launch;
    const struct buffers *buffers;
    size_t s; // the launch's parameter
    size_t from, first, step, count;
    int reads, writes; // what it does with each; one that does not write must change nothing
    size_t base;       // the point that it is compared with
    char name[32], parameter[48]; // the row's
    struct request request;       // of a warp, for the row; or 0 sectors
    struct row row;
    struct interval percent; // of base's rate
};

// The launch gets all up to the last element that it may touch. Where the elements are double,
// d_out and d_a are arrays of double, and so are the launch and all that is compared.
static inline void launch_point(void *context) {
    const struct point *point = (const struct point *)context;
    struct arrays x = {};
    x.n = (point->from > point->first ? point->from : point->first) + point->step * point->count;
    x.d_out = (float *)point->buffers->d_a;
    x.d_a = (float *)point->buffers->d_start;
    point->launch(&x, BLOCK, point->s);
}

// Resets, launches once, compares every element. What a must become is put together by copies from
// what the host filled in, so that no kernel vouches for another.
static inline int point_try(struct point *point) {
    const struct buffers *b = point->buffers;
    const enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
    const size_t size = b->size, pitch = point->step * size;
    char *to = b->d_expected + point->first * size, *from = b->d_plus_one + point->from * size;
    CUDA_CHECK(cudaMemcpy(b->d_a, b->d_start, b->bytes, kind));
    CUDA_CHECK(cudaMemcpy(b->d_expected, b->d_start, b->bytes, kind));
    if (point->writes && point->step == 1)
        CUDA_CHECK(cudaMemcpy(to, from, point->count * size, kind));
    else if (point->writes)
        CUDA_CHECK(cudaMemcpy2D(to, pitch, from, pitch, size, point->count, kind));
    launch_point(point);
    return !(count_mismatches_on_device(b->d_expected, b->d_a, b->total, size, point->name) +
             count_guard_damage(b->d_a, b->bytes, point->name));
}

// The table's launches against their references on the host, on a little data: 1 if all are right.
static inline int variants_right(const struct variant *variants, size_t count) {
    struct arrays x = arrays_create(10007);
    int right = 1;
    for (size_t i = 0; i < count; i++)
        right &= variant_try(&variants[i], &x);
    arrays_free(&x);
    return right;
}

static inline void measure_hot(struct task *tasks, size_t count) {
    measure(tasks, count, MEASURE_HOT);
}

// The row's parameter: the sectors and lines of a request. Its value is a percentage, on a GPU of
// base's rate, which is not known yet, on the CPU device of the sectors' bytes: those used.
static inline void describe_request(struct point *point) {
    const struct request request = point->request;
    if (!request.sectors)
        return;
    snprintf(point->parameter, sizeof point->parameter, "%d sect. %d line%s, %s%%", request.sectors,
             request.lines, request.lines == 1 ? "" : "s", run.on_cpu ? "used " : "");
    point->row.parameter = point->parameter;
    if (run.on_cpu)
        point->row.value = used_percent(request, point->buffers->size);
}

// Checks all points, measures them, checks them again, and fills in their rows. `right`: whether
// what was checked before was.
static inline void points_measure(struct point *points, size_t count, int right,
                                  void (*take_samples)(struct task *, size_t)) {
    struct task *tasks = (struct task *)host_malloc(count * sizeof *tasks);
    for (size_t i = 0; i < count; i++) {
        struct point *point = &points[i];
        struct row *row = &point->row;
        tasks[i] = task_of(launch_point, point);
        *row = row_of(point->name);
        describe_request(point);
        row->dtype = point->buffers->size == sizeof(double) ? "double" : "float";
        row->block = BLOCK;
        row->n = point->count;
        row->bytes = (size_t)(point->reads + point->writes) * row->n * point->buffers->size;
        row->check = point_try(point) && right ? "ok" : "FAIL";
    }
    if (run.samples)
        take_samples(tasks, count);
    for (size_t i = 0; i < count && run.samples; i++) {
        struct point *point = &points[i];
        row_measured(&point->row, &tasks[i], point->step * point->count * point->buffers->size);
        struct interval times = task_ratio(&tasks[point->base], &tasks[i]);
        point->percent = {100 * times.median, 100 * times.low, 100 * times.high};
        if (point->request.sectors)
            point->row.value = round(10 * point->percent.median) / 10;
        if (!point_try(point))
            point->row.check = "FAIL";
    }
    measure_free(tasks, run.samples ? count : 0);
    free(tasks);
}

// Prints the rows, each with a bar; the fastest has the longest.
static inline void points_print(struct point *points, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, points[i].row.gb_per_s);
    for (size_t i = 0; i < count; i++) {
        points[i].row.bar = points[i].row.gb_per_s / most;
        print_row(&points[i].row);
    }
}

// ---- Phases ------------------------------------------------------------------------------------
// blockIdx.y is the phase, the element to start from; with s of them, every element is touched.
static inline void launch_phases(void (*kernel)(float *, size_t, size_t), const struct arrays *x,
                                 unsigned block, size_t s, size_t phases) {
    kernel<<<dim3(blocks((x->n + s - 1) / s, block), (unsigned)phases), block, 0, run.stream>>>(
        x->d_out, x->n, s);
    CUDA_CHECK(cudaGetLastError());
}

// Every element is read once, neighboring lanes s apart, and none is below 0, which the compiler
// does not know: the loads stay, and nothing is written.
static __global__ void read_strided(float *a, size_t n, size_t s) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n && a[i] < 0)
        a[i] = 0;
}

static inline void launch_read(const struct arrays *x, unsigned block, size_t s) {
    launch_phases(read_strided, x, block, s, s);
}

// In any order the result is the same.
static inline void added_reference(float *out, const float *, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] += 1;
}

// Bytes that the memory reads for an element of 4: one in 4 s, but no fewer than a fetch has.
static inline double bytes_read(size_t s, size_t fetch) {
    return fmin(4 * (double)s, (double)fetch);
}

#endif
