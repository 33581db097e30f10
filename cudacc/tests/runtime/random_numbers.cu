// SPDX-License-Identifier: MIT
// Random numbers in kernels: those that cuRAND gives, for some seeds, subsequences and offsets.
#include <curand_kernel.h>
#include "../lib/kernel_checks.h"
#include <math.h>

// Two integers; then a float and a double, as bits; at these places of the sequence.
struct expected {
    unsigned long long seed, subsequence, offset;
    unsigned first, second, uniform;
    unsigned long long uniform_double;
};

template <class State> __device__ static void check_sequence(const struct expected &e) {
    State s;
    curand_init(hide(e.seed), e.subsequence, e.offset, &s);
    CHECK(curand(&s) == e.first && curand(&s) == e.second);
    CHECK(__float_as_uint(curand_uniform(&s)) == e.uniform);
    CHECK((unsigned long long)__double_as_longlong(curand_uniform_double(&s)) == e.uniform_double);
    // to the same place by another way
    State other;
    curand_init(e.seed, 0, 0, &other);
    skipahead_sequence(e.subsequence, &other);
    skipahead(e.offset / 2, &other);
    skipahead(e.offset - e.offset / 2, &other);
    CHECK(curand(&other) == e.first && curand(&other) == e.second);
}

__device__ static bool near(double a, double b) { return fabs(a - b) < 5e-6; }

// ---- XORWOW and Philox ----

KERNEL(xorwow, 1, 1) {
    const struct expected table[] = {
        {0u, 0u, 0u, 0xbd7f03b6u, 0x703e556du, 0x3f045af1u, 0x3fb245255e833fecu},
        {1234u, 77u, 3u, 0x146e59fau, 0xedd17193u, 0x3f752793u, 0x3fea8cf049e7c5b4u},
        {81985529216486895u, 1099511627776u, 1000003u, 0xdc59976du, 0x9f860abau, 0x3e853dcfu,
         0x3fe24b00d1741cd8u},
        {1u, 1000u, 8589934592u, 0xd7e24ae4u, 0x0608a048u, 0x3d1da873u, 0x3fe4889789464902u},
    };
    for (const struct expected &e : table)
        check_sequence<curandStateXORWOW_t>(e);
}

KERNEL(philox, 1, 1) {
    const struct expected table[] = {
        {0u, 0u, 0u, 0x6627e8d5u, 0xe169c58du, 0x3f3c57acu, 0x3fe3601b7b200000u},
        {1234u, 77u, 3u, 0x0acf6c9au, 0x39de6153u, 0x3e909260u, 0x3fc79be887000000u},
        {81985529216486895u, 1099511627776u, 1000003u, 0x6e2592c3u, 0x44e028c2u, 0x3f7fe6b4u,
         0x3fe846d4bde00000u},
        {1u, 1000u, 8589934592u, 0x11a0ababu, 0x976d2497u, 0x3f1667c8u, 0x3fe00f4969800000u},
    };
    for (const struct expected &e : table)
        check_sequence<curandStatePhilox4_32_10_t>(e);
    curandStatePhilox4_32_10_t s;
    curand_init(99, 3, 5, &s);
    uint4 i = curand4(&s);
    CHECK(i.x == 0x9fdd9d89u && i.y == 0xc41ce4fbu && i.z == 0x179acd6eu && i.w == 0xf9428c9bu);
    float4 f = curand_uniform4(&s);
    CHECK(__float_as_uint(f.x) == 0x3f3f4757u && __float_as_uint(f.w) == 0x3df67768u);
    f = curand_normal4(&s);
    CHECK(near(f.x, 0.899940f) && near(f.y, -2.295832f));
    CHECK(near(f.z, -0.408417f) && near(f.w, -1.836809f));
}

KERNEL(normal, 1, 1) {
    curandState s;
    curand_init(1234, 5, 0, &s);
    CHECK(near(curand_normal(&s), -0.004148f) && near(curand_normal(&s), -0.529958f));
    CHECK(near(curand_normal(&s), 1.199608f)); // its pair stays
    CHECK(near(curand_normal_double(&s), -0.945035209));
    CHECK(near(curand_normal_double(&s), 0.181984777));
    float2 p = curand_normal2(&s);
    double2 q = curand_normal2_double(&s);
    CHECK(near(p.x, 0.331306f) && near(p.y, 0.476313f) && near(q.x, 1.361360726) &&
          near(q.y, 1.343335014));
    CHECK(near(curand_log_normal(&s, 0.5f, 0.25f), 2.077189f));
    CHECK(near(curand_log_normal_double(&s, 0.5, 0.25), 2.124207350) && curand(&s) == 0x1f595ee7u);
}

int main(void) { return run_tests(); }
