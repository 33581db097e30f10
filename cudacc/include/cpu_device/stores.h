/*
 * stores.h: for programs that check others: what kernels have stored, what is copied and launched.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_STORES_H
#define CPU_DEVICE_STORES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Both in a traced program (cudacc --trace) that runs with ACCESS_STORES=1 or =scramble; without
 * it they are 0.
 *
 * Of the bytes from p on, in memory that a cuda function gave, those that a kernel stored there, or
 * stored where a copy brought them from, and that are still the same. The device has to be idle. */
size_t cpu_device_stored(const void *p, size_t bytes);

/* Bytes of device memory that have changed while a kernel ran, with no store that was seen;
 * (size_t)-1: not known, with too little memory, or where a launch was sampled
 * (--trace=blocks:N). */
size_t cpu_device_unseen(void);

/* A program may define these. Then they are called before a copy or a memset is queued: for which
 * call, in which stream, how many bytes; may the host have to wait for it? And before a launch,
 * also one that is then refused. */
void cpu_device_moves(const char *call, const void *stream, size_t bytes, int waits);
void cpu_device_launches(const char *kernel, const void *stream, const unsigned grid[3],
                         const unsigned block[3]);

#ifdef __cplusplus
}
#endif
#endif
