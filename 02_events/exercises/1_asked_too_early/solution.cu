// 2.1 Asked too early
//
//     make check EX=2.1       make hint EX=2.1       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
// The milliseconds between two events; -1 where there is no such time.
float ms_between(cudaEvent_t start, cudaEvent_t stop) {
    float ms = 0;
    if (cudaEventSynchronize(stop) == cudaSuccess &&
        cudaEventElapsedTime(&ms, start, stop) == cudaSuccess)
        return ms;
    (void)cudaGetLastError(); // it has been answered
    return -1;
}
// ==== to here ====
