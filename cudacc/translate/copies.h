/*
 * copies.h: where device code copies a struct into a variable. That is no assignment, which the
 * struct itself could define, and must stay possible without a constructor: `T v = x;` becomes
 * `T v = value_of<T>::get(x);` (trace_copies.h), for the structs of structs.h and for the types
 * that a template takes.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

void rewrite_copies(void);
