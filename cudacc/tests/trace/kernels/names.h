// What the files of these programs share.
//
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>

enum { THREADS = 64 };

// Each launch has a number; -1: all of them.
__attribute__((unused)) static int which = -1, count;
#define LAUNCH(...)                                                                                \
    do                                                                                             \
        if (which < 0 || which == count) {                                                         \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    while (count++, 0)
