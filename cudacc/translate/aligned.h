/*
 * aligned.h: kernels in which an address is misaligned only if a pointer that they are given is: it
 * is enough to look at those once, and not at each access.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdbool.h>

/* Of the kernel whose locals have been read. */
bool keeps_alignment(int parameters, int open);
