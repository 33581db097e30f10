// SPDX-License-Identifier: MIT
// What a warp's load or store asks for: how many sectors of 32 bytes its lanes touch. Arithmetic on
// addresses, nothing else: it holds on every device since Volta, and without one.
#ifndef SECTORS_H
#define SECTORS_H

#include <stddef.h>
#include "../../common/program.h"

enum { SECTOR = 32, LANES = 32 };

// How many different sectors. Lane k starts at byte address[k], counted from an aligned place, and
// no access crosses a sector's end.
static inline int count_sectors(const size_t *address, int lanes) {
    int count = 0;
    for (int k = 0; k < lanes; k++) {
        int seen = 0;
        for (int j = 0; j < k && !seen; j++)
            seen = address[j] / SECTOR == address[k] / SECTOR;
        count += !seen;
    }
    return count;
}

// Draws the sectors that a request for floats touches, from left to right as in memory: in each its
// 8 floats, with the lane that asks for it (0 to 9, a to v) or a dot. '|' stands between
// neighbours,
// '~' for sectors that are left out. The addresses must ascend.
static inline void draw_sectors(const struct run *run, const char *what, const size_t *address) {
    char text[LANES / 8 * 80] = "", *end = text, *floats = NULL;
    size_t last = 0;
    int sectors = count_sectors(address, LANES);
    for (int lane = 0, drawn = 0; lane < LANES; lane++) {
        size_t sector = address[lane] / SECTOR;
        if (lane == 0 || sector != last) {
            if (drawn++ % 8 == 0)
                end += sprintf(end, "%s    ", drawn == 1 ? "" : "|\n");
            floats = end + 1;
            end += sprintf(end, "%c........", lane == 0 || sector == last + 1 ? '|' : '~');
        }
        floats[address[lane] % SECTOR / 4] = "0123456789abcdefghijklmnopqrstuv"[lane];
        last = sector;
    }
    run_say(run, "%s: a request for %d bytes touches %d sectors, %d bytes\n%s|", what, LANES * 4,
            sectors, sectors * SECTOR, text);
}

#endif
