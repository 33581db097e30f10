/*
 * sectors.c: the sectors of 32 bytes that a request to global memory touches.  Who changes the
 * rule changes the shortcuts, too: is_whole, count and settle in count.c, and
 * trace_vectorize_members in vectorize.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/count.h"

static void sort(struct shape *s) { /* 32 of them, most often in some order: nothing is faster */
    for (unsigned i = 1; i < s->is.count; i++) {
        uint64_t a = s->address[i];
        unsigned k = i;
        for (; k && s->address[k - 1] > a; k--)
            s->address[k] = s->address[k - 1];
        s->address[k] = a;
    }
}

void trace_count_sectors(struct trace_row *row, const struct trace_request *r, unsigned width) {
    struct shape s;
    trace_shape_of(r, width, &s);
    trace_shape_note(row, &s.is);
    if (!s.is.rises)
        sort(&s);
    uint64_t sectors = 0, useful = 0, end = 0, next_sector = 0;
    for (unsigned i = 0; i < s.is.count; i++) {
        uint64_t from = s.address[i], to = from + r->bytes;
        uint64_t first = from / SECTOR, last = (to - 1) / SECTOR;
        if (to > end) {
            useful += to - (from > end ? from : end);
            end = to;
        }
        if (first < next_sector)
            first = next_sector;
        if (last >= first) {
            sectors += last - first + 1;
            next_sector = last + 1;
        }
    }
    /* Threads of one row of the block that all read one place cannot do better: rows lie apart. */
    uint64_t ideal = s.is.even && !s.is.step ? sectors : (useful + SECTOR - 1) / SECTOR;
    trace_tally_add(&row->all,
                    (struct trace_tally){1, sectors, useful, ideal, .full = r->lanes == ~0u});
    row->misaligned += sectors > ideal && useful == end - s.address[0];
}
