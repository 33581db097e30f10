// SPDX-License-Identifier: MIT
// How many sectors of 32 bytes the lanes of a warp touch with a load or a store. Arithmetic on
// addresses, nothing else: it holds on every device since Volta, and without one.
#ifndef SECTORS_H
#define SECTORS_H

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

// The same for lanes that are `step` elements of `size` bytes apart, the first at element `first`.
static inline int strided_sectors(size_t first, size_t step, size_t size) {
    size_t address[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        address[lane] = (first + lane * step) * size;
    return count_sectors(address, LANES);
}

// Draws the sectors that a request for floats touches, from left to right as in memory: in each its
// 8 floats, with the lane that reads it (0 to 9, a to v) or a dot. '|' stands between neighbors,
// '~' for sectors that are left out. The addresses must ascend.
static inline void draw_sectors(const char *what, const size_t *address) {
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
    say("%s: a request for %d bytes touches %d sectors, %d bytes\n%s|", what, LANES * 4, sectors,
        sectors * SECTOR, text);
}

// n elements of `size` bytes, or as many as fill 4 x L2 if those are more.
static inline size_t beyond_l2(size_t n, size_t size) {
    size_t most = 4 * (size_t)run.device.l2CacheSize / size;
    return most > n ? most : n;
}

#endif
