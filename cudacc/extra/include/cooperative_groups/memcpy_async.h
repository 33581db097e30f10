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

/* In words, neighbors by neighbors, where addresses and size allow it. Each call is a batch. */
template <class Group, class To, class From>
inline void memcpy_async(const Group &g, To *to, const From *from, size_t bytes) {
    size_t first = (size_t)g.thread_rank(), step = (size_t)g.size();
    if (((size_t)to | (size_t)from | bytes) % sizeof(unsigned) == 0) {
        for (size_t i = first; i < bytes / sizeof(unsigned); i += step) {
            unsigned value = ((const unsigned *)from)[i];
            cpu_device_copy_begin((unsigned *)to + i, (const unsigned *)from + i, &value,
                                  sizeof value);
        }
    } else {
        for (size_t i = first; i < bytes; i += step) {
            char value = ((const char *)from)[i];
            cpu_device_copy_begin((char *)to + i, (const char *)from + i, &value, 1);
        }
    }
    cpu_device_copy_commit();
}

template <class Group> inline void wait(const Group &g) {
    cpu_device_copy_wait(0);
    g.sync();
}
template <unsigned Stage, class Group> inline void wait_prior(const Group &g) {
    cpu_device_copy_wait(Stage);
    g.sync();
}

} // namespace cooperative_groups

#undef inline
#endif
#endif
