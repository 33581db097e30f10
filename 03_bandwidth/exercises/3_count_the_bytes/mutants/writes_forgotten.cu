// SPDX-License-Identifier: MIT
// Counts what SAXPY reads, and forgets that it writes.
//   rejected: prediction: saxpy: predicted 8, not so
void predict_bytes(double bytes[KERNELS]) {
    bytes[COPY] = 8;
    bytes[SAXPY] = 8;
    bytes[SCALE] = 8;
    bytes[ADD_DOUBLES] = 24;
    bytes[GATHER] = 12;
    bytes[THRESHOLD] = 2;
    bytes[CLEAR_EVEN] = 2;
}
