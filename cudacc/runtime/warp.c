/* What the lanes of a warp that have met get: votes, matches, shuffles and reductions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"

const char *warp_function(int operation) {
    static const char *const names[] = {[MEET_LANES] = "__syncwarp",
                                        [MEET_VOTE + VOTE_BALLOT] = "__ballot_sync",
                                        [MEET_VOTE + VOTE_ALL] = "__all_sync",
                                        [MEET_VOTE + VOTE_ANY] = "__any_sync",
                                        [MEET_VOTE + VOTE_UNI] = "__uni_sync",
                                        [MEET_MATCH + MATCH_ANY] = "__match_any_sync",
                                        [MEET_MATCH + MATCH_ALL] = "__match_all_sync",
                                        [MEET_SHUFFLE + SHUFFLE_IDX] = "__shfl_sync",
                                        [MEET_SHUFFLE + SHUFFLE_UP] = "__shfl_up_sync",
                                        [MEET_SHUFFLE + SHUFFLE_DOWN] = "__shfl_down_sync",
                                        [MEET_SHUFFLE + SHUFFLE_XOR] = "__shfl_xor_sync",
                                        [MEET_REDUCE + REDUCE_ADD] = "__reduce_add_sync",
                                        [MEET_REDUCE + REDUCE_AND] = "__reduce_and_sync",
                                        [MEET_REDUCE + REDUCE_OR] = "__reduce_or_sync",
                                        [MEET_REDUCE + REDUCE_XOR] = "__reduce_xor_sync",
                                        [MEET_REDUCE + REDUCE_MIN] = "__reduce_min_sync",
                                        [MEET_REDUCE + REDUCE_MAX] = "__reduce_max_sync"};
    return names[operation];
}

static int takes_part(unsigned lanes, int i) { return lanes >> i & 1; }

static unsigned lanes_with(struct fiber *const *lane, unsigned lanes, unsigned long long value) {
    unsigned same = 0;
    for (int i = 0; i < WARP; i++)
        if (takes_part(lanes, i) && lane[i]->value == value)
            same |= 1u << i;
    return same;
}

/* The step before brought a value that is none, and the lane has used it: it has another now. */
static int is_spoiled(const struct fiber *f, int step) {
    const struct doubt *d = &f->doubt;
    int continues = d->step && (2 * step == d->step || step == 2 * d->step);
    return continues && (d->is_sure || d->value != f->value);
}

/* A step of a reduction in which lanes take no part: they have returned, or the mask lacks them.
 * Sums of a part of a warp do not use what they get so, or compare first. The lowest lane of a
 * segment gets the result. */
static unsigned long long reduced(struct fiber *const *lanes_of, unsigned lanes, int lane, int step,
                                  int first, int from) {
    /* In place of what an absent lane gave. A minimum or a maximum changes by the one or the other,
     * or by neither. */
    static const unsigned long long ANYTHING[] = {0x7e7e7e7e7e7e7e7e, 0xfe7e7e7efe7e7e7e};
    struct fiber *f = lanes_of[lane];
    const struct fiber *source = lanes_of[takes_part(lanes, from) ? from : lane];
    int is_lowest = !(lanes >> first & ((1u << (lane - first)) - 1));
    int is_none = !takes_part(lanes, from);
    struct doubt doubt = {.step = 0};
    if (is_spoiled(f, step))
        doubt = (struct doubt){f->doubt.absent, step, 1, 0};
    else if (is_spoiled(source, step))
        doubt = (struct doubt){source->doubt.absent, step, is_lowest, f->value};
    else if (is_none)
        doubt = (struct doubt){from, step, 0, f->value};
    if (doubt.is_sure && is_lowest) {
        f->absent = doubt.absent;
        doubt.step = 0;
    }
    f->doubt = doubt;
    return is_none ? ANYTHING[__builtin_ctz((unsigned)step | 32) & 1] : source->value;
}

static unsigned long long shuffle(int kind, struct fiber *const *lanes_of, unsigned lanes,
                                  int lane) {
    const unsigned step = lanes_of[lane]->argument & 31, width = lanes_of[lane]->argument >> 8;
    int from = (int)cpu_device_source(kind, (unsigned)lane, step, width);
    /* From a lane that does not take part a GPU gives anything. Who names one wants its value. */
    if (kind == SHUFFLE_IDX && !takes_part(lanes, from))
        lanes_of[lane]->absent = from;
    else if (OBSERVED && kind != SHUFFLE_IDX)
        return reduced(lanes_of, lanes, lane, (int)step, lane & (int)(32 - width) & 31, from);
    return lanes_of[takes_part(lanes, from) ? from : lane]->value;
}

static unsigned reduce(int kind, struct fiber *const *lane, unsigned lanes) {
    int first = __builtin_ctz(lanes);
    unsigned value = (unsigned)lane[first]->value;
    for (int i = first + 1; i < WARP; i++)
        if (takes_part(lanes, i))
            value = cpu_device_combine(kind, value, (unsigned)lane[i]->value);
    return value;
}

/* What is the same for all lanes of a vote or a reduction is computed once. */
void warp_results(struct fiber *const *lane, unsigned lanes) {
    unsigned long long all = 0;
    int known = -1;
    for (int i = 0; i < WARP; i++) {
        if (!takes_part(lanes, i))
            continue;
        struct fiber *f = lane[i];
        f->lanes = lanes;
        if (f->operation >= MEET_SHUFFLE && f->operation < MEET_REDUCE) {
            f->result = shuffle(f->operation - MEET_SHUFFLE, lane, lanes, i);
        } else if (f->operation >= MEET_MATCH && f->operation < MEET_SHUFFLE) {
            f->result = (unsigned long long)lanes << 32 | lanes_with(lane, lanes, f->value);
        } else if (f->operation == MEET_COLLECT) {
            for (int k = 0; k < WARP; k++)
                if (takes_part(lanes, k))
                    f->values[k] = lane[k]->value;
        } else if (f->operation != MEET_LANES) {
            if (known != f->operation)
                all = f->operation < MEET_MATCH
                          ? (unsigned long long)lanes << 32 | lanes_with(lane, lanes, 1)
                          : reduce(f->operation - MEET_REDUCE, lane, lanes);
            known = f->operation;
            f->result = all;
        }
    }
}
