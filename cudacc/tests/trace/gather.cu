// Addresses that come from memory, and addresses that lanes share.
//
// 2 blocks of 64 threads, 4 warps. One address for all lanes is one sector.
// EXPECT everybody: 4 4 4 16
// EXPECT one_word: 0 0 4 4
//
// in[17 i % 128]: 32 lanes 17 floats apart, wrapping at 512 bytes, that are 16 sectors.
// EXPECT scatter: 8 32 4 64
// EXPECT gather_twice: 12 144 4 16
// EXPECT table: 8 20 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

__global__ void everybody(float *out, const float *in) { out[thread_number()] = in[5]; }

// One lane of each warp writes, all to one sector.
__global__ void one_word(float *out, float value) {
    if (threadIdx.x % 32 == 5)
        out[thread_number() / 32] = value;
}

EACH(scatter, (float *out, const float *in, const unsigned *index), out[index[i]] = in[i]);
EACH(gather_twice, (float *out, const float *in, const unsigned *index),
     out[i] = in[index[index[i]]]);

// A table of bytes, 32 of them.
EACH(table, (unsigned *out, const unsigned char *bytes, const unsigned *index),
     out[i] = bytes[index[i] % 32]);

// Through an array of pointers.
EACH(through_pointers, (float *out, float *const *rows, unsigned width),
     out[i] = rows[i / width][i % width]);

int main(void) {
    begin();
    unsigned h_index[N];
    float *in = input<float>(N), *out = output<float>(N), *h_rows[8];
    unsigned *out_int = output<unsigned>(N);
    unsigned char *bytes = input<unsigned char>(32);
    for (unsigned i = 0; i < N; i++)
        h_index[i] = 17 * i % N;
    for (int i = 0; i < 8; i++)
        h_rows[i] = in + 16 * (7 - i);
    unsigned *index = copy_of(h_index, N);
    float **rows = copy_of(h_rows, 8);

    RUN(everybody, out, in);
    RUN(one_word, out, 7.0f);
    RUN(scatter, out, in, index);
    RUN(gather_twice, out, in, index);
    RUN(table, out_int, bytes, index);
    RUN(through_pointers, out, rows, 16);
    check_digest(0xfba7fdeeu);
    return end();
}
