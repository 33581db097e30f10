// SPDX-License-Identifier: MIT
// Counts threads that do nothing.
//   rejected: prediction: clear_even: predicted 4, not so
void predict_bytes(double bytes[KERNELS]) {
    bytes[COPY] = 8;
    bytes[SAXPY] = 12;
    bytes[SCALE] = 8;
    bytes[ADD_DOUBLES] = 24;
    bytes[GATHER] = 12;
    bytes[THRESHOLD] = 2;
    bytes[CLEAR_EVEN] = 4;
}
