/*
 * loads.h: loads that nvcc makes otherwise than gcc.
 *
 *   c ? a[i] : b[j]     *one_of(bool(c), place(a[i]), place(b[j])): nvcc chooses the address and
 *                       loads once.  Not where one of them stands earlier in the function: what is
 *                       in a register is not loaded.
 *   a[i] = b[j];        a[i] = loaded(b[j]): gcc sees that b[j] is still the same then, wherever
 *                       a[i] lies, and does not load it again; nvcc does.
 *
 * What they call is in trace_loads.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOADS_H
#define LOADS_H

void rewrite_loads(void); /* in a traced build */
#endif
