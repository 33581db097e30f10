// Copies between host and device: pinned (page-locked) host memory against ordinary, pageable
// memory, both directions, small to large. The device fetches pinned memory by itself; pageable
// memory has to be copied once more, by the CPU, into a pinned buffer of the driver's.
//
//     nvcc -O3 -arch=native 5_transfers.cu && ./a.out
//     ../../cudacc/cudacc -O2 5_transfers.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "copies.h"

enum {
    SMALLEST = 4 << 10, // bytes; from there in powers of 4
    GPU_BYTES = 256 << 20,
    CPU_BYTES = 1 << 20,
    SIZES = 32,   // enough for any memory
    WAYS = ASYNC, // the forms by cudaMemcpy
};

// ---- Measure -----------------------------------------------------------------------------------
// Milliseconds for one copy, from an idle device until it is idle again. In a pageable copy the CPU
// has a share, which events do not time; the host's clock sees all of any copy.
static double time_copy(const struct arrays *x, int way) {
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = wall_ms();
    copy(way, way & TO_HOST ? x->d_a : x->d_out, x->n);
    CUDA_CHECK(cudaDeviceSynchronize());
    return wall_ms() - start;
}

// Fills in a row for each way, to be printed later. They take turns in random order.
static void measure_size(size_t n, struct row *rows) {
    struct arrays x = arrays_create(n);
    double *ms = (double *)host_malloc(WAYS * run.samples * sizeof *ms);
    int right[WAYS] = {1, 1, 1, 1};
    size_t order[WAYS];
    check_forms(&x, right, WAYS); // the warm-up, too
    for (size_t i = 0; i < run.samples; i++) {
        shuffle(order, WAYS);
        for (int turn = 0; turn < WAYS; turn++)
            ms[order[turn] * run.samples + i] = time_copy(&x, (int)order[turn]);
    }
    if (run.samples)
        check_forms(&x, right, WAYS);
    for (int way = 0; way < WAYS; way++) {
        struct row *row = &rows[way];
        *row = row_of(form_names[way]);
        row->parameter = run.counts ? NULL : "host clock";
        row->bytes = n * sizeof(float);
        row->check = right[way] ? "ok" : "FAIL";
        row_times(row, ms + (size_t)way * run.samples, run.samples);
        if (run.samples)
            row->gb_per_s = gb_per_s(row->bytes, row->median_ms);
    }
    free(ms);
    arrays_free(&x);
}

// The bytes that reach half of a way's best rate, on a straight line between the sizes about it.
static double half_rate_bytes(struct row rows[][WAYS], int sizes, int way) {
    double half = 0;
    int i = 0;
    for (int k = 0; k < sizes; k++)
        half = fmax(half, rows[k][way].gb_per_s / 2);
    while (rows[i][way].gb_per_s < half)
        i++;
    const struct row *to = &rows[i][way], *from = i ? &rows[i - 1][way] : to;
    double part = i ? (half - from->gb_per_s) / (to->gb_per_s - from->gb_per_s) : 0; // 0: smallest
    return (double)from->bytes + (double)(to->bytes - from->bytes) * part;
}

static void conclude(struct row rows[][WAYS], int sizes) {
    const struct row *last = rows[sizes - 1], *pageable = last, *pinned = last + PINNED;
    for (int way = 0; way < WAYS; way++) {
        char name[64];
        double half = half_rate_bytes(rows, sizes, way);
        snprintf(name, sizeof name, "half_rate_bytes, %s", form_names[way]);
        finding(name, half, "A copy '%s' reaches half of its best rate with %.0f KiB.",
                form_names[way], half / 1024);
    }
    finding("pinned_to_pageable", pinned->gb_per_s / pageable->gb_per_s,
            "At %g MiB, pinned memory is %.2f times as fast as pageable to the device and %.2f "
            "times to the host.",
            (double)last->bytes / (1 << 20), pinned->gb_per_s / pageable->gb_per_s,
            pinned[TO_HOST].gb_per_s / pageable[TO_HOST].gb_per_s);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct row rows[SIZES][WAYS];
    size_t bytes = 0;
    int sizes = 0;
    double best = 0;
    run_begin(
        argc, argv, "03_bandwidth/transfers",
        "The device fetches pinned host memory itself; the CPU must copy pageable memory too.",
        "variant parameter bytes median_ms spread_pct gb_per_s check", "bytes", NO_ERRORS);
    check_sizes(round_trips, WAYS / 2);
    size_t largest = run_size(GPU_BYTES, CPU_BYTES, ARRAYS);
    guarded_free(guarded_malloc(ARRAYS * largest)); // too much fails here, at once
    for (size_t size = SMALLEST; bytes < largest; size *= 4, sizes++) {
        bytes = size < largest ? size : largest; // rounded up to whole floats
        measure_size((bytes + sizeof(float) - 1) / sizeof(float), rows[sizes]);
    }
    for (int i = 0; i < sizes * WAYS; i++)
        best = fmax(best, rows[i / WAYS][i % WAYS].gb_per_s);
    for (int i = 0; i < sizes * WAYS; i++) {
        struct row *row = &rows[i % sizes][i / sizes];
        row->bar = row->gb_per_s / best;
        print_row(row);
    }
    if (run.samples)
        conclude(rows, sizes);
    host_buffer(0, 0), host_buffer(PINNED, 0);
    return run_end();
}
