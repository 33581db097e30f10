// SPDX-License-Identifier: MIT
// What the exercise gives you: five programs. x and y are two arrays of n floats in managed memory
// that were never touched before. Every kernel runs with enough threads, and the host synchronizes
// before it touches anything.
#include "../../../common/common.h"

// fill(p, value)  a kernel: p[i] = value, for all i       reads nothing, writes p
// add(y, x)       a kernel: y[i] = x[i] + y[i], for all i
// copy(y, x)      a kernel: y[i] = x[i], for all i

#define TIMES 10

enum story {
    HOST_FILLS,   // host writes x and y; add(y, x); host reads y
    DEVICE_FILLS, // fill(x, 1); fill(y, 2); add(y, x); host reads y
    MANY_ADDS,    // host writes x and y; TIMES times add(y, x); host reads y
    MANY_READS,   // host writes x and y; TIMES times: add(y, x), then the host reads y
    COPY,         // host writes x; copy(y, x); host reads y
    STORIES
};

enum { UNKNOWN = -1 };

struct moved {
    double to_device, to_host; // bytes that move, for each element
};
