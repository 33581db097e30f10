/*
 * launches.h: kernel<<<grid, block>>>(arguments).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

void record_launch(int open, enum scope scope); /* the first `<` of `<<<` */
void rewrite_launches(void);                    /* when all kernels are known */
