// SPDX-License-Identifier: MIT
// Reads backwards instead: right, and no shared memory.
//   rejected: facts: requests to shared memory
enum { BLOCK = 256, PIECES = 4 };

__global__ void turn_round(float *out, const float *in) {
    size_t first = (size_t)blockIdx.x * BLOCK * PIECES;
    for (int k = 0; k < PIECES; k++, first += BLOCK)
        out[first + threadIdx.x] = in[first + BLOCK - 1 - threadIdx.x];
}

void turn_pieces_round(float *out, const float *in, size_t n) {
    if (n > 0)
        turn_round<<<(unsigned)(n / (BLOCK * PIECES)), BLOCK>>>(out, in);
}
