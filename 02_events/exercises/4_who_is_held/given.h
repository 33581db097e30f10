// SPDX-License-Identifier: MIT
// What the exercise gives you: streams, and what is queued in which order.
#include "../../../common/common.h"

// In each situation a kernel that never seems to end is queued first. The last kernel named is the
// one in question: is it held until the first one ends?
//
//     s0, s1   created with cudaStreamCreate
//     free     created with cudaStreamCreateWithFlags(..., cudaStreamNonBlocking)
//     0        the default stream, in a program built without --default-stream
enum situation {
    ZERO_AFTER_S0,        // s0: endless kernel.  0: kernel
    ZERO_BETWEEN,         // s0: endless kernel.  0: a kernel.  s1: kernel
    FREE_BESIDE_S0,       // s0: endless kernel.  free: kernel
    FREE_AFTER_ZERO,      // 0: endless kernel.  free: kernel
    ZERO_AFTER_FREE,      // free: endless kernel.  0: kernel
    S1_AFTER_ZERO,        // 0: endless kernel.  s1: kernel
    EVENT_AFTER_KERNEL,   // s0: endless kernel, then an event.  s1: waits for the event, kernel
    EVENT_BEFORE_KERNEL,  // s0: an event, then endless kernel.  s1: waits for the event, kernel
    EVENT_NEVER_RECORDED, // s0: endless kernel.  s1: waits for an event never recorded, kernel
    SITUATIONS
};

enum { UNKNOWN = -1 };
