/*
 * groups.h: what cooperative groups and pipelines call; cooperative launches, for extra/api.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#pragma GCC visibility push(default)
#include "extra/include/cpu_device/groups_abi.h"
#pragma GCC visibility pop

/* What the config of a launch names whose blocks may wait for each other (grid.c). */
extern const struct cooperation cooperation;
