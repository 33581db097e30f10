/* cooperative_groups/scan.h of the CPU device: inclusive_scan() and exclusive_scan(), for tiles and
 * coalesced groups.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_SCAN_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#ifdef __CUDACC__
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline))
#endif

namespace cooperative_groups {

template <class Group, class T, class Operation>
inline T inclusive_scan(const Group &g, T value, Operation &&operation) {
    for (unsigned step = 1; step < g.size(); step *= 2) {
        T before = g.shfl_up(value, step);
        if (g.thread_rank() >= step)
            value = operation(before, value);
    }
    return value;
}
template <class Group, class T> inline T inclusive_scan(const Group &g, T value) {
    return inclusive_scan(g, value, plus<T>());
}

/* The first member gets T(). */
template <class Group, class T, class Operation>
inline T exclusive_scan(const Group &g, T value, Operation &&operation) {
    T before = g.shfl_up(inclusive_scan(g, value, operation), 1);
    return g.thread_rank() ? before : T();
}
template <class Group, class T> inline T exclusive_scan(const Group &g, T value) {
    return exclusive_scan(g, value, plus<T>());
}

} // namespace cooperative_groups

#undef inline
#endif
#endif
