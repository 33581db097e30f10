// SPDX-License-Identifier: MIT
// What two events read with nothing between them.
#ifndef FLOOR_H
#define FLOOR_H

#include "../../common/experiment/variants.h"

enum { PAIRS = 1000 }; // of events, to see the step between two readings

// What two events read with nothing between them, and the smallest step from one such reading to
// another: the resolution, as far as it can be seen. Returns the median reading in ms.
static inline double measure_floor(void) {
    cudaEvent_t events[PAIRS + 1];
    double ms[PAIRS], step = INFINITY;
    for (int i = 0; i <= PAIRS; i++)
        CUDA_CHECK(cudaEventCreate(&events[i]));
    for (int i = 0; i <= PAIRS; i++)
        CUDA_CHECK(cudaEventRecord(events[i], 0));
    for (int i = 0; i < PAIRS; i++)
        ms[i] = elapsed_ms(events[i], events[i + 1]);
    for (int i = 0; i <= PAIRS; i++)
        CUDA_CHECK(cudaEventDestroy(events[i]));
    qsort(ms, PAIRS, sizeof ms[0], compare_doubles);
    for (int i = 1; i < PAIRS; i++) // less than 0.1 ns is the rounding of a float
        if (ms[i] - ms[i - 1] > 1e-7)
            step = fmin(step, ms[i] - ms[i - 1]);
    struct row row = row_of("two events, nothing between");
    row.parameter = "smallest step, us";
    row.value = round(1e6 * step) / 1e3;
    row_times(&row, ms, PAIRS);
    print_row(&row);
    return row.median_ms;
}

#endif
