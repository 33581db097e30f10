/*
 * rewrite_ptx.h: PTX, `asm("add.u32 %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c))`, calls for each
 * instruction the function that extra/include/cpu_device/ptx.h has for it: a = ptx_add_u32(b, c).
 * Other assembly stays, for the assembler to refuse.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

void rewrite_ptx(void);
