/*
 * extra.h: what the parts of this room share.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "api/api.h"

/* Boxes, copied at once or, if async, in the order of the stream (boxes.c). */
cudaError_t copy_box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, int async);
/* The memset of a graph's node (boxes.c). */
cudaError_t set_elements(const struct cudaMemsetParams *p, cudaStream_t stream);
