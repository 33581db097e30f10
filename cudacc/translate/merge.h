/*
 * merge.h: one text of two, that for the host and that for a GPU.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdio.h>
/* The tokens are those of both texts, the second from its first byte `device` on. */
void write_merged(FILE *out, size_t device);
