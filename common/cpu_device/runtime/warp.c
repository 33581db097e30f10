/* Votes, matches, shuffles and reductions, out of one primitive: every lane of the mask hands in
 * 64 bits and receives everybody's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/exported.h"

static int takes_part(unsigned lanes, int i) { return lanes >> i & 1; }

unsigned cpu_device_vote(unsigned mask, int predicate, unsigned *where) {
    unsigned long long values[32];
    unsigned lanes = cpu_device_warp_collect(mask, predicate != 0, values);
    *where = 0;
    for (int i = 0; i < 32; i++)
        if (takes_part(lanes, i) && values[i])
            *where |= 1u << i;
    return lanes;
}

unsigned cpu_device_match(unsigned mask, unsigned long long value, unsigned *lanes) {
    unsigned long long values[32];
    unsigned same = 0;
    *lanes = cpu_device_warp_collect(mask, value, values);
    for (int i = 0; i < 32; i++)
        if (takes_part(*lanes, i) && values[i] == value)
            same |= 1u << i;
    return same;
}

/* As the PTX manual defines shfl: five bits of b count; a lane outside the segment of `width`
 * lanes gives the own value, except that xor may reach into earlier segments. */
unsigned long long cpu_device_shuffle(int kind, unsigned mask, unsigned long long value, unsigned b,
                                      int width) {
    unsigned long long values[32];
    unsigned lanes = cpu_device_warp_collect(mask, value, values);
    int lane = (int)cpu_device_lane(), step = (int)(b & 31), segments = (32 - width) & 31;
    int first = lane & segments, last = first | (31 & ~segments), from;
    switch (kind) {
    case SHUFFLE_UP:
        from = lane - step;
        break;
    case SHUFFLE_DOWN:
        from = lane + step;
        break;
    case SHUFFLE_XOR:
        from = lane ^ step;
        break;
    default:
        from = first | (step & ~segments);
    }
    int outside = kind == SHUFFLE_UP ? from < first : from > last;
    /* From a lane that does not take part a GPU gives anything. */
    return outside || !takes_part(lanes, from) ? value : values[from];
}

static unsigned combine(int kind, unsigned a, unsigned b) {
    switch (kind) {
    case REDUCE_ADD:
        return a + b;
    case REDUCE_AND:
        return a & b;
    case REDUCE_OR:
        return a | b;
    case REDUCE_XOR:
        return a ^ b;
    case REDUCE_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

unsigned cpu_device_reduce(int kind, unsigned mask, unsigned value) {
    unsigned long long values[32];
    unsigned lanes = cpu_device_warp_collect(mask, value, values);
    int own = (int)cpu_device_lane();
    for (int i = 0; i < 32; i++)
        if (i != own && takes_part(lanes, i))
            value = combine(kind, value, (unsigned)values[i]);
    return value;
}

/* With the sign bit turned over, signed numbers are in order as unsigned ones. */
int cpu_device_reduce_signed(int kind, unsigned mask, int value) {
    unsigned turn = kind == REDUCE_ADD ? 0 : 0x80000000u;
    return (int)(cpu_device_reduce(kind, mask, (unsigned)value ^ turn) ^ turn);
}
