/* SPDX-License-Identifier: MIT */
#include "../../include/vector_types.h"
