// Copies between host and device: pinned (page-locked) host memory against ordinary, pageable
// memory, both directions, small to large. The device fetches pinned memory by itself; pageable
// memory has to be copied once more, by the CPU, into a pinned buffer of the driver's.
//
//     nvcc -O3 3_transfers.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_transfers.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
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
static void launch_round_trip(const struct arrays *x, unsigned, size_t kind) {
    float *h = host_buffer((int)kind, x->n);
    copy(h, x->d_a, x->n, (int)kind, cudaMemcpyDeviceToHost);
    copy(x->d_out, h, x->n, (int)kind, cudaMemcpyHostToDevice);
}

static void copy_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

// Transfers count once: 4 bytes for an element each way.
static const struct variant variants[KINDS] = {
    {"pageable", launch_round_trip, copy_reference, 0, PAGEABLE, 8, 0, 0, "the CPU copies, too"},
    {"pinned", launch_round_trip, copy_reference, 0, PINNED, 8, 0, 0, "what the link carries"},
};

// ---- Measure -----------------------------------------------------------------------------------
// A round trip of each kind. Compared are all bytes that came out, and all that went in again.
static void check_ways(struct arrays *x, int *right) {
    size_t n = x->n, bytes = n * sizeof(float);
    float *h_a = (float *)host_malloc(bytes);
    fill_floats(h_a, n, 1);
    for (int kind = 0; kind < KINDS; kind++) {
        memset(host_buffer(kind, n), POISON_BYTE, bytes);
        right[2 * kind] &= variant_try(&variants[kind], x);
        right[2 * kind + 1] &=
            !count_mismatches(h_a, host_buffer(kind, n), n, sizeof(float), way_names[2 * kind + 1]);
    }
    free(h_a);
}

// Milliseconds for one copy. A pinned copy is the device's alone, so events time it. In a pageable
// one the CPU has a share: its own clock sees all of it, with the device idle on either side.
static double time_copy(const struct arrays *x, int way, cudaEvent_t *events) {
    int kind = way / 2, in = way % 2 == 0;
    float *h = host_buffer(kind, x->n);
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = wall_ms();
    if (kind == PINNED)
        CUDA_CHECK(cudaEventRecord(events[0], 0));
    copy(in ? x->d_out : h, in ? h : x->d_a, x->n, kind,
         in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    if (kind == PINNED) {
        CUDA_CHECK(cudaEventRecord(events[1], 0));
        return elapsed_ms(events[0], events[1]);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return wall_ms() - start;
}

// Fills in a row for each way, to be printed later. They take turns.
static void measure_size(size_t n, double floor_ms, cudaEvent_t *events, struct row *rows) {
    struct arrays x = arrays_create(n);
    double *ms = (double *)host_malloc(WAYS * run.samples * sizeof *ms);
    int right[WAYS] = {1, 1, 1, 1};
    check_ways(&x, right); // the warm-up, too
    for (size_t i = 0; i < run.samples; i++)
        for (int way = 0; way < WAYS; way++)
            ms[(size_t)way * run.samples + i] = time_copy(&x, way, events);
    if (run.samples)
        check_ways(&x, right);
    for (int way = 0; way < WAYS; way++) {
        struct row *row = &rows[way];
        *row = row_of(way_names[way]);
        row->parameter = way / 2 == PINNED ? "events" : "CPU clock";
        row->bytes = n * sizeof(float);
        row->check = right[way] ? "ok" : "FAIL";
        row_times(row, ms + (size_t)way * run.samples, run.samples);
        if (run.samples)
            row->gb_per_s = gb_per_s(row->bytes, row->median_ms);
        if (way / 2 == PINNED && row->median_ms < 20 * floor_ms)
            row->flag = "near timer floor";
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
    const struct row *last = rows[sizes - 1];
    for (int way = 0; way < WAYS; way++) {
        char name[64];
        double half = half_rate_bytes(rows, sizes, way);
        snprintf(name, sizeof name, "half_rate_bytes, %s", way_names[way]);
        finding(name, half, "%s reaches half of its best rate with %.1f KiB.", way_names[way],
                half / 1024);
    }
    finding("pinned_to_pageable", last[PINNED_IN].gb_per_s / last[PAGEABLE_IN].gb_per_s,
            "At %zu bytes, pinned memory is %.2f times as fast as pageable to the device and %.2f "
            "times to the host.",
            last[0].bytes, last[PINNED_IN].gb_per_s / last[PAGEABLE_IN].gb_per_s,
            last[PINNED_OUT].gb_per_s / last[PAGEABLE_OUT].gb_per_s);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct row rows[SIZES][WAYS];
    cudaEvent_t events[2];
    size_t bytes = 0;
    int sizes = 0;
    run_begin(
        argc, argv, "03_bandwidth/transfers",
        "The device fetches pinned host memory itself; the CPU must copy pageable memory too.",
        "variant parameter bytes median_ms gb_per_s flag check", "bytes", NO_ERRORS);
    if (check_sizes(variants, KINDS))
        return run_end();
    size_t largest = run_size(GPU_BYTES, CPU_BYTES, ARRAYS);
    double floor_ms = timer_floor_ms(), best = 0;
    CUDA_CHECK(cudaEventCreate(&events[0]));
    CUDA_CHECK(cudaEventCreate(&events[1]));
    guarded_free(guarded_malloc(ARRAYS * largest)); // too much fails here, at once
    for (size_t size = SMALLEST; bytes < largest; size *= 4, sizes++) {
        bytes = size < largest ? size : largest; // rounded up to whole floats
        measure_size((bytes + sizeof(float) - 1) / sizeof(float), floor_ms, events, rows[sizes]);
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
    CUDA_CHECK(cudaEventDestroy(events[0]));
    CUDA_CHECK(cudaEventDestroy(events[1]));
    host_buffer(PAGEABLE, 0), host_buffer(PINNED, 0);
    return run_end();
}
