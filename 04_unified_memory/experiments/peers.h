// SPDX-License-Identifier: MIT
// Two GPUs of one machine, for programs that need both.
#ifndef PEERS_H
#define PEERS_H

#include "../../common/program.h"

static int gpu[2]; // the one of --device, and the next

// Says so in one line where there is no second GPU.
static inline int has_two_gpus(void) {
    int count;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    gpu[0] = (int)run.device_number;
    gpu[1] = (gpu[0] + 1) % count;
    if (count < 2)
        say("Skipped: this needs two devices, and here is one.");
    return count >= 2;
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
