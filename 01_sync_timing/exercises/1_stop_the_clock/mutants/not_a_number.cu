// SPDX-License-Identifier: MIT
// NaN passes many a comparison.
//   rejected: values: nan
double time_work_ms(void) {
    launch_work();
    return 0.0 / 0.0;
}
