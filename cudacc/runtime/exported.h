/*
 * exported.h: what a program can call.  The runtime is compiled with hidden names and linked so
 * that they stay its own: visible are what include/ declares, and the few functions of other
 * libraries that it stands in for, which say EXPORTED.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))
#define PRIVATE __attribute__((visibility("hidden"))) /* a shorter way to a variable */

#pragma GCC visibility push(default)
#include "include/cuda_runtime_api.h"
#include "include/cpu_device/device_abi.h"
#include "include/cpu_device/kernel_abi.h"
#include "include/cpu_device/program_notes.h"
#include "include/cpu_device/pages.h"
#include "include/cpu_device/trace_abi.h"
#include "include/cpu_device/warp.h"
#pragma GCC visibility pop
