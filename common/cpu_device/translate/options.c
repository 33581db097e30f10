/*
 * options.c: see options.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

bool separate, tracing, telling_bits, launches_as_calls;
const char *kernel_attribute = "", *loop_free_attribute = "", *keep_stores_option = "";
