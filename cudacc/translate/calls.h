/*
 * calls.h: what a call in a kernel, or in what it calls, may mean.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "functions.h"

/* From the walk: what else than a function with a body a name may mean. */
void record_variables(int start, int end, enum scope scope);
void record_prototype(const struct declaration *d); /* of __device__ */

bool of_object(int name);           /* does the name stand for a member of an object? */
bool of_host(const struct body *b); /* is it the host's alone? */
/* Has the user written it for the device: a kernel, or a function that one may call? */
bool is_user_device_code(const struct body *b);
bool may_call(int name, const struct body *b);
/* May it be that of a variable: of a lambda or through a pointer? */
bool calls_variable(const struct body *caller, int name);
bool elsewhere(int name); /* may another file define an overload of it? */
