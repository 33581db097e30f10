// SPDX-License-Identifier: MIT
// The host's clocks, and what each resolves.
#ifndef CLOCKS_H
#define CLOCKS_H

#include "../../common/common.h"
#include <sys/time.h>

static inline double read_clock(void) { return 1e3 * (double)clock() / CLOCKS_PER_SEC; }

// Milliseconds since 1970 leave a double no digits for the microseconds: count from the first call.
static inline double read_gettimeofday(void) {
    static time_t first_second;
    struct timeval now;
    gettimeofday(&now, NULL);
    if (first_second == 0)
        first_second = now.tv_sec;
    return 1e3 * (double)(now.tv_sec - first_second) + 1e-3 * (double)now.tv_usec;
}

enum { CLOCK, GETTIMEOFDAY, MONOTONIC, CLOCKS };
static const struct {
    const char *name;
    double (*read)(void); // milliseconds
} clocks[CLOCKS] = {
    {"clock", read_clock}, {"gettimeofday", read_gettimeofday}, {"CLOCK_MONOTONIC", wall_ms}};

// The smallest step seen in 1000 changes: you cannot measure anything shorter.
static inline double resolution_ms(double (*read)(void)) {
    double smallest = 1e9;
    for (int i = 0; i < 1000; i++) {
        double now, start = read();
        while ((now = read()) == start)
            ;
        if (now > start && now - start < smallest)
            smallest = now - start;
    }
    return smallest;
}

#endif
