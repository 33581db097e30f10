/*
 * groups_abi.h: what cooperative groups and pipelines ask of the runtime (async_copies.c, grid.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_GROUPS_ABI_H
#define CPU_DEVICE_GROUPS_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

/* The running thread begins to store these 1, 2, 4, 8 or 16 bytes, which were read there (NULL: not
 * all); what it has begun since its last commit is one batch; it waits for all batches but the last
 * `newer` ones. */
void cpu_device_copy_begin(void *to, const void *from, const void *value, unsigned bytes);
void cpu_device_copy_commit(void);
void cpu_device_copy_wait(unsigned long newer);

/* A barrier over the grid: one thread of each block comes to it. Only in a cooperative launch: the
 * kernel ends with an error in another one. */
void cpu_device_grid_barrier(void);
int cpu_device_grid_is_cooperative(void);
void cpu_device_grid_check(void); /* the same error, from any thread */

#ifdef __cplusplus
}
#endif
#endif
