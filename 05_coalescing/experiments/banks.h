// SPDX-License-Identifier: MIT
// Which banks of shared memory a warp reads, and how many turns it takes: arithmetic, nothing else.
#ifndef BANKS_H
#define BANKS_H

#include "sectors.h"

enum { BANKS = 32 };

// The bank of lane k when lane k reads row k of a column. A bank is 4 bytes wide, and banks follow
// each other.
static inline size_t bank_of(size_t lane, size_t step) { return lane * step % BANKS; }

// How many of a warp's lanes fall on the same bank at worst: so many turns it takes.
static inline int turns(size_t step) {
    int in_bank[BANKS] = {0}, most = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        int *bank = &in_bank[bank_of(lane, step)];
        most = ++*bank > most ? *bank : most;
    }
    return most;
}

// Which banks (0 to 9, a to v) lanes 0 to 31 of a warp read, one character for each.
static inline void draw_banks(const char *what, size_t step) {
    char banks[LANES + 1] = "";
    for (size_t lane = 0; lane < LANES; lane++)
        banks[lane] = lane_names[bank_of(lane, step)];
    say("%s[%zu], its banks: %d turn%s\n    |%s|", what, step, turns(step),
        turns(step) == 1 ? "" : "s", banks);
}

#endif
