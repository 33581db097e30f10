// SPDX-License-Identifier: MIT
// On a GPU: the learner's function against the solution's, in the same run. GRADE_TIME is defined
// where there is a solution; it is linked in, too, in a separate namespace.
//
// To change here: how often the two are timed (RACES), and how. How many points a ratio gives is in
// Facts.pm.
#ifndef RACE_H
#define RACE_H

#include "check.h"
#include "../../common/experiment/measure.h"

enum { RACES = 21 };

// Milliseconds for one call of `batch`. A wait for the whole device at both ends: work in any
// stream is in the time. The clock is the host's: what it adds vanishes in milliseconds.
static inline double time_batch(void (*function)(void), int batch) {
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    double start = wall_ms();
    for (int i = 0; i < batch; i++)
        function();
    must(cudaDeviceSynchronize(), "a kernel went wrong");
    return (wall_ms() - start) / batch;
}

struct race {
    double yours_ms, solution_ms, spread, rate, peak;
};

// They take turns, a, b, b, a: a clock that drifts meets both alike.
static inline struct race run_race(double bytes, void (*yours)(void), void (*solution)(void)) {
    double a[2 * RACES], b[2 * RACES];
    char formula[128];
    int batch = 1;
    while (time_batch(solution, batch) * batch < 2 && batch < 10000)
        batch *= 2;
    time_batch(yours, batch); // warm-up
    for (int i = 0; i < RACES; i++) {
        a[2 * i] = time_batch(yours, batch);
        b[2 * i] = time_batch(solution, batch);
        b[2 * i + 1] = time_batch(solution, batch);
        a[2 * i + 1] = time_batch(yours, batch);
    }
    double yours_ms = quantile_of(a, 2 * RACES, 0.5), solution_ms = quantile_of(b, 2 * RACES, 0.5);
    double spread = quantile_of(b, 2 * RACES, 0.9) - quantile_of(b, 2 * RACES, 0.1);
    struct race race = {yours_ms, solution_ms, 100 * spread / solution_ms, bytes / yours_ms * 1e-6,
                        peak_gb_per_s(0, formula, sizeof formula)};
    return race;
}

// Reports the medians in ms, the spread of the solution's times in % (10th to 90th percentile), the
// GB/s that `bytes` come to, and the peak (0: unknown).
static inline void race(const char *label, double bytes, void (*yours)(void),
                        void (*solution)(void)) {
    struct race r;
    OBSERVE(r, run_race(bytes, yours, solution));
    report("time\t%s\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g", label, r.yours_ms, r.solution_ms, r.spread,
           r.rate, r.peak);
}

#endif
