// SPDX-License-Identifier: MIT
// A program that starts itself afresh, since what only a process's first calls pay can be timed but
// once in each. A child is started as PROGRAM --child DEVICE and writes its figures to stdout.
#ifndef CHILDREN_H
#define CHILDREN_H

#include "../../common/experiment/variants.h"

// No child finds code in the driver's cache.
static inline void children_begin(const char *program) {
    setenv("THIS_PROGRAM", program, 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
}

// Figure i of child c goes to ms[i * run.samples + c]. `right`: 1 if no child found a wrong result.
// Returns 0 if a child cannot end.
static inline int sample_children(const char *environment, int figures, double *ms, int *right) {
    char command[160];
    int ended = 1;
    *right = 1;
    snprintf(command, sizeof command, "%s exec \"$THIS_PROGRAM\" --child %zu 2>/dev/null",
             environment, run.device_number);
    for (size_t c = 0; c < run.samples && ended; c++) {
        FILE *pipe = popen(command, "r");
        for (int i = 0; i < figures && ended; i++)
            ended = pipe && fscanf(pipe, "%lf", &ms[i * run.samples + c]) == 1;
        *right &= pipe && pclose(pipe) == 0;
    }
    return ended;
}

// A row for every `step`-th figure from `first` on, each with its two names; medians go to
// median_ms. A figure that is nan has none. All children use one device, which is in use, so none
// has to wake it. 0: a child cannot end.
static inline int measure_children(const char *const (*names)[2], int figures,
                                   const char *environment, const char *how, int first, int step,
                                   double *median_ms) {
    double *ms = (double *)host_malloc((size_t)figures * run.samples * sizeof *ms);
    char parameter[64];
    int right, ended = sample_children(environment, figures, ms, &right);
    for (int i = first; i < figures && ended; i += step) {
        struct row row = row_of(names[i][0]);
        snprintf(parameter, sizeof parameter, "%s%s", names[i][1], how);
        row.parameter = parameter;
        row.check = right ? "ok" : "FAIL";
        row_times(&row, ms + (size_t)i * run.samples, run.samples);
        median_ms[i] = row.median_ms;
        if (!isnan(row.median_ms))
            print_row(&row);
    }
    free(ms);
    return ended;
}

// ---- In a child --------------------------------------------------------------------------------
// The next figure: the milliseconds since `start`.
static inline void print_since(double start) { printf("%.9g\n", wall_ms() - start); }

// The next two: of `calls` times in milliseconds the first, and the median from the third one on.
static inline void print_first_and_later(const double *ms, size_t calls) {
    printf("%.9g\n%.9g\n", ms[0], quantile_of(ms + 2, calls - 2, 0.5));
}

#endif
