/*
 * copies.h: where device code copies a struct. What C++ says of its type must stay, so it is marked
 * here (trace_copies.h): `T v = x;` becomes `T v = value_of<T>::get(x);` for the structs of
 * structs.h and the types that a template takes, and `a = b` `a = target<decltype(a)>::from(b)`.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

void rewrite_copies(void);
