/*
 * words.h: words and signs that mean something to a kernel that is split (split.c).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "tokens.h"

bool is_warp_function(int i);    /* is it called at token i? */
const char *operation_of(int i); /* of a warp function of that name: MEET_..., else NULL */
const char *why_refused(int i);  /* why the kernel is not split; NULL: it may be */
