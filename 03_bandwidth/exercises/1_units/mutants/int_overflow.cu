// SPDX-License-Identifier: MIT
// An unsigned int holds 2^32 bytes.
//   rejected: values: saxpy_bytes(12884901888)
size_t saxpy_bytes(size_t n) { return 12u * (unsigned)n; }

size_t saxpy_flops(size_t n) { return 2 * n; }

double gb_per_s(size_t bytes, double ms) { return (double)bytes / 1e9 / (ms / 1e3); }

double peak_gb_per_s(int clock_khz, int width_bits) {
    return 2 * (clock_khz * 1e3) * (width_bits / 8.0) / 1e9;
}
