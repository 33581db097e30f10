// SPDX-License-Identifier: MIT
// The clock in Hz is beyond an int.
//   rejected: values: peak_gb_per_s(
size_t saxpy_bytes(size_t n) { return 3 * n * sizeof(float); }

size_t saxpy_flops(size_t n) { return 2 * n; }

double gb_per_s(size_t bytes, double ms) { return (double)bytes / 1e9 / (ms / 1e3); }

double peak_gb_per_s(int clock_khz, int width_bits) {
    return 2 * (clock_khz * 1000) * (width_bits / 8.0) / 1e9;
}
