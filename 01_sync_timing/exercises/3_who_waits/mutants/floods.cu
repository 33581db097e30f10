// SPDX-License-Identifier: MIT
// Prints for ever.
//   rejected: output
void predict_waits(int *) {
    for (;;)
        puts("PASS");
}
