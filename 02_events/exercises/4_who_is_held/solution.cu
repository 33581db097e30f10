// 2.4 Who is held?
//
//     make check EX=2.4       make hint EX=2.4       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "given.h"

// ==== yours, from here ====
// 1: held until the first kernel ends. 0: runs beside it.
void predict_held(int held[SITUATIONS]) {
    held[ZERO_AFTER_S0] = 1;
    held[ZERO_BETWEEN] = 1;
    held[FREE_BESIDE_S0] = 0;
    held[FREE_AFTER_ZERO] = 0;
    held[ZERO_AFTER_FREE] = 0;
    held[S1_AFTER_ZERO] = 1;
    held[EVENT_AFTER_KERNEL] = 1;
    held[EVENT_BEFORE_KERNEL] = 0;
    held[EVENT_NEVER_RECORDED] = 0;
}
// ==== to here ====
