// SPDX-License-Identifier: MIT
// Waits for a clock that the device moves, in a loop that never asks the device.
//   rejected: time
double time_work_ms(void) {
    double start = now_ms();
    launch_work();
    while (now_ms() == start)
        ;
    return now_ms() - start;
}
