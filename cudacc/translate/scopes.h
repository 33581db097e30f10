/*
 * scopes.h: the walk through namespaces, classes and functions that rewrites declarations.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
void rewrite_scopes(void);
