// Copies between host and device: pinned (page-locked) host memory against ordinary, pageable
// memory, both directions, small to large. The device fetches pinned memory by itself; pageable
// memory has to be copied once more, by the CPU, into a pinned buffer of the driver's.
//
//     nvcc -O3 3_transfers.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_transfers.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"
#include "../../common/measure.h"

enum {
    SMALLEST = 4 << 10, // bytes; from there in powers of 4
    GPU_BYTES = 1 << 30,
    CPU_BYTES = 16 << 20,
    SIZES = 32, // enough for any memory
};
enum { PAGEABLE, PINNED, KINDS };

// A kind and a direction: kind = way / 2, in = way % 2 == 0.
enum { PAGEABLE_IN, PAGEABLE_OUT, PINNED_IN, PINNED_OUT, WAYS };
static const char *const way_names[WAYS] = {"pageable to device", "pageable to host",
                                            "pinned to device", "pinned to host"};

// ---- Reference ---------------------------------------------------------------------------------
static void copy_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

// ---- Copies ------------------------------------------------------------------------------------
// Host memory for n floats, the same until another n is asked for; n = 0 frees it. A page gets its
// memory when it is touched first, which takes longer than a copy: check_ways() does it before.
static float *host_buffer(int kind, size_t n) {
    static float *h[KINDS];
    static size_t size[KINDS];
    if (n == size[kind])
        return h[kind];
    if (kind == PAGEABLE) {
        free(h[kind]);
        h[kind] = n ? (float *)host_malloc(n * sizeof(float)) : NULL;
    } else {
        CUDA_CHECK(cudaFreeHost(h[kind]));
        h[kind] = NULL;
        if (n && cudaMallocHost((void **)&h[kind], n * sizeof(float)) != cudaSuccess)
            out_of_memory("out of pinned memory: %zu bytes asked; try a smaller --size\n", 4 * n);
    }
    size[kind] = n;
    return h[kind];
}

// From pinned memory the copy is queued, like a launch. From pageable memory the call itself works:
// to the host it returns when all is there, to the device perhaps when the last piece has left.
static void copy(float *to, const float *from, size_t n, int kind, enum cudaMemcpyKind direction) {
    if (kind == PINNED)
        CUDA_CHECK(cudaMemcpyAsync(to, from, n * sizeof(float), direction, 0));
    else
        CUDA_CHECK(cudaMemcpy(to, from, n * sizeof(float), direction));
}

// There and back again: from a to the host, from the host to out.
static void round_trip(float *out, const float *a, size_t n, int kind) {
    float *h = host_buffer(kind, n);
    if (n > 0) {
        copy(h, a, n, kind, cudaMemcpyDeviceToHost);
        copy(out, h, n, kind, cudaMemcpyHostToDevice);
    }
}

static void launch_pageable(float *out, const float *a, const float *, size_t n) {
    round_trip(out, a, n, PAGEABLE);
}

static void launch_pinned(float *out, const float *a, const float *, size_t n) {
    round_trip(out, a, n, PINNED);
}

// Transfers count once: 4 bytes for an element each way.
static const struct variant variants[KINDS] = {
    {"pageable", launch_pageable, copy_reference, 8, 0, 0, "the CPU copies, too: slower"},
    {"pinned", launch_pinned, copy_reference, 8, 0, 0, "what the link to the host carries"},
};

// ---- Measure -----------------------------------------------------------------------------------
// A round trip of each kind. Compared are all bytes that came out, and all that went in again.
static void check_ways(const struct arrays *arrays, int *right) {
    size_t n = arrays->n, bytes = n * sizeof(float);
    for (int way = 0; way < WAYS; way += 2) {
        float *h = host_buffer(way / 2, n);
        memset(h, POISON_BYTE, bytes);
        poison(arrays->d_out, bytes);
        variant_launch(&variants[way / 2], arrays);
        CUDA_CHECK(cudaDeviceSynchronize());
        right[way] &=
            !check_on_device(arrays->d_out, arrays->d_a, n, sizeof(float), way_names[way]) &&
            !variant_damage(&variants[way / 2], arrays);
        right[way + 1] &=
            memcmp(arrays->h_a, h, bytes) == 0 ||
            !count_mismatches(arrays->h_a, h, n, sizeof(float), 0, way_names[way + 1]);
    }
}

// Milliseconds for one copy. A pinned copy is the device's alone, so events time it. In a pageable
// one the CPU has a share: its own clock sees all of it, with the device idle on either side.
static double time_copy(const struct arrays *arrays, int way, struct event_timer *timer) {
    int kind = way / 2, in = way % 2 == 0;
    float *h = host_buffer(kind, arrays->n);
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = wall_ms();
    if (kind == PINNED)
        event_timer_start(timer, 0);
    copy(in ? arrays->d_out : h, in ? h : arrays->d_a, arrays->n, kind,
         in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    if (kind == PINNED) {
        event_timer_stop(timer, 0);
        return event_timer_ms(timer);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return wall_ms() - start;
}

// Fills in a row for each way, to be printed later. They take turns.
static void measure_size(const struct run *run, size_t n, double floor_ms, double *ms,
                         struct row *rows) {
    struct arrays arrays = arrays_create(n);
    struct event_timer timer = event_timer_create();
    int right[WAYS] = {1, 1, 1, 1};
    check_ways(&arrays, right); // the warm-up, too
    for (size_t i = 0; i < run->samples && !run->quick; i++)
        for (int way = 0; way < WAYS; way++)
            ms[(size_t)way * run->samples + i] = time_copy(&arrays, way, &timer);
    if (!run->quick)
        check_ways(&arrays, right);
    for (int way = 0; way < WAYS; way++) {
        struct row *row = &rows[way];
        *row = run_row(run, way_names[way]);
        row->parameter = way / 2 == PINNED ? "events" : "CPU clock";
        row->bytes = n * sizeof(float);
        row->check = right[way] ? "ok" : "FAIL";
        if (run->quick)
            continue;
        row_times(row, ms + (size_t)way * run->samples, run->samples);
        row->gb_per_s = gb_per_s(row->bytes, row->median_ms);
        if (way / 2 == PINNED && row->median_ms < 20 * floor_ms)
            row->flag = "near timer floor";
    }
    event_timer_destroy(&timer);
    arrays_free(&arrays);
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

static void conclude(const struct run *run, struct row rows[][WAYS], int sizes) {
    const struct row *last = rows[sizes - 1];
    for (int way = 0; way < WAYS; way++) {
        double half = half_rate_bytes(rows, sizes, way);
        run_say(run, "%-20s reaches half of its best rate with %.1f KiB%s", way_names[way],
                half / 1024, half > (double)rows[0][way].bytes ? "" : " or less");
    }
    run_say(run,
            "At %zu bytes pinned memory is %.2f times as fast as pageable to the device, %.2f "
            "times to the host.",
            last[0].bytes, last[PINNED_IN].gb_per_s / last[PAGEABLE_IN].gb_per_s,
            last[PINNED_OUT].gb_per_s / last[PAGEABLE_OUT].gb_per_s);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "03_bandwidth",
    "transfers",
    "The device fetches pinned host memory by itself; pageable memory the CPU has to copy, too.",
    "variant parameter bytes median_ms gb_per_s flag check",
    "bytes",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t largest = run_size(&run, GPU_BYTES, CPU_BYTES, 4);
    double floor_ms = timer_floor_ms(), best = 0;
    struct row rows[SIZES][WAYS];
    double *ms = (double *)host_malloc(SIZES * WAYS * run.samples * sizeof *ms);
    size_t bytes = 0;
    int sizes = 0;
    guarded_free(guarded_malloc(4 * largest)); // if that is too much, it fails here, at once
    for (size_t size = SMALLEST; bytes < largest; size *= 4, sizes++) {
        bytes = size < largest ? size : largest; // rounded up to whole floats
        measure_size(&run, (bytes + sizeof(float) - 1) / sizeof(float), floor_ms,
                     ms + (size_t)sizes * WAYS * run.samples, rows[sizes]);
    }
    for (int i = 0; i < sizes * WAYS; i++)
        best = fmax(best, rows[i / WAYS][i % WAYS].gb_per_s);
    for (int i = 0; i < sizes * WAYS; i++) {
        struct row *row = &rows[i % sizes][i / sizes];
        row->bar = row->gb_per_s / best;
        run_print(&run, row);
    }
    if (!run.quick)
        conclude(&run, rows, sizes);
    host_buffer(PAGEABLE, 0), host_buffer(PINNED, 0);
    free(ms);
    return run_end(&run);
}
