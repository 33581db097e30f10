// Structs that functions take and return by value, and functions of the mathematical
// library that store where a pointer leads: none of these hides an access.
//
// 2 blocks of 64 threads, 4 warps. A field of 4 bytes in every 16 touches 16 sectors, in every 36
// 32.
// EXPECT step_each: 16 256 16 256
// EXPECT turn_each: 36 1152 36 1152
// EXPECT by_operator: 24 288 12 144
// EXPECT parts, parts_of_std, exponents, waves: 4 16 8 32
// EXPECT lengths: 16 256 4 16
// SPDX-License-Identifier: MIT
#include "check.h"
#include <cmath>

struct particle {
    float x, y, z, m;
};
struct record { // too large for registers
    float f[9];
};
struct triple {
    float x, y, z;
};

__device__ __noinline__ particle step(particle p, float dt) {
    p.x += dt * p.m, p.y += dt * p.m, p.z += dt * p.m;
    return p;
}
EACH(step_each, (particle out[], const particle *in), out[i] = step(in[i], 2));

__device__ __noinline__ record turn(record r) {
    float first = r.f[0];
    for (int i = 0; i < 8; i++)
        r.f[i] = r.f[i + 1];
    r.f[8] = first;
    return r;
}
EACH(turn_each, (record out[], const record *in), out[i] = turn(in[i]));

__device__ __noinline__ triple operator+(triple a, triple b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
EACH(by_operator, (triple out[], const triple *in), out[i] = in[i] + in[i + N]);
EACH(parts, (float *whole, float *fraction, const float *in),
     fraction[i] = modff(in[i], &whole[i]));
EACH(parts_of_std, (float *whole, float *fraction, const float *in),
     fraction[i] = std::modf(in[i], &whole[i]));
EACH(exponents, (int *exponent, float *fraction, const float *in),
     fraction[i] = frexpf(in[i], &exponent[i]));
EACH(waves, (float *sine, float *cosine, const float *in), sincospif(in[i], &sine[i], &cosine[i]));
EACH(lengths, (float *out, const float *in), out[i] = normf(4, &in[4 * i]));

// Of four neighbors, as normf may round otherwise.
static double length(unsigned i) {
    double sum = 0;
    for (unsigned k = 4 * i; k < 4 * i + 4; k++)
        sum += (double)element(k) * element(k);
    return sqrt(sum);
}

int main(void) {
    begin();
    float *in = input<float>(9 * N), *out = output<float>(9 * N);

    RUN(step_each, (particle *)out, (const particle *)in);
    RUN(turn_each, (record *)out, (const record *)in);
    RUN(by_operator, (triple *)out, (const triple *)in);
    RUN(parts, out, out + N, in);
    RUN(parts_of_std, out, out + N, in);
    RUN(exponents, (int *)out + N, out, in);
    RUN(waves, out, out + N, in);
    check_digest(0xdb06fc1fu);
    lengths<<<BLOCKS, THREADS>>>(out, in);
    CHECK("lengths", out, N, fabs(h_[i] / length(i) - 1) < 1e-6 ? h_[i] : -1);
    return end();
}
