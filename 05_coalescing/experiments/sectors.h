// SPDX-License-Identifier: MIT
// How many sectors of 32 bytes, and how many lines of 128, the lanes of a warp touch with a load or
// a store. Arithmetic on addresses, nothing else: it holds on every device since compute capability
// 6.0, and without one.
#ifndef SECTORS_H
#define SECTORS_H

#include "../../common/experiment/rows.h"

enum { SECTOR = 32, LINE = 128, LANES = 32 };

// How many different pieces of `size` bytes, SECTOR or LINE. Lane k starts at byte address[k],
// counted from an aligned place, and no access crosses a sector's end.
static inline int count_pieces(const size_t *address, size_t size) {
    int count = 0;
    for (int k = 0; k < LANES; k++) {
        int seen = 0;
        for (int j = 0; j < k && !seen; j++)
            seen = address[j] / size == address[k] / size;
        count += !seen;
    }
    return count;
}

// The sectors and lines of a request by lanes that are `step` elements of `size` bytes apart, the
// first at element `first`. L2 gets a request for each line, its sectors together.
struct request {
    int sectors, lines;
};

static inline struct request strided_request(size_t first, size_t step, size_t size) {
    size_t address[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        address[lane] = (first + lane * step) * size;
    struct request request = {count_pieces(address, SECTOR), count_pieces(address, LINE)};
    return request;
}

// Draws the sectors that a request for floats touches, from left to right as in memory: in each its
// 8 floats, with the lane that reads it (0 to 9, a to v) or a dot. '|' stands between neighbors,
// '~' for sectors that are left out. The addresses must ascend.
static inline void draw_sectors(const char *what, const size_t *address) {
    char text[LANES / 8 * 80] = "", *end = text, *floats = NULL;
    size_t last = 0;
    int sectors = count_pieces(address, SECTOR);
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
