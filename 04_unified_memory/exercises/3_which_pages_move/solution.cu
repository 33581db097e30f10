// 4.3 Which pages move?
//
//     make check EX=4.3       make hint EX=4.3       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "given.h"

// ==== yours, from here ====
// Where pages move on demand, without prefetches or advice.
void predict_moved(struct moved bytes[STORIES]) {
    bytes[HOST_FILLS].to_device = 8, bytes[HOST_FILLS].to_host = 4;
    bytes[DEVICE_FILLS].to_device = 0, bytes[DEVICE_FILLS].to_host = 4;
    bytes[MANY_ADDS].to_device = 8, bytes[MANY_ADDS].to_host = 4;
    bytes[MANY_READS].to_device = 4 + 4 * TIMES, bytes[MANY_READS].to_host = 4 * TIMES;
    bytes[COPY].to_device = 4, bytes[COPY].to_host = 4;
}
// ==== to here ====
