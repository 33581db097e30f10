// 3.1 Four figures, four mistakes
//
//     make check EX=3.1       make hint EX=3.1       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
// The bytes that y = a * x + y moves, for n floats: reads x, reads y, writes y.
size_t saxpy_bytes(size_t n) { return 3 * n * sizeof(float); }

// The floating-point operations of the same: a multiplication and an addition.
size_t saxpy_flops(size_t n) { return 2 * n; }

// Bytes in a time, as GB/s: 10^9 bytes, and seconds.
double gb_per_s(size_t bytes, double ms) { return (double)bytes / 1e9 / (ms / 1e3); }

// The theoretical peak of a memory with this clock and this width, in GB/s.
double peak_gb_per_s(int clock_khz, int width_bits) {
    return 2 * (clock_khz * 1e3) * (width_bits / 8.0) / 1e9; // in double: it is beyond an int
}
// ==== to here ====
