/*
 * extra.h: what the parts of this room share.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "api/api.h"

/* The memset of a graph's node (boxes.c). */
cudaError_t set_elements(const struct cudaMemsetParams *p, cudaStream_t stream);
