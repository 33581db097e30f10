// SPDX-License-Identifier: MIT
// Copies between host and device: from memory of two kinds, in two directions, by two calls.
#ifndef COPIES_H
#define COPIES_H

#include "../../common/experiment/measure.h"

// A form of copy is a sum of these; 0 is a cudaMemcpy from pageable memory to the device.
enum { TO_HOST = 1, PINNED = 2, ASYNC = 4, FORMS = 8 };
static const char *const form_names[FORMS] = {
    "pageable to device",      "pageable to host",          "pinned to device",
    "pinned to host",          "pageable to device, Async", "pageable to host, Async",
    "pinned to device, Async", "pinned to host, Async"};

// Host memory for n floats, the same until another n is asked for; n = 0 frees it. A page gets its
// memory when it is touched first, which takes longer than a copy: check_forms() does it before.
static inline float *host_buffer(int form, size_t n) {
    static float *h[2];
    static size_t size[2];
    int pinned = (form & PINNED) != 0;
    if (n == size[pinned])
        return h[pinned];
    if (pinned)
        CUDA_CHECK(cudaFreeHost(h[pinned]));
    else
        free(h[pinned]);
    h[pinned] = NULL;
    size[pinned] = n;
    if (n && !pinned)
        h[pinned] = (float *)host_malloc(n * sizeof(float));
    else if (n && cudaMallocHost((void **)&h[pinned], n * sizeof(float)) != cudaSuccess)
        out_of_memory("out of pinned memory: %zu bytes asked; try a smaller --size\n", 4 * n);
    return h[pinned];
}

// Between the host buffer of that form and d, in the default stream.
static inline void copy(int form, float *d, size_t n) {
    float *h = host_buffer(form, n), *to = form & TO_HOST ? h : d, *from = form & TO_HOST ? d : h;
    enum cudaMemcpyKind way = form & TO_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (form & ASYNC)
        CUDA_CHECK(cudaMemcpyAsync(to, from, n * sizeof(float), way, 0));
    else
        CUDA_CHECK(cudaMemcpy(to, from, n * sizeof(float), way));
}

// There and back again: from a to the host, from the host to out.
static inline void launch_round_trip(const struct arrays *x, unsigned, size_t form) {
    copy((int)form | TO_HOST, x->d_a, x->n);
    copy((int)form, x->d_out, x->n);
}

// Forms 2v and 2v + 1 are variant v. A transfer counts once: 4 bytes for an element each way.
static const struct variant round_trips[FORMS / 2] = {
    {"pageable", launch_round_trip, copy_reference, 0, 0, 8, 0, 0, "the CPU copies, too"},
    {"pinned", launch_round_trip, copy_reference, 0, PINNED, 8, 0, 0, "what the link carries"},
    {"pageable, Async", launch_round_trip, copy_reference, 0, ASYNC, 8, 0, 0, "as without"},
    {"pinned, Async", launch_round_trip, copy_reference, 0, PINNED | ASYNC, 8, 0, 0, "queued"},
};

// Each of the first `forms` once: compared are all bytes that came out, and all that went in again.
// Clears right[form] where one is wrong.
static inline void check_forms(struct arrays *x, int *right, int forms) {
    float *h_a = (float *)host_malloc(x->n * sizeof(float));
    x->same_for_all = 1;
    fill_floats(h_a, x->n, 1);
    for (int form = 0; form < forms; form += 2) {
        float *h = host_buffer(form, x->n);
        memset(h, POISON_BYTE, x->n * sizeof(float));
        right[form] &= variant_try(&round_trips[form / 2], x);
        right[form + 1] &= !count_mismatches(h_a, h, x->n, sizeof(float), form_names[form + 1]);
    }
    free(h_a);
}

#endif
