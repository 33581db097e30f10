/*
 * split.h: kernels whose threads run from barrier to barrier, without a stack for each.
 *
 *     s[threadIdx.x] = x;            for each thread: s[threadIdx.x] = x;
 *     __syncthreads();
 *     y = s[31 - threadIdx.x];       for each thread: y = s[31 - threadIdx.x];
 *
 * A function within kernel k does that for a block, where all of k's barriers stand where all
 * threads come or none: under conditions that are the same for all; the block's first thread calls
 * it. It gives the same results: in each part the threads run in order, as they do when each waits
 * on a stack of its own. Where that is not certain there is no such function. Only atomic functions
 * of one interval between barriers may come in another order, which CUDA leaves open, too.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

void split_kernels(void); /* when all else in their bodies is rewritten */
