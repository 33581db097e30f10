/*
 * options.c: see options.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

bool separate, tracing;
const char *kernel_attribute = "", *straight_attribute = "";
