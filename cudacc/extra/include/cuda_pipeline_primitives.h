/* cuda_pipeline_primitives.h of the CPU device: all of it is in cuda_pipeline.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda_pipeline.h"
