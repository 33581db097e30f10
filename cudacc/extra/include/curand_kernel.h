/* curand_kernel.h of the CPU device: random numbers in kernels, by XORWOW and Philox 4x32-10.
 * C++ only.
 *
 * Integers and uniform numbers are those of cuRAND, bit for bit; normal ones may differ in their
 * last bits, since they take logf and sincosf. Not here: MRG32k3a, MTGP32, Sobol, Poisson, the
 * host API.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CURAND_KERNEL_H
#define CPU_DEVICE_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* CUDA's own guard */

#include "cuda_runtime.h"

#ifdef __CUDACC__
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
#endif

/* XORWOW: `count` steps, or sequences of 2^67 steps (random.c). */
extern "C" void cpu_device_xorwow_skip(unsigned words[5], unsigned long long count, int sequences);

/* What a normal number leaves for the next one, if that is of the same kind. */
struct cpu_device_normals {
    enum kind { NONE, NORMAL, LOG_NORMAL } of_float, of_double;
    float next_float;
    double next_double;
};

struct curandStateXORWOW {
    unsigned d, v[5];
    cpu_device_normals normals;
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE; /* how many of `output` have been given */
    cpu_device_normals normals;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/* ---- XORWOW (G. Marsaglia, "Xorshift RNGs", 2003) ---- */

static inline unsigned curand(curandStateXORWOW_t *s) {
    unsigned t = s->v[0] ^ s->v[0] >> 2;
    for (int i = 0; i < 4; i++)
        s->v[i] = s->v[i + 1];
    s->v[4] = s->v[4] ^ s->v[4] << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}

static inline void skipahead(unsigned long long count, curandStateXORWOW_t *s) {
    cpu_device_xorwow_skip(s->v, count, 0);
    s->d += 362437 * (unsigned)count;
}
static inline void skipahead_sequence(unsigned long long count, curandStateXORWOW_t *s) {
    cpu_device_xorwow_skip(s->v, count, 1); /* 2^67 * 362437 leaves d as it is */
}

static inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, curandStateXORWOW_t *s) {
    unsigned low = ((unsigned)seed ^ 0xaad26b49u) * 1099087573u;
    unsigned high = ((unsigned)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
    *s = curandStateXORWOW_t();
    s->d = 6615241 + high + low;
    s->v[0] = 123456789 + low;
    s->v[1] = 362436069 ^ low;
    s->v[2] = 521288629 + high;
    s->v[3] = 88675123 ^ high;
    s->v[4] = 5783321 + low;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}

/* ---- Philox 4x32-10 (J. Salmon et al., "Parallel Random Numbers", 2011) ---- */

static inline uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        unsigned long long first = 0xd2511f53ull * c.x, second = 0xcd9e8d57ull * c.z;
        c = make_uint4((unsigned)(second >> 32) ^ c.y ^ k.x, (unsigned)second,
                       (unsigned)(first >> 32) ^ c.w ^ k.y, (unsigned)first);
        k = make_uint2(k.x + 0x9e3779b9u, k.y + 0xbb67ae85u);
    }
    return c;
}

namespace cpu_device {
inline void philox_add(uint4 *c, unsigned long long low, unsigned long long high) {
    unsigned long long a = ((unsigned long long)c->y << 32 | c->x) + low;
    unsigned long long b = ((unsigned long long)c->w << 32 | c->z) + high + (a < low);
    *c = make_uint4((unsigned)a, (unsigned)(a >> 32), (unsigned)b, (unsigned)(b >> 32));
}
inline unsigned philox_output(const uint4 &o, unsigned i) {
    return i == 0 ? o.x : i == 1 ? o.y : i == 2 ? o.z : o.w;
}
} // namespace cpu_device

static inline unsigned curand(curandStatePhilox4_32_10_t *s) {
    unsigned result = cpu_device::philox_output(s->output, s->STATE++);
    if (s->STATE == 4) {
        cpu_device::philox_add(&s->ctr, 1, 0);
        s->output = curand_Philox4x32_10(s->ctr, s->key);
        s->STATE = 0;
    }
    return result;
}
static inline uint4 curand4(curandStatePhilox4_32_10_t *s) {
    unsigned x = curand(s), y = curand(s), z = curand(s);
    return make_uint4(x, y, z, curand(s));
}

static inline void skipahead(unsigned long long count, curandStatePhilox4_32_10_t *s) {
    unsigned given = s->STATE + (unsigned)(count & 3);
    cpu_device::philox_add(&s->ctr, count / 4 + given / 4, 0);
    s->STATE = given % 4;
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
static inline void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10_t *s) {
    cpu_device::philox_add(&s->ctr, 0, count);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}

static inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, curandStatePhilox4_32_10_t *s) {
    *s = curandStatePhilox4_32_10_t();
    s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}

/* ---- Distributions: uniform in (0, 1], normal by Box and Muller ---- */

namespace cpu_device {

inline float uniform(unsigned x) {
    return (float)x * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
}
inline double uniform(unsigned x, unsigned y) {
    return (double)(x ^ (unsigned long long)y << 21) * 1.1102230246251565e-16 +
           5.551115123125783e-17;
}
inline double uniform_double(curandStateXORWOW_t *s) {
    unsigned x = curand(s);
    return uniform(x, curand(s));
}
inline double uniform_double(curandStatePhilox4_32_10_t *s) {
    return curand(s) * 2.3283064365386963e-10 + 2.3283064365386963e-10; /* as cuRAND has it */
}

inline float2 box_muller(unsigned x, unsigned y) {
    const float two_pi = 6.2831855f;
    float angle = (float)y * (two_pi * 2.3283064365386963e-10f) + two_pi * 1.1641532182693481e-10f;
    float radius = sqrtf(-2 * logf(uniform(x)));
    return make_float2(sinf(angle) * radius, cosf(angle) * radius);
}
inline double2 box_muller(uint4 r) {
    double radius = sqrt(-2 * log(uniform(r.x, r.y))), sine, cosine;
    sincospi(2 * uniform(r.z, r.w), &sine, &cosine);
    return make_double2(sine * radius, cosine * radius);
}
template <class State> inline uint4 four(State *s) {
    unsigned x = curand(s), y = curand(s), z = curand(s);
    return make_uint4(x, y, z, curand(s));
}

} // namespace cpu_device

template <class State> static inline float curand_uniform(State *s) {
    return cpu_device::uniform(curand(s));
}
template <class State> static inline double curand_uniform_double(State *s) {
    return cpu_device::uniform_double(s);
}
template <class State> static inline float2 curand_normal2(State *s) {
    unsigned x = curand(s);
    return cpu_device::box_muller(x, curand(s));
}
template <class State> static inline double2 curand_normal2_double(State *s) {
    return cpu_device::box_muller(cpu_device::four(s));
}

/* The second number of a pair waits for the next call. */
#define CPU_DEVICE_NORMAL(T, name, kind, pair_of, parameters, expression)                          \
    template <class State> static inline T name parameters {                                       \
        cpu_device_normals &n = s->normals;                                                        \
        if (n.of_##T == cpu_device_normals::kind) {                                                \
            n.of_##T = cpu_device_normals::NONE;                                                   \
            return n.next_##T;                                                                     \
        }                                                                                          \
        T##2 pair = pair_of(s);                                                                    \
        T x = pair.y;                                                                              \
        n.of_##T = cpu_device_normals::kind;                                                       \
        n.next_##T = expression;                                                                   \
        x = pair.x;                                                                                \
        return expression;                                                                         \
    }
CPU_DEVICE_NORMAL(float, curand_normal, NORMAL, curand_normal2, (State * s), x)
CPU_DEVICE_NORMAL(double, curand_normal_double, NORMAL, curand_normal2_double, (State * s), x)
CPU_DEVICE_NORMAL(float, curand_log_normal, LOG_NORMAL, curand_normal2,
                  (State * s, float mean, float stddev), expf(mean + stddev * x))
CPU_DEVICE_NORMAL(double, curand_log_normal_double, LOG_NORMAL, curand_normal2_double,
                  (State * s, double mean, double stddev), exp(mean + stddev * x))
#undef CPU_DEVICE_NORMAL

static inline float4 curand_uniform4(curandStatePhilox4_32_10_t *s) {
    uint4 r = curand4(s);
    return make_float4(cpu_device::uniform(r.x), cpu_device::uniform(r.y), cpu_device::uniform(r.z),
                       cpu_device::uniform(r.w));
}
static inline float4 curand_normal4(curandStatePhilox4_32_10_t *s) {
    uint4 r = curand4(s);
    float2 a = cpu_device::box_muller(r.x, r.y), b = cpu_device::box_muller(r.z, r.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

#undef inline
#endif
#endif
