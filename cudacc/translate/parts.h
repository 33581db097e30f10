/*
 * parts.h: the text of cpu_run(), in which a block's threads run from cut to cut (split.h), and of
 * the proofs by the compiler that this kernel may run so.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "kernels.h"
#include "writer.h"

void put_function(struct writer *w, const struct kernel *k);
