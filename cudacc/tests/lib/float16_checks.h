// SPDX-License-Identifier: MIT
// half.cu and bfloat.cu: each of the 65536 values through each conversion and each function, and
// with each of some others through arithmetic, against the definition: the nearest number, ties to
// even. They set NUMBER and PAIR, NAMED(x, y) and NAMED2(x, y) for names with "half" or "half2" in
// them, and FRACTION, its bits. TEST_ALL=1: with more others.
#ifndef FLOAT16_CHECKS_H
#define FLOAT16_CHECKS_H

#include "kernel_checks.h"
#include <math.h>

enum {
    ALL = 1 << 16,
    INFINITE = 0x7fff >> FRACTION << FRACTION,
    QUIET = INFINITE | 1 << (FRACTION - 1), // NaN
    NOT_A_NUMBER = 0x7fff,
    SIGN = 0x8000,
    LEAST = 1 << FRACTION, // no subnormal number
    BIAS = INFINITE >> (FRACTION + 1),
    ONE = BIAS << FRACTION
};

// ---- The definition ----

// Of the positive numbers, in their order; the last stands for infinity.
static double magnitude[INFINITE + 1];

static double value_of(int h) {
    int m = h & 0x7fff, exponent = m >> FRACTION, fraction = m & ((1 << FRACTION) - 1);
    double v = ldexp(exponent ? (1 << FRACTION) + fraction : fraction,
                     (exponent ? exponent : 1) - BIAS - FRACTION);
    if (m >= INFINITE)
        v = m == INFINITE ? INFINITY : NAN;
    return h & 0x8000 ? -v : v;
}

// The number that |x| rounds down to.
static int below(double x) {
    int low = 0, high = INFINITE + 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(magnitude[middle] <= x ? &low : &high) = middle;
    }
    return low;
}

enum direction { NEAREST, TO_ZERO, UP, DOWN };

// beyond: the exact value is larger in magnitude than x by less than any bit of it.
static int rounded(double x, enum direction d = NEAREST, bool beyond = false) {
    if (x != x)
        return NOT_A_NUMBER;
    int sign = signbit(x) ? 0x8000 : 0, h = below(fabs(x));
    double over = fabs(x) - magnitude[h];
    bool exact = isinf(x) || (over == 0 && !beyond), away = false;
    if (h == INFINITE && !isinf(x))
        h--, exact = false, over = magnitude[INFINITE]; // nearest: infinity
    if (d == NEAREST && !exact) {
        double half_step = (magnitude[h + 1] - magnitude[h]) / 2;
        away = over > half_step || (over == half_step && (beyond || h & 1));
    }
    if (!exact && ((d == UP && !sign) || (d == DOWN && sign)))
        away = true;
    return sign | (h + away);
}

// In units of 2^unit; what is smaller than one of them counts as one.
static __int128 in_units(double x, int unit) {
    double n = ldexp(x, -unit);
    return fabs(n) >= 1 ? (__int128)n : n < 0 ? -1 : n > 0;
}

// a * b is exact in double. The larger summand has 110 bits here, and the rest is `beyond`.
static int fused(int a, int b, int c) {
    double x = value_of(a) * value_of(b), y = value_of(c);
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0 || x == -y)
        return rounded(x + y); // exact, also the sign of zero
    int unit = ilogb(fabs(x) > fabs(y) ? x : y) - 110;
    __int128 sum = in_units(x, unit) + in_units(y, unit);
    bool negative = sum < 0, beyond = false;
    for (sum = negative ? -sum : sum; sum >> 53; sum >>= 1, unit++)
        beyond |= (int)(sum & 1);
    double v = ldexp((double)(long long)sum, unit);
    return rounded(negative ? -v : v, NEAREST, beyond);
}

static bool same(int h, int expected) {
    return h == expected || ((h & 0x7fff) > INFINITE && (expected & 0x7fff) > INFINITE);
}

// ---- What the device gives ----

enum { ADD, SUB, MUL, DIV, FMA, PAIRS }; // of two or three numbers
// clang-format off
#define OF_ONE(X)                                                                                  \
    X(hfloor, floor(x), 0) X(hceil, ceil(x), 0) X(htrunc, trunc(x), 0) X(hrint, nearbyint(x), 0)   \
    X(__hneg, -x, 0) X(__habs, fabs(x), 0) X(hsqrt, sqrt(x), 0) X(hrsqrt, 1 / sqrt(x), 1)          \
    X(hrcp, 1 / x, 1) X(hexp, exp(x), 1) X(hexp2, exp2(x), 1) X(hexp10, pow(10, x), 1)             \
    X(hlog, log(x), 1) X(hlog2, log2(x), 1) X(hlog10, log10(x), 1) X(hsin, sin(x), 2)              \
    X(hcos, cos(x), 2)
// clang-format on

__device__ static NUMBER bits(int h) { return NAMED(__ushort_as_, )((unsigned short)h); }

__global__ void of_one(int which, unsigned short *out) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), k = 0;
    NUMBER h = bits(i), r = h;
#define COMPUTE(name, expression, ulp)                                                             \
    if (which == k++)                                                                              \
        r = name(h);
    OF_ONE(COMPUTE)
    out[i] = NAMED(__, _as_ushort)(r);
}

__global__ void of_two(int operation, int b, int c, unsigned short *out) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    NUMBER x = bits(i), y = bits(b);
    NUMBER r = operation == ADD   ? x + y
               : operation == SUB ? x - y
               : operation == MUL ? x * y
               : operation == DIV ? x / y
                                  : FUSED(__hfma(x, y, bits(c)), x);
    out[i] = NAMED(__, _as_ushort)(r);
}

static unsigned short *d_out, h_out[ALL];

static void fetch(void) {
    must(cudaGetLastError());
    must(cudaMemcpy(h_out, d_out, sizeof h_out, TO_HOST));
}

TEST(begin_all) {
    for (int h = 0; h < INFINITE; h++)
        magnitude[h] = value_of(h);
    magnitude[INFINITE] = ldexp(1, BIAS + 1);
    must(cudaMalloc((void **)&d_out, sizeof h_out));
}

static int apart(int a, int b) { // in steps of the last bit
    if (same(a, b))
        return 0;
    if ((a & 0x7fff) > INFINITE || (b & 0x7fff) > INFINITE)
        return ALL;
    return abs((a & 0x8000 ? -(a & 0x7fff) : a) - (b & 0x8000 ? -(b & 0x7fff) : b));
}

TEST(test_functions) {
    int k = 0;
#define COMPARE(name, expression, ulp)                                                             \
    {                                                                                              \
        int worst = 0, at = 0;                                                                     \
        of_one<<<ALL / 256, 256>>>(k++, d_out);                                                    \
        fetch();                                                                                   \
        for (int i = 0; i < ALL; i++) {                                                            \
            double x = value_of(i);                                                                \
            int d = apart(h_out[i], rounded(expression));                                          \
            if (d > worst)                                                                         \
                worst = d, at = i;                                                                 \
        }                                                                                          \
        if (!ok(worst <= (ulp), "%s of all numbers", #name))                                       \
            diag("%d apart at %#x: %#x", worst, at, h_out[at]);                                    \
    }
    OF_ONE(COMPARE)
}

static int expected(int operation, int a, int b, int c) {
    double x = value_of(a), y = value_of(b); // double has more than twice the bits
    return operation == ADD   ? rounded(x + y)
           : operation == SUB ? rounded(x - y)
           : operation == MUL ? rounded(x * y)
           : operation == DIV ? rounded(x / y)
                              : fused(a, b, c);
}

// A GPU divides bfloat16 by an approximate division of floats. Only subnormal quotients can lie in
// the middle between two numbers, and those may be one apart.
TEST(test_arithmetic) {
    static const char *name[PAIRS] = {"+", "-", "*", "/", "fma"};
    // clang-format off
    static const int special[] = {
        0, SIGN, 1, SIGN | (LEAST - 1), LEAST, ONE, SIGN | ONE | 1,
        INFINITE - 1, INFINITE, SIGN | INFINITE, QUIET | 1, 0x3555
    };
    // clang-format on
    int others = getenv("TEST_ALL") ? 400 : 20;
    for (int operation = ADD; operation < PAIRS; operation++) {
        int wrong = 0, at = 0, with = 0;
        unsigned random = 12345;
        for (int k = 0; k < others; k++) {
            int b = k < 12 ? special[k] : (int)((random = random * 1664525 + 1013904223) >> 16);
            int c = (int)((random = random * 1664525 + 1013904223) >> 16);
            of_two<<<ALL / 256, 256>>>(operation, b, c, d_out);
            fetch();
            for (int a = 0; a < ALL; a++) {
                int right = expected(operation, a, b, c);
                bool approximate = operation == DIV && FRACTION < 10 && !(right & INFINITE);
                if (apart(h_out[a], right) > approximate)
                    wrong++, at = a, with = b;
            }
        }
        if (!ok(wrong == 0, "%s of all numbers with %d others", name[operation], others))
            diag("%d wrong, such as %#x with %#x", wrong, at, with);
    }
}

// ---- Conversions ----

struct converted {
    unsigned short by[6];
};
static const double more = 1 + 0x1p-40; // which no float holds

__global__ void from_numbers(const float *in, struct converted *out) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const NUMBER to[] = {NAMED(__float2, _rn)(in[i]), NAMED(__float2, _rz)(in[i]),
                         NAMED(__float2, _ru)(in[i]), NAMED(__float2, _rd)(in[i]),
                         NAMED(__float2, )(in[i]),    NAMED(__double2, )(more * in[i])};
    for (int k = 0; k < 6; k++)
        out[i].by[k] = NAMED(__, _as_ushort)(to[k]);
}

// Each number, and floats on the way to the next one: right after it, in the middle, right after
// that.
TEST(test_conversions) {
    static float numbers[ALL];
    static struct converted out[ALL];
    MEMORY(float, d_in, sizeof numbers);
    MEMORY(struct converted, d_converted, sizeof out);
    int wrong = 0, at = 0;
    for (int part = 0; part < 2; part++) { // of 32768 numbers each four numbers are two rounds
        for (int i = 0; i < ALL; i++) {
            int h = part * (ALL / 4) + i / 4;
            double low = value_of(h), high = h + 1 <= INFINITE ? magnitude[h + 1] : low;
            double v = i % 4 < 2 ? low : (low + high) / 2;
            numbers[i] = i % 2 ? nextafterf((float)v, 1e9f) : (float)v;
            if (i / 4 % 2)
                numbers[i] = -numbers[i];
        }
        must(cudaMemcpy(d_in, numbers, sizeof numbers, TO_DEVICE));
        from_numbers<<<ALL / 256, 256>>>(d_in, d_converted);
        must(cudaMemcpy(out, d_converted, sizeof out, TO_HOST));
        for (int i = 0; i < ALL; i++) {
            double x = numbers[i];
            const int right[] = {rounded(x),       rounded(x, TO_ZERO), rounded(x, UP),
                                 rounded(x, DOWN), rounded(x),          rounded(x * more)};
            for (int k = 0; k < 6; k++)
                if (!same(out[i].by[k], right[k]))
                    wrong++, at = i;
        }
    }
    if (!ok(wrong == 0, "from float and double, in four directions"))
        diag("%d wrong, such as %a", wrong, numbers[at]);
}

__device__ static bool is(NUMBER h, double value) { return (double)NAMED(__, 2float)(h) == value; }
__device__ static bool are(PAIR v, double low, double high) {
    return is(NAMED(__low2, )(v), low) && is(NAMED(__high2, )(v), high);
}

KERNEL(comparisons, 1, 1) {
    NUMBER one = hide(1.0f), two = hide(2.0f), nan = bits(hide((int)QUIET));
    CHECK(one < two && one <= two && two > one && two >= one && one != two && one == one);
    CHECK(!(nan < one) && !(nan >= one) && !(nan == nan) && nan != nan);
    CHECK(__hltu(nan, one) && __hgeu(one, nan) && __hequ(nan, one) && !__hne(nan, one));
    CHECK(__hneu(nan, one) && __hisnan(nan) && !__hisnan(one));
    CHECK(__hisinf(bits(0x8000 | INFINITE)) == -1 && __hisinf(bits(INFINITE)) == 1);
    CHECK(is(__hmax(nan, one), 1) && is(__hmin(one, nan), 1) && is(__hmax(one, two), 2));
    CHECK(__hisnan(__hmax_nan(nan, one)) && __hisnan(__hmin_nan(one, nan)));
    CHECK(NAMED(__, _as_ushort)(__hmax(bits(0x8000), NUMBER(0.0f))) == 0);
    CHECK(is(__hadd_sat(one, two), 1) && is(__hsub_sat(one, two), 0));
    CHECK(is(__hmul_sat(nan, one), 0) && FUSED(is(__hfma_sat(two, two, one), 1), true));
}

KERNEL(comparisons_of_pairs, 1, 1) {
    NUMBER one = hide(1.0f), two = hide(2.0f);
    PAIR v = NAMED2(__halves2, )(one, two), w = NAMED2(__halves2, )(two, two);
    CHECK(__hble2(v, w) && !__hblt2(v, w) && !__hbeq2(v, w) && __hbne2(w, __hneg2(w)));
    CHECK(are(__heq2(v, w), 0, 1) && are(__hlt2(v, w), 1, 0) && are(__hisnan2(v), 0, 0));
    CHECK(__heq2_mask(v, w) == 0xffff0000u && __hlt2_mask(v, w) == 0xffffu && v == v);
    CHECK(!(v != w) && __hneg2(w) != w); // both pairs must differ
}

KERNEL(pairs, 1, 1) {
    PAIR v = NAMED2(__floats2, _rn)(hide(1.5f), hide(-2.0f)), w = NAMED2(__float2, _rn)(hide(3.0f));
    CHECK(sizeof v == 4 && alignof(PAIR) == 4 && sizeof(NUMBER) == 2);
    CHECK(are(v + w, 4.5, 1) && are(v - w, -1.5, -5) && are(v * w, 4.5, -6) && are(w / v, 2, -1.5));
    CHECK(FUSED(are(__hfma2(v, w, w), 7.5, -3), true) && are(-v, -1.5, 2) &&
          are(__habs2(v), 1.5, 2));
    CHECK(are(__hadd2_sat(v, w), 1, 1) && are(__hmax2(v, w), 3, 3) && are(__hmin2(v, w), 1.5, -2));
    CHECK(__low2float(v) == 1.5f && __high2float(v) == -2 && are(NAMED2(__low2, )(v), 1.5, 1.5));
    CHECK(are(NAMED2(__high2, )(v), -2, -2) && are(NAMED2(__lows2, )(v, w), 1.5, 3));
    CHECK(are(NAMED2(__highs2, )(v, w), -2, 3) && are(__lowhigh2highlow(v), -2, 1.5));
    float2 f = NAMED2(__, 2float2)(v);
    CHECK(f.x == 1.5f && f.y == -2 && are(NAMED2(__float22, _rn)(make_float2(5, 6)), 5, 6));
    CHECK(are(h2sqrt(NAMED2(__floats2, _rn)(4, 9)), 2, 3) && are(h2floor(v), 1, -2));
    v += w;
    v *= w;
    CHECK(are(v, 13.5, 3));
    NUMBER h = hide(1.0f);
    h += h;
    h++;
    --h;
    CHECK(is(h, 2) && is(-h, -2) && is(v.x, 13.5));
}

__global__ void together(NUMBER *sum, PAIR *sums) {
    int lane = (int)threadIdx.x % 32;
    NUMBER h = (float)threadIdx.x;
    PAIR v = NAMED2(__floats2, _rn)((float)lane, -(float)lane);
    CHECK(is(__shfl_sync(0xffffffff, h, 5), (int)threadIdx.x - lane + 5));
    CHECK(is(__shfl_xor_sync(0xffffffff, h, 1), (int)threadIdx.x ^ 1));
    CHECK(are(__shfl_down_sync(0xffffffff, v, 16, 32), lane < 16 ? lane + 16 : lane,
              lane < 16 ? -lane - 16 : -lane));
    CHECK(is(__shfl_up_sync(0xffffffff, __ldg(sum + 1), 1), 0));
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 700 // which have it of two at a time alone
    atomicAdd((PAIR *)sum, NAMED2(__floats2, _rn)(1, 0));
#else
    atomicAdd(sum, NUMBER(1.0f));
#endif
    atomicAdd(sums, NAMED2(__floats2, _rn)(1, 2));
}

TEST(test_together) {
    unsigned short sums[4];
    MEMORY(NUMBER, d_sum, sizeof sums);
    must(cudaMemset(d_sum, 0, sizeof sums));
    CHECKED("shuffles and atomics", together<<<2, 64>>>(d_sum, (PAIR *)(d_sum + 2)));
    must(cudaMemcpy(sums, d_sum, sizeof sums, TO_HOST));
    ok(value_of(sums[0]) == 128 && value_of(sums[2]) == 128, "sums by atomicAdd");
    ok(value_of(sums[3]) == 256, "of two at a time");
}

TEST(end_all) {
    must(cudaFree(d_out));
    int exact = 0;
    for (int h = 0; h < ALL; h++)
        exact += (h & 0x7fff) > INFINITE ||
                 (double)NAMED(__, 2float)(NAMED(__ushort_as_, )((unsigned short)h)) == value_of(h);
    ok(exact == ALL, "all numbers as float, on the host");
}

#endif
