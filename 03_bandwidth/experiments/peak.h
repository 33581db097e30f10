// SPDX-License-Identifier: MIT
// The arithmetic's peak beside the memory's. CUDA does not report it: it comes from how many
// multiply-adds a multiprocessor begins in a clock, by compute capability (CUDA C++ Programming
// Guide, throughput of native arithmetic instructions), times what the attributes say. Of 10.3
// NVIDIA says how many floats (128: "Inside NVIDIA Blackwell Ultra"), not how many doubles: 0 is
// unknown. Integrated devices (8.7, 11.0, 12.1) are left out: the peak of their memory, which a
// balance needs, is unknown (measure.h).
#ifndef PEAK_H
#define PEAK_H

#include "../../common/experiment/measure.h"

static const struct {
    int capability;
    unsigned floats, doubles;
} multiply_adds[] = {{60, 64, 32},   {61, 128, 4},  {70, 64, 32}, {75, 64, 2},
                     {80, 64, 32},   {86, 128, 2},  {89, 128, 2}, {90, 128, 64},
                     {100, 128, 64}, {103, 128, 0}, {120, 128, 2}};

// A row for "float" or "double": both peaks, and their balance in flop/byte. Prints them, with the
// formula; value is 0, and nothing printed, where one of them is unknown.
static inline struct row print_peaks(const char *type) {
    const struct cudaDeviceProp *device = &run.device;
    char formula[128];
    unsigned each = 0;
    int khz;
    struct row row = row_of(strcmp(type, "float") ? "double, peak" : "float, peak");
    row.dtype = type, row.parameter = "flop/byte", row.value = 0;
    row.gb_per_s = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    CUDA_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, (int)run.device_number));
    for (size_t i = 0; i < sizeof multiply_adds / sizeof multiply_adds[0]; i++)
        if (multiply_adds[i].capability == 10 * device->major + device->minor)
            each = strcmp(type, "float") ? multiply_adds[i].doubles : multiply_adds[i].floats;
    row.gflop_per_s = 2.0 * each * device->multiProcessorCount * khz * 1e-6;
    if (row.gb_per_s > 0 && row.gflop_per_s > 0) {
        say("Peak of %s: 2 x %u multiply-adds x %d multiprocessors x %d MHz = %.1f GFLOP/s", type,
            each, device->multiProcessorCount, khz / 1000, row.gflop_per_s);
        row.value = round(1e3 * row.gflop_per_s / row.gb_per_s) / 1e3;
        print_row(&row);
    } else {
        say("Peak of %s: unknown for %s", type, device->name);
    }
    return row;
}

#endif
