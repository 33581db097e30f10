/*
 * wavefronts.c: the passes that the 32 banks of shared memory need for a request.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/count.h"

enum { BANKS = 32, BANK_BYTES = 4 };

static unsigned lanes_from(unsigned first, unsigned lanes) {
    return ~0u >> (WARP - lanes) << first;
}

/* Do the lanes want no more than 32 words side by side? Then no bank has two of them. */
static int in_one_stretch(const struct trace_request *r, unsigned first, unsigned lanes) {
    uint64_t low = UINT64_MAX, high = 0;
    EACH_LANE (i, r->lanes & lanes_from(first, lanes)) {
        uint64_t address = r->address[i];
        low = address < low ? address : low;
        high = address > high ? address : high;
    }
    return low <= high && (high + r->bytes - 1) / BANK_BYTES - low / BANK_BYTES < BANKS;
}

/* The words that lanes first to first + lanes - 1 need of the fullest bank. */
static unsigned wavefronts_of(const struct trace_request *r, unsigned first, unsigned lanes) {
    if (in_one_stretch(r, first, lanes))
        return 1;
    uint64_t words[BANKS][WARP * 4];
    unsigned count[BANKS] = {0}, most = 0;
    EACH_LANE (i, r->lanes & lanes_from(first, lanes)) {
        uint64_t last = (r->address[i] + r->bytes - 1) / BANK_BYTES;
        for (uint64_t word = r->address[i] / BANK_BYTES; word <= last; word++) {
            unsigned bank = word % BANKS, k = 0;
            while (k < count[bank] && words[bank][k] != word)
                k++;
            if (k < count[bank])
                continue;
            words[bank][count[bank]++] = word;
            if (count[bank] > most)
                most = count[bank];
        }
    }
    return most;
}

/* Does each lane want what lane i ^ other wants, if that takes part at all? */
static int in_pairs(const struct trace_request *r, unsigned other) {
    for (unsigned i = 0; i < WARP; i++)
        if (r->lanes >> i & r->lanes >> (i ^ other) & 1 && r->address[i] != r->address[i ^ other])
            return 0;
    return 1;
}

/* Shared memory serves 128 bytes at a time: 16-byte accesses of 8 lanes, 8-byte ones of 16. A load
 * serves twice as many where, in all of the warp, either neighbors want the same or the next ones
 * but one do (so an H200 counts: cudacc/tests/trace/wide.cu). */
struct trace_tally trace_wavefronts(const struct trace_request *r) {
    unsigned lanes = r->bytes <= 4 ? WARP : 128 / r->bytes;
    struct trace_tally one = {.requests = 1, .full = r->lanes == ~0u};
    if (lanes < WARP && r->op == TRACE_LOAD && (in_pairs(r, 1) || in_pairs(r, 2)))
        lanes *= 2;
    for (unsigned first = 0; first < WARP; first += lanes) {
        unsigned n = wavefronts_of(r, first, lanes);
        one.sectors += n;
        one.ideal += n > 0;
    }
    one.worst = one.sectors;
    return one;
}

/* Is the request like the last one? Notes how it lies. */
static int is_like(struct shared_pattern *last, const struct trace_request *r, unsigned width) {
    uint64_t differ = 0, first = r->address[r->first], distance[WARP];
    unsigned row = width % WARP ? r->warp * WARP % width : 0, begin = first % BANK_BYTES;
    differ = (r->lanes ^ last->lanes) | (row ^ last->row) | (begin ^ last->begin);
    addresses_from(first, r, distance);
    for (unsigned i = 0; i < WARP; i++) {
        differ |= distance[i] ^ last->distance[i];
        last->distance[i] = distance[i];
    }
    last->lanes = r->lanes;
    last->row = row;
    last->begin = begin;
    return !differ;
}

void trace_count_shared(struct trace_row *row, struct shared_pattern *last,
                        const struct trace_request *r, unsigned width) {
    trace_request_addresses(r);
    if (!is_like(last, r, width)) {
        struct shape s;
        trace_shape_of(r, width, &s);
        last->summary = s.is;
        last->tally = trace_wavefronts(r);
    }
    if (last->summary.rows > 1)
        row->narrow += last->summary.even && last->summary.step;
    else
        trace_shape_note(row, &last->summary);
    trace_tally_add(&row->all, last->tally);
}
