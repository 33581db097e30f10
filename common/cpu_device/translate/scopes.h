/*
 * scopes.h: the walk through namespaces, classes and functions that rewrites declarations.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SCOPES_H
#define SCOPES_H
void rewrite_scopes(void);
#endif
