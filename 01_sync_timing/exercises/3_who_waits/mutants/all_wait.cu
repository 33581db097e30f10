// SPDX-License-Identifier: MIT
// Whoever predicts that everything waits is wrong, too.
//   rejected: prediction: another launch: predicted 1, not so
void predict_waits(int waits[CALLS]) {
    for (int call = 0; call < CALLS; call++)
        waits[call] = 1;
}
