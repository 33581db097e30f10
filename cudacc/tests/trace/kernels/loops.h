// A function's body with a loop, for what must not be taken for a kernel without loops.
//
// SPDX-License-Identifier: MIT
#include "names.h"

#define ZIGZAG(in, i, shift)                                                                       \
    int sum = 0;                                                                                   \
    for (int k = 0; k < 4; k++)                                                                    \
        if ((i + k) % 2)                                                                           \
            sum += 3 * in[(i ^ k) + shift];                                                        \
        else                                                                                       \
            sum ^= in[sum];                                                                        \
    return sum
