/* cooperative_groups/reduce.h of the CPU device: reduce(), for tiles and coalesced groups.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_REDUCE_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#ifdef __CUDACC__
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline))
#endif

namespace cooperative_groups {

#define CPU_DEVICE_OPERATOR(name, expression)                                                      \
    template <class T> struct name {                                                               \
        inline T operator()(T a, T b) const { return expression; }                                 \
    };
CPU_DEVICE_OPERATOR(plus, (T)(a + b))
CPU_DEVICE_OPERATOR(less, b < a ? b : a)
CPU_DEVICE_OPERATOR(greater, a < b ? b : a)
CPU_DEVICE_OPERATOR(bit_and, (T)(a &b))
CPU_DEVICE_OPERATOR(bit_or, (T)(a | b))
CPU_DEVICE_OPERATOR(bit_xor, (T)(a ^ b))
#undef CPU_DEVICE_OPERATOR

/* Each member gets the result. Halves are added to each other, then quarters, and so on. */
template <unsigned Size, class Parent, class T, class Operation>
inline T reduce(const thread_block_tile<Size, Parent> &g, T value, Operation &&operation) {
    for (unsigned step = Size / 2; step; step /= 2)
        value = operation(value, g.shfl_xor(value, step));
    return value;
}
template <class T, class Operation>
inline T reduce(const coalesced_group &g, T value, Operation &&operation) {
    for (unsigned left = g.size(), half; left > 1; left = half) {
        half = (left + 1) / 2;
        T other = g.shfl_down(value, half);
        if (g.thread_rank() + half < left)
            value = operation(value, other);
    }
    return g.shfl(value, 0);
}

} // namespace cooperative_groups

#undef inline
#endif
#endif
