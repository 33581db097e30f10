/* cooperative_groups/memcpy_async.h of the CPU device: a group copies, and waits for the copy.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#ifdef __CUDACC__
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline))
#endif

namespace cooperative_groups {

/* In words, neighbors by neighbors, where addresses and size allow it. */
template <class Group, class To, class From>
inline void memcpy_async(const Group &g, To *to, const From *from, size_t bytes) {
    size_t first = (size_t)g.thread_rank(), step = (size_t)g.size();
    if (((size_t)to | (size_t)from | bytes) % sizeof(unsigned) == 0) {
        for (size_t i = first; i < bytes / sizeof(unsigned); i += step)
            ((unsigned *)to)[i] = ((const unsigned *)from)[i];
    } else {
        for (size_t i = first; i < bytes; i += step)
            ((char *)to)[i] = ((const char *)from)[i];
    }
}

template <class Group> inline void wait(const Group &g) { g.sync(); }
template <unsigned Stage, class Group> inline void wait_prior(const Group &g) { g.sync(); }

} // namespace cooperative_groups

#undef inline
#endif
#endif
