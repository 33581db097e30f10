/*
 * vectors.h: regions (regions.h) in which no thread needs to say that it is the one that runs, so
 * that the host compiler can make vectors of their loop:
 *
 *     float before = t >= step ? sums[t - step] : 0;
 *
 * Threads run in order there, too. Only an access can fail, and then the region is done once more,
 * from its first thread on, each with its index in ::threadIdx. That finds the same address wrong,
 * of the same thread: addresses come from what the region does not change.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "regions.h"

/* May the region be done so? *once: what it changes in __shared__ memory a second time changes
 * again, so that must end in the error. Else a second time changes nothing. */
bool is_vector(int region, bool *once);
