// SPDX-License-Identifier: MIT
// There are only 32 lanes.
//   rejected: prediction: every_tenth: predicted 40, not so
void predict_sectors(double sectors[KERNELS]) {
    sectors[PLAIN] = 4;
    sectors[ONE_ON] = 5;
    sectors[BACKWARDS] = 4;
    sectors[EVERY_SECOND] = 8;
    sectors[EVERY_TENTH] = 40;
    sectors[ALL_THE_SAME] = 1;
    sectors[TWO_BY_TWO] = 2;
    sectors[DOUBLES] = 8;
    sectors[ONE_FIELD] = 12;
    sectors[LOWER_HALF] = 2;
}
