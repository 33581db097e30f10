/*
 * random.c: XORWOW's generator (curand_kernel.h) many steps on. One step is a linear map of its 160
 * bits, so 2^k steps are that map squared k times.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#include <string.h>

enum { WORDS = 5, BITS = 32 * WORDS, SEQUENCE = 67, POWERS = SEQUENCE + 64 };
struct state {
    unsigned word[WORDS];
};
/* What becomes of each bit after 2^k steps. */
static struct state power[POWERS][BITS];
static pthread_once_t powers_made = PTHREAD_ONCE_INIT;

static struct state step(struct state s) {
    unsigned t = s.word[0] ^ s.word[0] >> 2, last = s.word[WORDS - 1];
    memmove(s.word, s.word + 1, (WORDS - 1) * sizeof *s.word);
    s.word[WORDS - 1] = last ^ last << 4 ^ t ^ t << 1;
    return s;
}

static struct state apply(const struct state map[BITS], struct state s) {
    struct state sum = {{0}};
    for (int i = 0; i < BITS; i++)
        if (s.word[i / 32] >> i % 32 & 1)
            for (int k = 0; k < WORDS; k++)
                sum.word[k] ^= map[i].word[k];
    return sum;
}

static void make_powers(void) {
    for (int i = 0; i < BITS; i++) {
        struct state bit = {{0}};
        bit.word[i / 32] = 1u << i % 32;
        power[0][i] = step(bit);
    }
    for (int k = 1; k < POWERS; k++)
        for (int i = 0; i < BITS; i++)
            power[k][i] = apply(power[k - 1], power[k - 1][i]);
}

EXPORTED void cpu_device_xorwow_skip(unsigned words[5], unsigned long long count, int sequences) {
    struct state s;
    if (!count)
        return;
    pthread_once(&powers_made, make_powers);
    memcpy(s.word, words, sizeof s.word);
    for (int k = sequences ? SEQUENCE : 0; count; count >>= 1, k++)
        if (count & 1)
            s = apply(power[k], s);
    memcpy(words, s.word, sizeof s.word);
}
