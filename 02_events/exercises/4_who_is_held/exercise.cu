// 2.4 Who is held?
//
//     make check EX=2.4       make hint EX=2.4       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "given.h"

// ==== yours, from here ====
// 1: held until the first kernel ends. 0: runs beside it.
void predict_held(int held[SITUATIONS]) {
    held[ZERO_AFTER_S0] = UNKNOWN;
    held[ZERO_BETWEEN] = UNKNOWN;
    held[FREE_BESIDE_S0] = UNKNOWN;
    held[FREE_AFTER_ZERO] = UNKNOWN;
    held[ZERO_AFTER_FREE] = UNKNOWN;
    held[S1_AFTER_ZERO] = UNKNOWN;
    held[EVENT_AFTER_KERNEL] = UNKNOWN;
    held[EVENT_BEFORE_KERNEL] = UNKNOWN;
    held[EVENT_NEVER_RECORDED] = UNKNOWN;
}
// ==== to here ====
