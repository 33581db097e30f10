/* warp_functions.h: votes and shuffles of a warp. Part of device_functions.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_WARP_FUNCTIONS_H
#define CPU_DEVICE_WARP_FUNCTIONS_H

/* ---- warp votes ---- */

static inline unsigned __activemask(int line = __builtin_LINE()) {
    return cpu_device_active_lanes(line);
}

#define CPU_DEVICE_VOTE(T, name, kind, result)                                                     \
    static inline T __##name##_sync(unsigned mask, int predicate) {                                \
        unsigned where, lanes = cpu_device_vote(kind, mask, predicate, &where);                    \
        return (void)lanes, result;                                                                \
    }
CPU_DEVICE_VOTE(unsigned, ballot, VOTE_BALLOT, where)
CPU_DEVICE_VOTE(int, all, VOTE_ALL, lanes == where)
CPU_DEVICE_VOTE(int, any, VOTE_ANY, where != 0)
CPU_DEVICE_VOTE(int, uni, VOTE_UNI, lanes == where || !where)
#undef CPU_DEVICE_VOTE

#define CPU_DEVICE_MATCH(T)                                                                        \
    static inline unsigned __match_any_sync(unsigned mask, T value) {                              \
        unsigned lanes;                                                                            \
        return cpu_device_match(MATCH_ANY, mask, cpu_device::same_bits<unsigned long long>(value), \
                                &lanes);                                                           \
    }                                                                                              \
    static inline unsigned __match_all_sync(unsigned mask, T value, int *predicate) {              \
        unsigned lanes, same;                                                                      \
        same = cpu_device_match(MATCH_ALL, mask, cpu_device::same_bits<unsigned long long>(value), \
                                &lanes);                                                           \
        *predicate = same == lanes;                                                                \
        return *predicate ? lanes : 0;                                                             \
    }
CPU_DEVICE_NUMBERS(CPU_DEVICE_MATCH)
#undef CPU_DEVICE_MATCH

#define CPU_DEVICE_REDUCE(T, name, kind, suffix)                                                   \
    static inline T __reduce_##name##_sync(unsigned mask, T value) {                               \
        return cpu_device_reduce##suffix(kind, mask, value);                                       \
    }
CPU_DEVICE_REDUCE(unsigned, add, REDUCE_ADD, )
CPU_DEVICE_REDUCE(unsigned, min, REDUCE_MIN, )
CPU_DEVICE_REDUCE(unsigned, max, REDUCE_MAX, )
CPU_DEVICE_REDUCE(unsigned, and, REDUCE_AND, )
CPU_DEVICE_REDUCE(unsigned, or, REDUCE_OR, )
CPU_DEVICE_REDUCE(unsigned, xor, REDUCE_XOR, )
CPU_DEVICE_REDUCE(int, add, REDUCE_ADD, _signed)
CPU_DEVICE_REDUCE(int, min, REDUCE_MIN, _signed)
CPU_DEVICE_REDUCE(int, max, REDUCE_MAX, _signed)
#undef CPU_DEVICE_REDUCE

/* ---- warp shuffles ---- */

namespace cpu_device {

template <class T> inline T shuffle(int kind, unsigned mask, T value, unsigned b, int width) {
    unsigned long long bits =
        cpu_device_shuffle(kind, mask, same_bits<unsigned long long>(value), b, width);
    memcpy(&value, &bits,
           sizeof value); /* the low bytes: Linux on both machines is little-endian */
    return value;
}

} // namespace cpu_device

#define CPU_DEVICE_SHUFFLE(T)                                                                      \
    static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {                \
        return cpu_device::shuffle(SHUFFLE_IDX, mask, value, (unsigned)lane, width);               \
    }                                                                                              \
    static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {       \
        return cpu_device::shuffle(SHUFFLE_UP, mask, value, delta, width);                         \
    }                                                                                              \
    static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {     \
        return cpu_device::shuffle(SHUFFLE_DOWN, mask, value, delta, width);                       \
    }                                                                                              \
    static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {            \
        return cpu_device::shuffle(SHUFFLE_XOR, mask, value, (unsigned)bits, width);               \
    }
CPU_DEVICE_NUMBERS(CPU_DEVICE_SHUFFLE) /* cuda_fp16.h has more */

#endif
