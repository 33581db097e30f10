// SPDX-License-Identifier: MIT
// Two GPUs of one machine, for programs that need both.
#ifndef PEERS_H
#define PEERS_H

#include "../../common/experiment/variants.h"

static int gpu[2]; // the one of --device, and the next

// Where there is no second GPU the program says so, checks the kernels on the first, and ends.
static inline void need_two_gpus(const struct variant *variants, size_t count) {
    int devices;
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    gpu[0] = (int)run.device_number;
    gpu[1] = (gpu[0] + 1) % devices;
    if (devices >= 2)
        return;
    say("Skipped: this needs two devices, and here is one. On it the kernels are checked:");
    run.sizes[0] = 1, run.sizes[1] = run.size ? run.size : 10007, run.size_count = 2;
    check_sizes(variants, count);
}

// What is launched, allocated and recorded from now on is this one's.
static inline void use_gpu(int which) { CUDA_CHECK(cudaSetDevice(gpu[which])); }

// Can each of the two read and write the other's memory?
static inline int can_be_peers(void) {
    int can[2];
    for (int i = 0; i < 2; i++)
        CUDA_CHECK(cudaDeviceCanAccessPeer(&can[i], gpu[i], gpu[!i]));
    return can[0] && can[1];
}

#endif
