// SPDX-License-Identifier: MIT
// Never comes back.
//   rejected: time
void predict_held(int held[SITUATIONS]) {
    for (volatile int k = 0;; k = k + 1)
        held[k % SITUATIONS] = 0;
}
