// SPDX-License-Identifier: MIT
// A number that is no answer.
//   rejected: prediction: default stream, s0 held: predicted 7
void predict_held(int held[SITUATIONS]) {
    held[ZERO_BEHIND_S0] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[ZERO_BETWEEN] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[FREE_BESIDE_S0] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[FREE_BEHIND_ZERO] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[ZERO_BEHIND_FREE] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[S1_BEHIND_ZERO] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[EVENT_BEHIND_KERNEL] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[EVENT_BEFORE_KERNEL] = 0.0f / 0.0f > 0 ? 2 : 7;
    held[EVENT_NEVER_RECORDED] = 0.0f / 0.0f > 0 ? 2 : 7;
}
