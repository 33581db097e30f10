/*
 * stores.h: what kernels have stored, for traced programs (cudacc --trace) that run with
 * ACCESS_STORES=1 or ACCESS_STORES=scramble. Without it both are 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_STORES_H
#define CPU_DEVICE_STORES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the bytes from p on, in memory that a cuda function gave, those that a kernel stored there, or
 * stored where a copy brought them from, and that are still the same. The device has to be idle. */
size_t cpu_device_stored(const void *p, size_t bytes);

/* Bytes of device memory that have changed while a kernel ran, with no store that was seen;
 * (size_t)-1: not known, with too little memory, or where a launch was sampled
 * (--trace=blocks:N). */
size_t cpu_device_unseen(void);

#ifdef __cplusplus
}
#endif
#endif
