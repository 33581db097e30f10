/*
 * structs.h: structs that a traced build must copy as nvcc does.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "tokens.h"

extern int struct_in_hand; /* the token that names it; -1: none yet */
void rewrite_struct(int start, int open);
bool any_in_pieces(void);
bool moves_in_pieces(int name); /* is it one that nvcc moves in pieces of its alignment? */
/* A class with a destructor that does something, which says nothing of copies: each copy would be
 * destroyed, too. A function that returns its local variable must give that one itself. */
bool any_must_not_be_copied(void);
