// SPDX-License-Identifier: MIT
// Forgets the index.
//   rejected: prediction: gather: predicted 8, not so
void predict_bytes(double bytes[KERNELS]) {
    bytes[COPY] = 8;
    bytes[SAXPY] = 12;
    bytes[SCALE] = 8;
    bytes[ADD_DOUBLES] = 24;
    bytes[GATHER] = 8;
    bytes[THRESHOLD] = 2;
    bytes[CLEAR_EVEN] = 2;
}
