// SPDX-License-Identifier: MIT
// A case with the way back: from arrays that the host has just written to a result on the host, how
// long that takes, and how many bytes cross between the memories.
#ifndef ROUND_TRIP_H
#define ROUND_TRIP_H

#include "cases.h"
#include "page_counters.h"

// The result comes back to the host: by a copy, or one float of each page is read.
static inline void bring_back(int number, struct array y, size_t n) {
    const volatile float *page = y.host;
    if (is_copied(number))
        CUDA_CHECK(cudaMemcpy(y.host, y.device, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n && !is_copied(number); i += 1024)
        (void)page[i];
}

// Milliseconds on the host's clock, from arrays that the host has just written to the result on the
// host, with so many adds in between.
static inline double run_way(const struct bench *b, int number, size_t adds, size_t *errors) {
    enum memory memory = cases[number].memory;
    struct array x = array_create(memory, b->n), y = array_create(memory, b->n);
    prepare_case(b, number, x.host, y.host);
    double ms = -wall_ms();
    before_add(number, x, y, b->n);
    for (size_t i = 0; i < adds; i++)
        add<<<blocks(b->n, BLOCK), BLOCK>>>(y.device, x.device, b->n);
    CUDA_CHECK(cudaGetLastError());
    bring_back(number, y, b->n);
    ms += wall_ms();
    *errors += count_wrong(b, number, y.host, adds);
    array_free(memory, x);
    array_free(memory, y);
    return ms;
}

// The bytes that crossed from memory to memory in a way that ran between counters_start() and here:
// pages by the CPU device's model, copies, or what each add reads and writes where it is.
static inline size_t count_way(const struct bench *b, int number, size_t adds) {
    const size_t arrays = 3 * b->n * sizeof(float);
    const struct counters counters = counters_stop();
    if (cases[number].memory == MANAGED)
        return counters.traffic[TO_THE_DEVICE].bytes + counters.traffic[TO_THE_HOST].bytes;
    return is_copied(number) ? arrays : adds * arrays;
}

#endif
