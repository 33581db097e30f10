// 5.2 Count the sectors
//
//     make check EX=5.2       make hint EX=5.2       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "given.h"

// ==== yours, from here ====
// Sectors of 32 bytes that a request of this kernel touches, when it reads.
void predict_sectors(double sectors[KERNELS]) {
    sectors[PLAIN] = 4;
    sectors[ONE_ON] = 5;
    sectors[BACKWARDS] = 4;
    sectors[EVERY_SECOND] = 8;
    sectors[EVERY_TENTH] = 32;
    sectors[ALL_THE_SAME] = 1;
    sectors[TWO_BY_TWO] = 2;
    sectors[DOUBLES] = 8;
    sectors[ONE_FIELD] = 12;
    sectors[LOWER_HALF] = 2;
}
// ==== to here ====
