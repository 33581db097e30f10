/*
 * steps.h: where a thread is about to use volatile memory or to print.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

/* A function with __device__ or __global__, and a variable outside of functions. */
void record_stepping(const struct declaration *d);
void record_volatile_type(int start, int end); /* if that is what is declared there */
/* Each use of a volatile array or pointer in them goes through cpu_device::in_step(), which lets
 * the lanes of a warp do it one after another before any of them continues (or in_shared_step(), in
 * shared memory alone); so does a printf. */
void give_steps(void);
