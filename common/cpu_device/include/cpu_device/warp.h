/* Warp functions on bare bits: warp.c has them, device_functions.h gives them types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_WARP_H
#define CPU_DEVICE_WARP_H

#ifdef __cplusplus
extern "C" {
#endif

/* The lanes that took part, and in *where those among them for which the predicate holds. */
unsigned cpu_device_vote(const char *function, unsigned mask, int predicate, unsigned *where);

/* The lanes that hold the same bits as this one, and in *lanes all that took part. */
unsigned cpu_device_match(const char *function, unsigned mask, unsigned long long value,
                          unsigned *lanes);

enum { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };
unsigned long long cpu_device_shuffle(int kind, unsigned mask, unsigned long long value, unsigned b,
                                      int width);

enum { REDUCE_ADD, REDUCE_AND, REDUCE_OR, REDUCE_XOR, REDUCE_MIN, REDUCE_MAX };
unsigned cpu_device_reduce(int kind, unsigned mask, unsigned value);
int cpu_device_reduce_signed(int kind, unsigned mask, int value);

#ifdef __cplusplus
}
#endif
#endif
