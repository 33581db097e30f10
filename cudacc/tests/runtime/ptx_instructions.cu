// SPDX-License-Identifier: MIT
// Single instructions of PTX, in asm(), checked on a GPU and on the CPU device alike.
#include "../lib/kernel_checks.h"

// ---- single instructions of PTX ----

#define PTX_2(instruction, letter, result, a, b)                                                   \
    asm(instruction " %0, %1, %2;" : "=" letter(result) : letter(a), letter(b))
#define PTX_3(instruction, letter, result, a, b, c)                                                \
    asm(instruction " %0, %1, %2, %3;" : "=" letter(result) : letter(a), letter(b), letter(c))

static __device__ unsigned ptx_field(unsigned from, unsigned bits) {
    unsigned field;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(0x89abcdefu), "r"(from), "r"(bits));
    return field;
}

KERNEL(ptx_arithmetic, 1, 1) {
    int i, sum = 5;
    unsigned u;
    unsigned long long l;
    float f;
    double d = 4;
    PTX_2("add.s32", "r", i, hide(INT_MAX), 1);
    CHECK(i == INT_MIN);
    PTX_2("max.s32", "r", i, hide(-1), 1);
    PTX_2("max.u32", "r", u, hide(-1), 1);
    CHECK(i == 1 && u == UINT_MAX);
    PTX_2("shr.s32", "r", i, hide(-8), 40);
    PTX_2("shr.u32", "r", u, hide(-8), 40);
    CHECK(i == -1 && u == 0);
    PTX_2("shl.b32", "r", u, hide(1), 32);
    CHECK(u == 0);
    PTX_2("mul.hi.u32", "r", u, hide(0x80000000u), 6);
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(l) : "r"(hide(0x80000000u)), "r"(6));
    CHECK(u == 3 && l == 3ull << 32);
    PTX_3("mad.lo.u32", "r", u, hide(7), 6, 5);
    PTX_3("prmt.b32", "r", i, hide(0x33221100), 0x77665544, 0x7531);
    CHECK(u == 47 && i == 0x77553311);
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(u) : "r"(hide(0xcc)), "r"(0xaa), "r"(0xf0));
    CHECK(u == (0xcc ^ 0xaa ^ 0xf0));
    asm("lop3.b32 %0, %1, %2, %3, 0xe2;" : "=r"(u) : "r"(hide(0xcc)), "r"(0xaa), "r"(0xf0));
    CHECK(u == ((0xaa & 0xcc) | (~0xaa & 0xf0)));
    CHECK(ptx_field(8, 8) == 0xcd && ptx_field(28, 8) == 8 && ptx_field(0, 32) == 0x89abcdefu);
    CHECK(ptx_field(32, 4) == 0 && ptx_field(3, 0) == 0);
    asm("bfe.s32 %0, %1, 8, 4;" : "=r"(i) : "r"(hide(0xd00)));
    CHECK(i == -3);
    asm("bfe.s32 %0, %1, 28, 12;" : "=r"(i) : "r"(hide(0x90000000u)));
    CHECK(i == -7);
    asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(u) : "r"(hide(0xfff)), "r"(0x10000));
    CHECK(u == 0x10ff0);
    asm("popc.b32 %0, %1;\n\t" : "=r"(i) : "r"(hide(0xff)));
    asm("add.s32 %0, %0, %1;" : "+r"(sum) : "r"(i));
    CHECK(sum == 13);
    asm("fma.rn.f32 %0, %1, %1, %2;" : "=f"(f) : "f"(hide(1 + 0x1p-23f)), "f"(-1.0f));
    CHECK(f == 0x1p-22f + 0x1p-46f);
    asm("add.f64 %0, %0, %1;" : "+d"(d) : "d"(hide(0.5)));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(hide(3.0f)));
    i = 4;
    asm("{\n\t.reg .u32 square;\n\t"
        "mul.lo.u32 square, %1, %1;\n\t"
        "mul.lo.u32 %0, square, %1;\n\t}"
        : "=r"(u)
        : "r"(++i));
    CHECK(u == 125 && i == 5);
    CHECK(d == 4.5 && fabsf(f - 8) <= 8e-6f);
}

__global__ void ptx_memory(float *cells) {
    float f, *cell = cells + threadIdx.x;
    unsigned u;
    double d;
    asm volatile("st.global.cg.f32 [%0], %1;" ::"l"(cell), "f"(hide(2.5f)) : "memory");
    asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(u) : "l"(cell) : "memory");
    asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(f) : "l"(cell) : "memory");
    CHECK(u == 0x40200000 && f == 2.5f);
    double *wide = (double *)cells + 32 + threadIdx.x;
    asm volatile("st.global.f64 [%0], %1;" ::"l"(wide), "d"(hide(0.1)) : "memory");
    asm volatile("ld.global.f64 %0, [%1];" : "=d"(d) : "l"(wide) : "memory");
    CHECK(d == 0.1 && *wide == 0.1);
    uint4 four = {5, 6, 7, threadIdx.x}, got, *fours = (uint4 *)cells + 32 + threadIdx.x;
    asm volatile("st.relaxed.gpu.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(fours), "r"(four.x),
                 "r"(four.y), "r"(four.z), "r"(four.w)
                 : "memory");
    asm volatile("ld.acquire.gpu.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got.x), "=r"(got.y), "=r"(got.z), "=r"(got.w)
                 : "l"(fours)
                 : "memory");
    CHECK(got.x == 5 && got.y == 6 && got.z == 7 && got.w == threadIdx.x && fours->z == 7);
    unsigned short half;
    asm volatile("{.reg .u8 byte; cvt.u8.u16 byte, %1; st.cg.u8 [%0], byte;}" ::"l"(fours),
                 "h"((unsigned short)0x1c8)
                 : "memory");
    asm volatile("{.reg .u8 byte; ld.cg.u8 byte, [%1]; cvt.u16.u8 %0, byte;}"
                 : "=h"(half)
                 : "l"(fours)
                 : "memory");
    CHECK(half == 0xc8 && fours->x == 0xc8);
}

TEST(loads_and_stores) {
    MEMORY(float, d_cells, 512 * sizeof *d_cells);
    CHECKED("loads and stores", ptx_memory<<<1, 32>>>(d_cells));
}

// Predicates, words in braces, shuffles with limits of each lane: what CUB is written with.
KERNEL(ptx_words, 1, 64) {
    const unsigned lane = threadIdx.x % 32;
    unsigned u, low, high;
    int sum = (int)lane;
    float f = lane, g;
    double d = lane;
    asm volatile("{.reg .s32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %1, %2, %3, %4;"
                 " @p add.s32 r0, r0, %1; mov.s32 %0, r0;}"
                 : "=r"(sum)
                 : "r"(sum), "r"(2), "r"(lane & 16), "r"(-1));
    CHECK(sum == (int)(lane % 16 < 2 ? lane : lane + lane - 2));
    asm volatile("{.reg .f32 r0; .reg .pred p; shfl.sync.down.b32 r0|p, %1, 1, %2, %3;"
                 " @!p mov.f32 r0, %1; add.f32 %0, r0, %1;}"
                 : "=f"(g)
                 : "f"(f), "r"(lane | 7), "r"(-1));
    CHECK(g == (lane % 8 == 7 ? 2 * f : 2 * f + 1));
    asm volatile("{.reg .u32 lo, hi; .reg .pred p; .reg .f64 r0; mov.b64 {lo, hi}, %1;"
                 " shfl.sync.bfly.b32 lo|p, lo, 1, 31, %2; shfl.sync.bfly.b32 hi|p, hi, 1, 31, %2;"
                 " mov.b64 r0, {lo, hi}; @p add.f64 %0, %1, r0;}"
                 : "=d"(d)
                 : "d"(d), "r"(-1));
    CHECK(d == lane + (lane ^ 1));
    asm volatile("shfl.sync.idx.b32 %0, %1, 9, 0x1807, %2;" : "=r"(u) : "r"(lane), "r"(-1));
    CHECK(u == (lane & 24) + 1);
    asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "d"(hide(-2.0)));
    asm("mov.b32 %0, %1;" : "=r"(u) : "f"(hide(1.0f)));
    CHECK(low == 0 && high == 0xc0000000 && u == 0x3f800000);
    asm volatile("{.reg .pred %%p; and.b32 %0, %1, 1; setp.ne.u32 %%p, %0, 0;"
                 " vote.ballot.sync.b32 %0, %%p, 0xffffffff; @!%%p not.b32 %0, %0;}"
                 : "=r"(u)
                 : "r"(lane));
    CHECK(u == (lane & 1 ? 0xaaaaaaaa : 0x55555555));
}

#define REGISTER_IS(name, expected)                                                                \
    {                                                                                              \
        unsigned value;                                                                            \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(value));                                     \
        CHECK(value == (expected));                                                                \
    }

KERNEL(ptx_registers, 3, dim3(16, 4), 64 * sizeof(int)) {
    extern __shared__ int met[];
    const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y, lane = thread % 32;
    unsigned sm, sms;
    unsigned long long before, after;
    REGISTER_IS("tid.y", threadIdx.y)
    REGISTER_IS("ntid.x", blockDim.x)
    REGISTER_IS("ctaid.x", blockIdx.x)
    REGISTER_IS("laneid", lane)
    REGISTER_IS("lanemask_eq", 1u << lane)
    REGISTER_IS("lanemask_lt", (1u << lane) - 1)
    REGISTER_IS("lanemask_ge", ~((1u << lane) - 1))
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    CHECK(sm < sms);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before)::"memory");
    met[thread] = (int)thread;
    asm volatile("membar.cta;" ::: "memory");
    asm volatile("bar.sync 0;");
    CHECK(met[thread ^ 33] == (int)(thread ^ 33));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after)::"memory");
    CHECK(after >= before);
}

int main(void) { return run_tests(); }
