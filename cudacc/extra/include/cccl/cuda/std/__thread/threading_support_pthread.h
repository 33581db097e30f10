/* Its own: who waits in a kernel gives way to the threads there, and sleeps in no other way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifdef __CUDACC__ /* not a file of C++ */
#include <sched.h>
#include <time.h>
#define sched_yield() (cpu_device_in_kernel() ? cpu_device_yield() : (void)sched_yield())
#define nanosleep(span, rest)                                                                      \
    (cpu_device_in_kernel() ? cpu_device_yield(), 0 : nanosleep(span, rest))
#endif
#include_next <cuda/std/__thread/threading_support_pthread.h>
#undef sched_yield
#undef nanosleep
