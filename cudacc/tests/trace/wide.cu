// Shared memory in accesses of 8 and 16 bytes: how many passes does a warp need when lanes want the
// same words, or some want none?
//
// One warp. The k-th launch of a kernel is of pattern k: lane i loads or stores element place(k, i)
// of 64, or none.
//
// 8 bytes take two halves of the warp in turn, 16 bytes four quarters. A load takes twice as many
// lanes at a time where all lanes i and i ^ 1, or all i and i ^ 2, want the same or one of the two
// wants nothing. One lane that does not fit, anywhere (18, 19), or a rule for each half of the warp
// (23) spoils it. A store never does so.
// EXPECT_SHARED gather8 k=0..9: (2,1,1,1,2,2,1,1,1,2)[k] 4
// EXPECT_SHARED gather16 k=0..9: (4,2,2,2,4,4,2,2,2,4)[k] 8
// EXPECT_SHARED scatter8 k=0..3: 4 4+(2,2,4,2)[k]
// EXPECT_SHARED scatter16 k=0..3: 8 8+(4,4,8,4)[k]
// SPDX-License-Identifier: MIT
#include "check.h"

enum { LANES = 32, PLACES = 64, GATHERS = 40, SCATTERS = 20 };
static const unsigned NONE = 255;

struct pattern {
    unsigned char place[LANES];
};

template <typename T>
__device__ static void gather(T *out, const float *in, const struct pattern &p) {
    __shared__ __align__(16) float words[PLACES * sizeof(T) / sizeof(float)];
    unsigned lane = threadIdx.x;
    for (unsigned k = 0; k < sizeof words / sizeof *words; k += LANES)
        words[k + lane] = in[k + lane];
    __syncthreads();
    if (p.place[lane] != NONE)
        out[lane] = ((const T *)words)[p.place[lane]];
}

template <typename T>
__device__ static void scatter(float *out, const T *in, const struct pattern &p) {
    __shared__ __align__(16) float words[PLACES * sizeof(T) / sizeof(float)];
    unsigned lane = threadIdx.x;
    for (unsigned k = 0; k < sizeof words / sizeof *words; k += LANES)
        words[k + lane] = 0;
    __syncthreads();
    if (p.place[lane] != NONE)
        ((T *)words)[p.place[lane]] = in[lane];
    __syncthreads();
    for (unsigned k = 0; k < sizeof words / sizeof *words; k += LANES)
        out[k + lane] = words[k + lane];
}

__global__ void gather8(float2 *out, const float *in, struct pattern p) { gather(out, in, p); }
__global__ void gather16(float4 *out, const float *in, struct pattern p) { gather(out, in, p); }
__global__ void scatter8(float *out, const float2 *in, struct pattern p) { scatter(out, in, p); }
__global__ void scatter16(float *out, const float4 *in, struct pattern p) { scatter(out, in, p); }

static unsigned hash(unsigned a, unsigned b) {
    unsigned h = a * 2654435761u + b * 40503u + 12345u;
    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ h >> 13;
}

typedef unsigned (*place_of_lane)(unsigned i);
static const place_of_lane regular_gathers[] = {
    [](unsigned i) { return i; },
    [](unsigned) { return 7u; },
    [](unsigned i) { return i / 2; },
    [](unsigned i) { return i / 4; },
    [](unsigned i) { return i % 16; },
    [](unsigned i) { return i % 8; },
    [](unsigned i) { return i / 16; },
    [](unsigned i) { return i % 2; },
    [](unsigned i) { return i / 8; },
    [](unsigned i) { return i % 4; },
    [](unsigned i) { return i ^ 1; },
    [](unsigned i) { return i % 2 | i / 4 * 2; },  // lanes i and i ^ 2 join
    [](unsigned i) { return i % 4 | i / 8 * 4; },  // i and i ^ 4
    [](unsigned i) { return i % 8 | i / 16 * 8; }, // i and i ^ 8
    [](unsigned i) { return i % 2 ? NONE : i; },
    [](unsigned i) { return i % 2 ? i : NONE; },
    [](unsigned i) { return i < 16 ? i : NONE; },
    [](unsigned i) { return i % 4 < 2 ? i : NONE; },
    // 18 and 19: one lane does not fit
    [](unsigned i) { return i == 5 ? 40 : i / 2; },
    [](unsigned i) { return i == 21 ? 40 : i % 2 | i / 4 * 2; },
    [](unsigned i) { return i / 2 * 4; },
    [](unsigned i) { return i / 2 + (i < 16 ? 0 : 8); },
    [](unsigned i) { return i % 16 * 4; },
    // 23: each half by a rule of its own
    [](unsigned i) { return i < 16 ? i / 2 : 20 + i % 2 + i / 4 * 2; },
    [](unsigned i) { return i % 8 < 4 ? i / 2 : i % 2 | i / 4 * 2; },
    [](unsigned i) { return i == 3 ? 9 : NONE; },
    [](unsigned i) { return i * 2; },
};

// The first ones are regular; of the others, each has its random places, equal in the lanes that a
// rule joins, and some have idle lanes.
static unsigned gather_place(unsigned k, unsigned i) {
    unsigned joined = k % 4 == 0 ? i : k % 4 == 1 ? i | 1 : k % 4 == 2 ? i | 2 : i | 16;
    unsigned idle = hash(k, i + 100) % 3 == 0;
    if (k < sizeof regular_gathers / sizeof *regular_gathers)
        return regular_gathers[k](i);
    return k >= 34 && idle ? NONE : hash(k, joined) % PLACES;
}

// Never two lanes at one place.
static const place_of_lane regular_scatters[] = {
    [](unsigned i) { return i; },
    [](unsigned i) { return 31 - i; },
    [](unsigned i) { return 2 * i; },
    [](unsigned i) { return i % 2 ? NONE : i; },
    [](unsigned i) { return i % 2 ? i : NONE; },
    [](unsigned i) { return i % 4 < 2 ? i : NONE; },
    [](unsigned i) { return i % 8 < 4 ? i : NONE; },
    [](unsigned i) { return i < 16 ? i : NONE; },
    [](unsigned i) { return i % 2 ? NONE : i / 2; },
    [](unsigned i) { return i % 4 < 2 ? i % 2 + i / 4 * 2 : NONE; },
    [](unsigned i) { return i == 3 ? 9 : NONE; },
    [](unsigned i) { return i % 4 ? NONE : i; },
    [](unsigned i) { return i * 5 % 32; },
    [](unsigned i) { return i * 13 % 64; },
    [](unsigned i) { return hash(14, i | 1) % 2 == i % 2 ? i : NONE; }, // one of each two
    [](unsigned i) { return hash(15, i | 2) % 2 == i / 2 % 2 ? i : NONE; },
};

static unsigned scatter_place(unsigned k, unsigned i) {
    unsigned idle = hash(k, i + 100) % 2;
    if (k < sizeof regular_scatters / sizeof *regular_scatters)
        return regular_scatters[k](i);
    return idle ? NONE : i * (2 * k + 1) % 64;
}

template <typename Kernel, typename Out, typename In>
static void launches(unsigned count, unsigned (*place)(unsigned, unsigned), Kernel kernel, Out *out,
                     const In *in) {
    for (unsigned k = 0; k < count; k++) {
        struct pattern p;
        for (unsigned i = 0; i < LANES; i++)
            p.place[i] = (unsigned char)place(k, i);
        RUN_AS(kernel, 1, LANES, 0, out, in, p);
    }
}

int main(void) {
    begin();
    float *in = input<float>(PLACES * 4), *out = output<float>(PLACES * 4);
    launches(GATHERS, gather_place, gather8, (float2 *)out, in);
    launches(GATHERS, gather_place, gather16, (float4 *)out, in);
    launches(SCATTERS, scatter_place, scatter8, out, (const float2 *)in);
    launches(SCATTERS, scatter_place, scatter16, out, (const float4 *)in);
    check_digest(0x18b094beu);
    return end();
}
