// SPDX-License-Identifier: MIT
// How many sectors of 32 bytes, and how many lines of 128, the lanes of a warp touch with a load or
// a store. Arithmetic on addresses, nothing else: it holds on every device since compute capability
// 6.0, and without one.
#ifndef SECTORS_H
#define SECTORS_H

#include "../../common/experiment/rows.h"

enum { SECTOR = 32, LINE = 128, LANES = 32 };

static const char lane_names[] = "0123456789abcdefghijklmnopqrstuv";

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

static inline void strided_addresses(size_t address[LANES], size_t first, size_t step,
                                     size_t size) {
    for (size_t lane = 0; lane < LANES; lane++)
        address[lane] = (first + lane * step) * size;
}

static inline struct request request_at(const size_t *address) {
    struct request request = {count_pieces(address, SECTOR), count_pieces(address, LINE)};
    return request;
}

static inline struct request strided_request(size_t first, size_t step, size_t size) {
    size_t address[LANES];
    strided_addresses(address, first, step, size);
    return request_at(address);
}

// Lanes side by side in whole sectors of 8 floats, which begin `step` elements apart.
static inline struct request sectors_request(size_t step) {
    size_t address[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        address[lane] = (lane / 8 * step + lane % 8) * sizeof(float);
    return request_at(address);
}

// Of the bytes of the sectors, the share that the warp asked for, in percent; each lane asks for
// `size` other bytes.
static inline double used_percent(struct request request, size_t size) {
    return round(1000. * (double)(LANES * size) / (SECTOR * request.sectors)) / 10;
}

// Draws the sectors that a request touches, from left to right as in memory: a character for 4
// bytes, the lane that reads them (0 to 9, a to v) or a dot. '|' stands between neighbors, '~' for
// sectors that are left out. The addresses must ascend; `size` is 4 or 8.
static inline void draw_sectors(const char *what, const size_t *address, size_t size) {
    char text[LANES / 4 * 48] = "", *end = text, *floats = NULL;
    size_t last = 0;
    int sectors = count_pieces(address, SECTOR), in_a_line = terminal_width(talk()) < 77 ? 4 : 8;
    for (int lane = 0, drawn = 0; lane < LANES; lane++) {
        size_t sector = address[lane] / SECTOR;
        if (lane == 0 || sector != last) {
            if (drawn++ % in_a_line == 0)
                end += sprintf(end, "%s    ", drawn == 1 ? "" : "|\n");
            floats = end + 1;
            end += sprintf(end, "%c........", lane == 0 || sector == last + 1 ? '|' : '~');
        }
        memset(floats + address[lane] % SECTOR / 4, lane_names[lane], size / 4);
        last = sector;
    }
    say("%s: a request for %zu bytes touches %d sectors, %d bytes\n%s|", what, LANES * size,
        sectors, sectors * SECTOR, text);
}

static inline void draw_strided(const char *what, size_t first, size_t step, size_t size) {
    size_t address[LANES];
    strided_addresses(address, first, step, size);
    draw_sectors(what, address, size);
}

// n elements of `size` bytes, or as many as fill 4 x L2 if those are more.
static inline size_t beyond_l2(size_t n, size_t size) {
    size_t most = 4 * (size_t)run.device.l2CacheSize / size;
    return most > n ? most : n;
}

#endif
