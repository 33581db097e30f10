/* Votes, matches, shuffles and reductions, out of one primitive: every lane of the mask hands in
 * 64 bits and receives everybody's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/exported.h"
#include "runtime/observer.h"

static int takes_part(unsigned lanes, int i) { return lanes >> i & 1; }

unsigned cpu_device_vote(const char *function, unsigned mask, int predicate, unsigned *where) {
    unsigned long long values[32];
    struct cpu_device_warp_call call = {function, __builtin_return_address(0)};
    unsigned lanes = cpu_device_warp_collect(&call, mask, predicate != 0, values);
    *where = 0;
    for (int i = 0; i < 32; i++)
        if (takes_part(lanes, i) && values[i])
            *where |= 1u << i;
    return lanes;
}

unsigned cpu_device_match(const char *function, unsigned mask, unsigned long long value,
                          unsigned *lanes) {
    unsigned long long values[32];
    unsigned same = 0;
    struct cpu_device_warp_call call = {function, __builtin_return_address(0)};
    *lanes = cpu_device_warp_collect(&call, mask, value, values);
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
    static const char *const name[] = {[SHUFFLE_IDX] = "__shfl_sync",
                                       [SHUFFLE_UP] = "__shfl_up_sync",
                                       [SHUFFLE_DOWN] = "__shfl_down_sync",
                                       [SHUFFLE_XOR] = "__shfl_xor_sync"};
    struct cpu_device_warp_call call = {name[kind], __builtin_return_address(0)};
    unsigned lanes = cpu_device_warp_collect(&call, mask, value, values);
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
    /* From a lane that does not take part a GPU gives anything. Sums of a part of a warp do not use
     * what they get so; who names a lane wants its value. */
    if (OBSERVED && kind == SHUFFLE_IDX && !takes_part(lanes, from))
        cpu_device_observer->warp_source_absent(&call, (unsigned)from);
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

static unsigned reduce(int kind, unsigned mask, unsigned value, const void *pc) {
    unsigned long long values[32];
    static const char *const name[] = {
        [REDUCE_ADD] = "__reduce_add_sync", [REDUCE_AND] = "__reduce_and_sync",
        [REDUCE_OR] = "__reduce_or_sync",   [REDUCE_XOR] = "__reduce_xor_sync",
        [REDUCE_MIN] = "__reduce_min_sync", [REDUCE_MAX] = "__reduce_max_sync"};
    struct cpu_device_warp_call call = {name[kind], pc};
    unsigned lanes = cpu_device_warp_collect(&call, mask, value, values);
    int own = (int)cpu_device_lane();
    for (int i = 0; i < 32; i++)
        if (i != own && takes_part(lanes, i))
            value = combine(kind, value, (unsigned)values[i]);
    return value;
}

unsigned cpu_device_reduce(int kind, unsigned mask, unsigned value) {
    return reduce(kind, mask, value, __builtin_return_address(0));
}

/* With the sign bit turned over, signed numbers are in order as unsigned ones. */
int cpu_device_reduce_signed(int kind, unsigned mask, int value) {
    unsigned turn = kind == REDUCE_ADD ? 0 : 0x80000000u;
    return (int)(reduce(kind, mask, (unsigned)value ^ turn, __builtin_return_address(0)) ^ turn);
}
