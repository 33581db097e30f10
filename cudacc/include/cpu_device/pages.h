/*
 * pages.h: the first-touch page model of managed memory, for programs built by cudacc.
 *
 * Between start and stop every page of managed memory allocated meanwhile has a side, host or
 * device, from its first touch on. A touch by the other side moves it. Nothing really moves.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_PAGES_H
#define CPU_DEVICE_PAGES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cpu_device_pages {
    size_t page_bytes;
    size_t to_device, to_host;         /* pages that changed sides */
    size_t host_faults, device_faults; /* touches that found the page elsewhere, or nowhere */
    size_t prefetched_to_device, prefetched_to_host; /* of these, by a prefetch */
    size_t launched_to_device; /* and, without concurrent access, before a launch */
    size_t advised; /* touches after which the page also stayed where it was: so was the advice */
    int by_thread;  /* 0: without protection keys, launches are the boundaries */
};

void cpu_device_pages_start(void);
void cpu_device_pages_stop(struct cpu_device_pages *result);

#ifdef __cplusplus
}
#endif
#endif
