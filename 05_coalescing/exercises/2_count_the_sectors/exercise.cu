// 5.2 Count the sectors
//
//     make check EX=5.2       make hint EX=5.2       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "given.h"

// ==== yours, from here ====
// Sectors of 32 bytes that a request of this kernel touches, when it reads.
void predict_sectors(double sectors[KERNELS]) {
    sectors[PLAIN] = UNKNOWN;
    sectors[SHIFTED] = UNKNOWN;
    sectors[BACKWARDS] = UNKNOWN;
    sectors[SPREAD] = UNKNOWN;
    sectors[FAR_APART] = UNKNOWN;
    sectors[ALL_THE_SAME] = UNKNOWN;
    sectors[SHARED_BY_SOME] = UNKNOWN;
    sectors[DOUBLES] = UNKNOWN;
    sectors[ONE_FIELD] = UNKNOWN;
    sectors[SOME_READ] = UNKNOWN;
}
// ==== to here ====
