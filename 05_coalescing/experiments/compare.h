// SPDX-License-Identifier: MIT
// Measures a program's variants against each other, on arrays larger than L2, and prints a row for
// each: checked, taking turns, checked again.
#ifndef COMPARE_H
#define COMPARE_H

#include "../../common/arrays.h"
#include "../../common/measure.h"

enum { BLOCK = 256, COMPARE_N = 1 << 26, COMPARE_CPU_N = 1 << 18 };

// What there is to say of a variant on n elements: a number that explains its time; how many units
// it works on (variant.bytes and .flops are for each of those); and the bytes they lie in.
struct compared {
    const char *parameter;
    double value;
    size_t units, footprint;
};

struct compare_work {
    const struct variant *variant;
    struct arrays *arrays;
};

static inline void launch_compared(void *context) {
    const struct compare_work *work = (const struct compare_work *)context;
    variant_launch(work->variant, work->arrays);
}

// How many elements, for `count` variants of which the most frugal touches 1 / part of the array:
// that is to be 4 x L2.
static inline size_t compare_size(const struct run *run, size_t count, size_t part) {
    size_t most = 4 * (size_t)run->device.l2CacheSize / sizeof(float);
    most = part * (most > COMPARE_N ? most : (size_t)COMPARE_N);
    return run_size(run, most, COMPARE_CPU_N, (4 + count) * sizeof(float));
}

// At most 16 variants. rates[] takes their GB/s; returns 1 if all are known.
static inline int compare(struct run *run, const struct variant *variants, size_t count, size_t n,
                          const struct compared *compared, double *rates) {
    struct arrays arrays = arrays_create(n);
    struct compare_work works[16];
    struct task tasks[16];
    struct row rows[16];
    double most = 0;
    int known = !run->quick;
    for (size_t i = 0; i < count; i++) {
        struct compare_work work = {&variants[i], &arrays};
        struct task task = {launch_compared, &works[i], NULL, 0, 0};
        works[i] = work;
        tasks[i] = task;
        rows[i] = run_row(run, variants[i].name);
        rows[i].check = variant_try(&variants[i], &arrays) ? "ok" : "FAIL";
    }
    if (!run->quick)
        measure(run, tasks, count, MEASURE_HOT);
    for (size_t i = 0; i < count; i++) {
        struct row *row = &rows[i];
        row->dtype = "float";
        row->n = n;
        row->block = BLOCK;
        row->parameter = compared[i].parameter;
        row->value = compared[i].value;
        row->bytes = compared[i].units * variants[i].bytes;
        row->flops = compared[i].units * variants[i].flops;
        if (!run->quick) {
            row_measured(row, run, &tasks[i], compared[i].footprint);
            if (!variant_try(&variants[i], &arrays))
                row->check = "FAIL";
        }
        rates[i] = row->gb_per_s;
        most = fmax(most, rates[i]);
        known &= rates[i] > 0;
    }
    for (size_t i = 0; i < count; i++) {
        rows[i].bar = rows[i].gb_per_s / most;
        run_print(run, &rows[i]);
    }
    measure_free(tasks, run->quick ? 0 : count);
    arrays_free(&arrays);
    return known;
}

#endif
