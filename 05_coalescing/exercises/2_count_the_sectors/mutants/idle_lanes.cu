// SPDX-License-Identifier: MIT
// Lanes that read nothing touch nothing.
//   rejected: prediction: lower_half: predicted 4, not so
void predict_sectors(double sectors[KERNELS]) {
    sectors[PLAIN] = 4;
    sectors[ONE_ON] = 5;
    sectors[BACKWARDS] = 4;
    sectors[EVERY_SECOND] = 8;
    sectors[EVERY_TENTH] = 32;
    sectors[ALL_THE_SAME] = 1;
    sectors[TWO_BY_TWO] = 2;
    sectors[DOUBLES] = 8;
    sectors[ONE_FIELD] = 12;
    sectors[LOWER_HALF] = 4;
}
