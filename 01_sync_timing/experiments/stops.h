// SPDX-License-Identifier: MIT
// Three places to stop a clock, and, where no time is taken, whether the kernel had ended there.
#ifndef STOPS_H
#define STOPS_H

#include "../../common/experiment/variants.h"

enum { LAUNCH_ONLY, SYNCHRONIZE, COPY, STOPS };
static const char *const stops[] = {"launch only", "launch + synchronize", "launch + 4-byte copy"};

// The call after the launch, if there is one.
static inline void stop_at(int stop, const struct arrays *x) {
    float last;
    if (stop == SYNCHRONIZE)
        CUDA_CHECK(cudaDeviceSynchronize());
    if (stop == COPY) // of one element: what takes time here is the wait, not the bytes
        CUDA_CHECK(cudaMemcpy(&last, x->d_out + x->n - 1, sizeof last, cudaMemcpyDeviceToHost));
}

// The device is kept waiting first, so that no kernel can end before its launch has returned.
static void CUDART_CB keep_waiting(void *) { usleep(10000); }

// 1 if the kernel had ended when the last call returned.
static inline int ended_before(const struct variant *variant, const struct arrays *x, int stop) {
    CUDA_CHECK(cudaLaunchHostFunc(0, keep_waiting, NULL));
    variant_launch(variant, x);
    stop_at(stop, x);
    int ended = cudaStreamQuery(0) == cudaSuccess;
    (void)cudaGetLastError(); // takes back the answer 600, "not ready"
    CUDA_CHECK(cudaDeviceSynchronize());
    return ended;
}

// A row for each place to stop; `ended` takes what they say.
static inline void order_variant(const struct variant *variant, size_t n, int *ended) {
    struct arrays x = arrays_create(n);
    int right = variant_try(variant, &x);
    for (int stop = 0; stop < STOPS; stop++) {
        struct row row = variant_row(variant, &x, right);
        ended[stop] = ended_before(variant, &x, stop);
        row.parameter = stops[stop];
        row.value = ended[stop];
        print_row(&row);
    }
    arrays_free(&x);
}

// What a device without times shows of the first `count` variants. Returns the exit code.
static inline int show_order(const struct variant *variants, int count, size_t n) {
    int ended[STOPS];
    for (int i = 0; i < count; i++)
        order_variant(&variants[i], n, ended);
    say("value: 1 if the kernel had ended when the last call returned.");
    if (!ended[LAUNCH_ONLY])
        finding_if(
            ended[SYNCHRONIZE] && ended[COPY], "returned_early", 1,
            "The launch returned before its kernel had ended; cudaDeviceSynchronize() and the "
            "copy returned after that.");
    else
        finding("returned_early", 0,
                "The launch returned after its kernel had ended: is CUDA_LAUNCH_BLOCKING set?");
    return run_end();
}

#endif
