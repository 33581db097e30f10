// SPDX-License-Identifier: MIT
// Forgets that it transfers twice in a clock.
//   rejected: values: peak_gb_per_s(1546000, 384), a Tesla M2050
size_t saxpy_bytes(size_t n) { return 3 * n * sizeof(float); }

size_t saxpy_flops(size_t n) { return 2 * n; }

double gb_per_s(size_t bytes, double ms) { return (double)bytes / 1e9 / (ms / 1e3); }

double peak_gb_per_s(int clock_khz, int width_bits) {
    return (clock_khz * 1e3) * (width_bits / 8.0) / 1e9;
}
