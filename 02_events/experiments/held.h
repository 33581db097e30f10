// SPDX-License-Identifier: MIT
// Is a stream held by a gate? Asked by an event, which needs no time and has none.
#ifndef HELD_H
#define HELD_H

#include "../../common/experiment/gate.h"
#include "../../common/experiment/variants.h"

enum { PATIENCE = 20 }; // ms that work must not be done for, to be called held

static cudaEvent_t asked;
static volatile int *gate;

// Is all that is in the stream done? "Not ready" only after PATIENCE; where success is expected, it
// waits until the gate gives up.
static inline cudaError_t ask(cudaStream_t stream, cudaError_t expected) {
    double start = wall_ms();
    cudaError_t answer;
    CUDA_CHECK(cudaEventRecord(asked, stream));
    while ((answer = cudaEventQuery(asked)) == cudaErrorNotReady && !gate[GATE_GAVE_UP])
        if (expected == cudaErrorNotReady && wall_ms() - start > PATIENCE)
            break;
    (void)cudaGetLastError(); // a version may keep "not ready" as the last error
    return answer;
}

#endif
