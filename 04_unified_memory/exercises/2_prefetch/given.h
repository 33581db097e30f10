// SPDX-License-Identifier: MIT
// What the exercise gives you, from the chapter: the same spelling for CUDA 11, 12 and 13.
//
//     cudaError_t prefetch(const void *p, size_t bytes, int device);
#include "../../experiments/managed.h"
