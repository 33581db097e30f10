// SPDX-License-Identifier: MIT
// Everything waits for everything.
//   rejected: prediction: free, s0 held: predicted 1
void predict_held(int held[SITUATIONS]) {
    for (int k = 0; k < SITUATIONS; k++)
        held[k] = 1;
}
