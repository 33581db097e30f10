/* Warp functions on bare bits; device_functions.h gives them types. Each lane hands in 64 bits and
 * gets 64 back, when all lanes of its mask have: runtime/wait.c brings them together and
 * runtime/warp.c computes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_WARP_H
#define CPU_DEVICE_WARP_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };
enum { REDUCE_ADD, REDUCE_AND, REDUCE_OR, REDUCE_XOR, REDUCE_MIN, REDUCE_MAX };
enum { VOTE_BALLOT, VOTE_ALL, VOTE_ANY, VOTE_UNI };
enum { MATCH_ANY, MATCH_ALL };
enum {
    MEET_BARRIER, /* of the block */
    MEET_LANES,   /* of the warp, for nothing else */
    MEET_COLLECT, /* cpu_device_warp_collect */
    MEET_VOTE,
    MEET_MATCH = MEET_VOTE + VOTE_UNI + 1,
    MEET_SHUFFLE = MEET_MATCH + MATCH_ALL + 1,
    MEET_REDUCE = MEET_SHUFFLE + SHUFFLE_XOR + 1
};

/* operation: MEET_...; for the last four a kind is added. */
unsigned long long cpu_device_meet(int operation, unsigned mask, unsigned long long value,
                                   unsigned argument);

/* The lanes that took part, and in *where those among them for which the predicate holds. */
static inline unsigned cpu_device_vote(int kind, unsigned mask, int predicate, unsigned *where) {
    unsigned long long both = cpu_device_meet(MEET_VOTE + kind, mask, predicate != 0, 0);
    *where = (unsigned)both;
    return (unsigned)(both >> 32);
}

/* The lanes that hold the same bits as this one, and in *lanes all that took part. */
static inline unsigned cpu_device_match(int kind, unsigned mask, unsigned long long value,
                                        unsigned *lanes) {
    unsigned long long both = cpu_device_meet(MEET_MATCH + kind, mask, value, 0);
    *lanes = (unsigned)(both >> 32);
    return (unsigned)both;
}

static inline unsigned long long
cpu_device_shuffle(int kind, unsigned mask, unsigned long long value, unsigned b, int width) {
    return cpu_device_meet(MEET_SHUFFLE + kind, mask, value, (b & 31) | (unsigned)width << 8);
}

/* Which lane a shuffle reads from, as the PTX manual defines shfl: itself, if the other is outside
 * of its segment of `width` lanes, except that xor may reach into earlier segments. */
static inline unsigned cpu_device_source(int kind, unsigned lane, unsigned step, unsigned width) {
    unsigned segments = (32 - width) & 31, first = lane & segments, last = first | (31 & ~segments);
    unsigned from = kind == SHUFFLE_UP     ? lane - step
                    : kind == SHUFFLE_DOWN ? lane + step
                    : kind == SHUFFLE_XOR  ? lane ^ step
                                           : first | (step & ~segments);
    unsigned outside = kind == SHUFFLE_UP ? lane < first + step : from > last;
    return from ^ ((from ^ lane) & -outside); /* no branch, which each lane may take another way */
}

static inline unsigned cpu_device_combine(int kind, unsigned a, unsigned b) {
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

static inline unsigned cpu_device_reduce(int kind, unsigned mask, unsigned value) {
    return (unsigned)cpu_device_meet(MEET_REDUCE + kind, mask, value, 0);
}

/* With the sign bit turned over, signed numbers are in order as unsigned ones. */
static inline int cpu_device_reduce_signed(int kind, unsigned mask, int value) {
    unsigned turn = kind == REDUCE_ADD ? 0 : 0x80000000u;
    return (int)(cpu_device_reduce(kind, mask, (unsigned)value ^ turn) ^ turn);
}

#ifdef __cplusplus
}
#endif
#endif
