// 3.1 Four figures, four mistakes
//
//     make check EX=3.1       make hint EX=3.1       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
// The bytes that y = a * x + y moves, for n floats.
size_t saxpy_bytes(size_t n) { return 2 * n * sizeof(float); }

// The floating-point operations of the same.
size_t saxpy_flops(size_t n) { return n; }

// Bytes in a time, as GB/s.
double gb_per_s(size_t bytes, double ms) { return (double)bytes / (1 << 30) / ms; }

// The theoretical peak of a memory with this clock and this width, in GB/s.
double peak_gb_per_s(int clock_khz, int width_bits) {
    return 2 * clock_khz * 1000 * width_bits / 1e9;
}
// ==== to here ====
