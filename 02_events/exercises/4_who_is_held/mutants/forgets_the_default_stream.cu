// SPDX-License-Identifier: MIT
// A kernel in the default stream between two others does matter.
//   rejected: prediction: s1, s0 held, default stream between: predicted 0
void predict_held(int held[SITUATIONS]) {
    held[ZERO_BEHIND_S0] = 1;
    held[ZERO_BETWEEN] = 0;
    held[FREE_BESIDE_S0] = 0;
    held[FREE_BEHIND_ZERO] = 0;
    held[ZERO_BEHIND_FREE] = 0;
    held[S1_BEHIND_ZERO] = 1;
    held[EVENT_BEHIND_KERNEL] = 1;
    held[EVENT_BEFORE_KERNEL] = 0;
    held[EVENT_NEVER_RECORDED] = 0;
}
