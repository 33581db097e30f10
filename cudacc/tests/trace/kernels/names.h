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

// Four launches, each by its name, of kernels that take the same.
#define FOUR(a, b, c, d)                                                                           \
    LAUNCH(a<<<1, 64>>>(out, in, shift));                                                          \
    LAUNCH(b<<<1, 64>>>(out, in, shift));                                                          \
    LAUNCH(c<<<1, 64>>>(out, in, shift));                                                          \
    LAUNCH(d<<<1, 64>>>(out, in, shift))
