/*
 * options.c: see options.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

bool separate, tracing;
const char *straight_attribute = "", *stay_option = "";
