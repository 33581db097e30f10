/*
 * waits.h: which names may stand for a function in which a thread waits for others: at a barrier,
 * in a warp function, in a loop that polls. Calls are followed by name, and one that is not known
 * counts as waiting.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "tokens.h"

void find_waits(void); /* when volatile memory and prints have their steps */
/* At token i, does a thread of the user's code perhaps wait in what stands there? */
bool may_wait(int i);
bool is_atomic(int i); /* a call of an atomic function, or of one that leads to one */
/* Is there code that waits and that a call need not name: a lambda, an operator, a pointer? */
extern bool waits_unnamed;

/* words.c */
bool is_warp_function(int i);    /* is it called at token i? */
const char *operation_of(int i); /* of a warp function of that name: MEET_..., else NULL */
const char *why_refused(int i);  /* why the kernel is not split; NULL: it may be */
