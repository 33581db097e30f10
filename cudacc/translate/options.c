/*
 * options.c: what the command line says; main.c reads it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

bool separate, tracing, launches_as_calls, copies_are_calls, vectors;
const char *kernel_attribute = "", *loop_free_attribute = "", *no_hoist_option = "";
