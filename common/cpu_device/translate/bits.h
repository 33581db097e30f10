/*
 * bits.h: the bit-fields of structs. nvcc accesses the unit, of its declared type, in which a
 * bit-field lies; gcc some bytes of it. So a traced build tells the tracer of each use in device
 * code: `p->field = x;` becomes `cpu_bits_field::at(*p, 0, 1).field = x;`, a function
 * that hands p on (trace_bits.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BITS_H
#define BITS_H
#include "tokens.h"

void record_bits(int start, int open); /* of a class, from the walk */
void rewrite_bits(void);
#endif
