/* Instructions of PTX, and its special registers: `asm("add.u32 ...")` calls ptx_add_u32, as
 * extra/translate/rewrite_ptx.c has it, and %laneid is ptx_laneid(). What has no function here is
 * refused.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_PTX_H
#define CPU_DEVICE_PTX_H

#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
#endif

namespace cpu_device {

/* ---- special registers ---- */

#define CPU_DEVICE_PTX_REGISTER(name, type, value)                                                 \
    inline type ptx_##name() { return (type)(value); }
#define CPU_DEVICE_PTX_REGISTER_3(name, variable)                                                  \
    CPU_DEVICE_PTX_REGISTER(name##_x, unsigned, variable.x)                                        \
    CPU_DEVICE_PTX_REGISTER(name##_y, unsigned, variable.y)                                        \
    CPU_DEVICE_PTX_REGISTER(name##_z, unsigned, variable.z)
CPU_DEVICE_PTX_REGISTER_3(tid, threadIdx)
CPU_DEVICE_PTX_REGISTER_3(ntid, blockDim)
CPU_DEVICE_PTX_REGISTER_3(ctaid, blockIdx)
CPU_DEVICE_PTX_REGISTER_3(nctaid, gridDim)
CPU_DEVICE_PTX_REGISTER(laneid, unsigned, cpu_device_lane())
CPU_DEVICE_PTX_REGISTER(warpid, unsigned,
                        (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32)
CPU_DEVICE_PTX_REGISTER(nwarpid, unsigned, 64)
CPU_DEVICE_PTX_REGISTER(lanemask_eq, unsigned, 1u << cpu_device_lane())
CPU_DEVICE_PTX_REGISTER(lanemask_lt, unsigned, (1u << cpu_device_lane()) - 1)
CPU_DEVICE_PTX_REGISTER(lanemask_le, unsigned, (2u << cpu_device_lane()) - 1)
CPU_DEVICE_PTX_REGISTER(lanemask_gt, unsigned, -(2u << cpu_device_lane()))
CPU_DEVICE_PTX_REGISTER(lanemask_ge, unsigned, -(1u << cpu_device_lane()))
/* Blocks are dealt out to as many multiprocessors as the device says it has. */
CPU_DEVICE_PTX_REGISTER(nsmid, unsigned, cpu_device_multiprocessors())
CPU_DEVICE_PTX_REGISTER(smid, unsigned,
                        (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) %
                            cpu_device_multiprocessors())
CPU_DEVICE_PTX_REGISTER(clock, unsigned, clock64())
CPU_DEVICE_PTX_REGISTER(clock_hi, unsigned, clock64() >> 32)
CPU_DEVICE_PTX_REGISTER(clock64, unsigned long long, clock64())
CPU_DEVICE_PTX_REGISTER(globaltimer, unsigned long long, clock64()) /* nanoseconds, too */
CPU_DEVICE_PTX_REGISTER(globaltimer_lo, unsigned, clock64())
CPU_DEVICE_PTX_REGISTER(globaltimer_hi, unsigned, clock64() >> 32)

/* ---- operands ---- */

/* The same bits where one of both is a floating-point number, else the same value. */
template <class To, class From> inline To ptx_as(From from) {
    To to = (To)from;
    if (std::is_floating_point<To>::value != std::is_floating_point<From>::value)
        memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
    return to;
}
/* To one operand, or piece by piece to those in braces; p of `r|p` is bit 32. */
template <class From, class To> inline void ptx_give(From from, To &to) { to = ptx_as<To>(from); }
template <class From, class To, class... More>
inline void ptx_give(From from, To &to, More &...more) {
    to = ptx_as<To>(from);
    ptx_give(from >> 8 * sizeof to, more...);
}
inline unsigned ptx_bits(float a) { return ptx_as<unsigned>(a); }
inline unsigned long long ptx_bits(double a) { return ptx_as<unsigned long long>(a); }
template <class T> inline T ptx_bits(T a) { return a; }
template <class T> inline unsigned long long ptx_pack(T a) { return ptx_bits(a); }
template <class T, class... More> inline unsigned long long ptx_pack(T a, More... more) {
    return ptx_bits(a) | ptx_pack(more...) << 8 * sizeof a;
}

/* ---- arithmetic ---- */

#define CPU_DEVICE_PTX_1(name, type, value)                                                        \
    inline type ptx_##name(type a) { return (type)(value); }
#define CPU_DEVICE_PTX_2(name, type, value)                                                        \
    inline type ptx_##name(type a, type b) { return (type)(value); }
#define CPU_DEVICE_PTX_3(name, type, value)                                                        \
    inline type ptx_##name(type a, type b, type c) { return (type)(value); }
#define CPU_DEVICE_PTX_NUMBERS(suffix, type,                                                       \
                               modulo) /* modulo: where sums and products wrap around */           \
    CPU_DEVICE_PTX_1(mov_##suffix, type, a)                                                        \
    CPU_DEVICE_PTX_2(add_##suffix, type, (modulo)a + (modulo)b)                                    \
    CPU_DEVICE_PTX_2(sub_##suffix, type, (modulo)a - (modulo)b)                                    \
    CPU_DEVICE_PTX_2(min_##suffix, type, b < a ? b : a)                                            \
    CPU_DEVICE_PTX_2(max_##suffix, type, a < b ? b : a)
#define CPU_DEVICE_PTX_INTEGERS(suffix, type, modulo)                                              \
    CPU_DEVICE_PTX_NUMBERS(suffix, type, modulo)                                                   \
    CPU_DEVICE_PTX_2(mul_lo_##suffix, type, (modulo)a *(modulo)b)                                  \
    CPU_DEVICE_PTX_3(mad_lo_##suffix, type, (modulo)a *(modulo)b + (modulo)c)                      \
    inline type ptx_shr_##suffix(type a, unsigned b) {                                             \
        const unsigned last = 8 * sizeof a - 1;                                                    \
        return b <= last ? a >> b : a < 0 ? (type)-1 : 0;                                          \
    }
CPU_DEVICE_PTX_INTEGERS(u32, unsigned, unsigned)
CPU_DEVICE_PTX_INTEGERS(s32, int, unsigned)
CPU_DEVICE_PTX_INTEGERS(u64, unsigned long long, unsigned long long)
CPU_DEVICE_PTX_INTEGERS(s64, long long, unsigned long long)
#define CPU_DEVICE_PTX_BITS(suffix, type)                                                          \
    CPU_DEVICE_PTX_1(mov_##suffix, type, a)                                                        \
    CPU_DEVICE_PTX_1(not_##suffix, type, ~a)                                                       \
    CPU_DEVICE_PTX_2(and_##suffix, type, a &b)                                                     \
    CPU_DEVICE_PTX_2(or_##suffix, type, a | b)                                                     \
    CPU_DEVICE_PTX_2(xor_##suffix, type, a ^ b)                                                    \
    inline type ptx_shl_##suffix(type a, unsigned b) { return b < 8 * sizeof a ? a << b : 0; }     \
    inline type ptx_shr_##suffix(type a, unsigned b) { return b < 8 * sizeof a ? a >> b : 0; }
CPU_DEVICE_PTX_BITS(b32, unsigned)
CPU_DEVICE_PTX_BITS(b64, unsigned long long)
CPU_DEVICE_PTX_1(mov_b16, unsigned short, a)
CPU_DEVICE_PTX_1(popc_b32, unsigned, __popc(a))
CPU_DEVICE_PTX_1(clz_b32, unsigned, __clz((int)a))
CPU_DEVICE_PTX_1(brev_b32, unsigned, __brev(a))
CPU_DEVICE_PTX_2(mul_hi_u32, unsigned, __umulhi(a, b))
CPU_DEVICE_PTX_2(mul_hi_s32, int, __mulhi(a, b))
CPU_DEVICE_PTX_2(mul_hi_u64, unsigned long long, __umul64hi(a, b))
CPU_DEVICE_PTX_3(prmt_b32, unsigned, __byte_perm(a, b, c))
CPU_DEVICE_PTX_3(shf_l_wrap_b32, unsigned, __funnelshift_l(a, b, c))
CPU_DEVICE_PTX_3(shf_r_wrap_b32, unsigned, __funnelshift_r(a, b, c))
CPU_DEVICE_PTX_3(shf_l_clamp_b32, unsigned, __funnelshift_lc(a, b, c))
CPU_DEVICE_PTX_3(shf_r_clamp_b32, unsigned, __funnelshift_rc(a, b, c))
inline unsigned long long ptx_mul_wide_u32(unsigned a, unsigned b) {
    return (unsigned long long)a * b;
}
inline long long ptx_mul_wide_s32(int a, int b) { return (long long)a * b; }

/* Fields of `bits` bits from bit `from` on: what leads out of a word is 0, or the sign. */
inline unsigned ptx_field(unsigned from, unsigned bits) {
    from &= 255, bits &= 255;
    return from > 31 ? 0 : (bits > 31 ? ~0u : (1u << bits) - 1) << from;
}
inline unsigned ptx_bfe_u32(unsigned a, unsigned from, unsigned bits) {
    return ptx_shr_b32(a & ptx_field(from, bits), from & 255);
}
inline int ptx_bfe_s32(int a, unsigned from, unsigned bits) {
    unsigned last = (from & 255) + (bits & 255) - 1;
    int negative = bits & 255 && a >> (last < 31 ? last : 31) & 1;
    unsigned field = ptx_bfe_u32((unsigned)a, from, bits);
    return (int)(negative ? field | ~ptx_shr_b32(ptx_field(from, bits), from & 255) : field);
}
inline unsigned ptx_bfi_b32(unsigned a, unsigned b, unsigned from, unsigned bits) {
    unsigned field = ptx_field(from, bits);
    return (b & ~field) | (ptx_shl_b32(a, from & 255) & field);
}
inline unsigned ptx_lop3_b32(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

#define CPU_DEVICE_PTX_FLOATS(suffix, type, fused)                                                 \
    CPU_DEVICE_PTX_NUMBERS(suffix, type, type)                                                     \
    CPU_DEVICE_PTX_2(mul_##suffix, type, a *b)                                                     \
    CPU_DEVICE_PTX_2(add_rn_##suffix, type, a + b)                                                 \
    CPU_DEVICE_PTX_2(sub_rn_##suffix, type, a - b)                                                 \
    CPU_DEVICE_PTX_2(mul_rn_##suffix, type, a *b)                                                  \
    CPU_DEVICE_PTX_3(fma_rn_##suffix, type, fused(a, b, c))
CPU_DEVICE_PTX_FLOATS(f32, float, __fmaf_rn)
CPU_DEVICE_PTX_FLOATS(f64, double, __fma_rn)
#define CPU_DEVICE_PTX_APPROXIMATE(name, value)                                                    \
    CPU_DEVICE_PTX_1(name##_approx_f32, float, value)                                              \
    CPU_DEVICE_PTX_1(name##_approx_ftz_f32, float, value)
CPU_DEVICE_PTX_APPROXIMATE(ex2, exp2f(a))
CPU_DEVICE_PTX_APPROXIMATE(lg2, log2f(a))
CPU_DEVICE_PTX_APPROXIMATE(rcp, 1 / a)
CPU_DEVICE_PTX_APPROXIMATE(sqrt, sqrtf(a))
CPU_DEVICE_PTX_APPROXIMATE(rsqrt, rsqrtf(a))
CPU_DEVICE_PTX_APPROXIMATE(sin, sinf(a))
CPU_DEVICE_PTX_APPROXIMATE(cos, cosf(a))
CPU_DEVICE_PTX_1(tanh_approx_f32, float, tanhf(a))

/* ---- global memory ---- */

/* All that one accesses is accessed at once; what is volatile may tell of others' work. */
template <class T, class... To> inline void ptx_ld(unsigned long long address, To &...to) {
    typedef typename std::remove_cv<T>::type type;
    typedef type all __attribute__((vector_size(sizeof...(to) * sizeof(T)), may_alias));
    all values;
    if (std::is_volatile<T>::value) {
        values = *(const volatile all *)address;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        cpu_device_polled();
    } else {
        values = *(const all *)address;
    }
    int i = 0, each[] = {(ptx_give((type)values[i++], to), 0)...};
    (void)each;
}
template <class T, class... From> inline void ptx_st(unsigned long long address, From... from) {
    typedef typename std::remove_cv<T>::type type;
    typedef type all __attribute__((vector_size(sizeof...(from) * sizeof(T)), may_alias));
    const all values = {ptx_as<type>(from)...};
    if (std::is_volatile<T>::value) {
        __atomic_thread_fence(__ATOMIC_RELEASE);
        *(volatile all *)address = values;
    } else {
        *(all *)address = values;
    }
}

/* ---- predicates and warps ---- */

#define CPU_DEVICE_PTX_COMPARE(suffix, type)                                                       \
    inline bool ptx_setp_eq_##suffix(type a, type b) { return a == b; }                            \
    inline bool ptx_setp_ne_##suffix(type a, type b) { return a != b; }                            \
    inline bool ptx_setp_lt_##suffix(type a, type b) { return a < b; }                             \
    inline bool ptx_setp_le_##suffix(type a, type b) { return a <= b; }                            \
    inline bool ptx_setp_gt_##suffix(type a, type b) { return a > b; }                             \
    inline bool ptx_setp_ge_##suffix(type a, type b) { return a >= b; }
CPU_DEVICE_PTX_COMPARE(u32, unsigned)
CPU_DEVICE_PTX_COMPARE(s32, int)
CPU_DEVICE_PTX_COMPARE(f32, float)
/* From lane `other`, if it is none beyond the limits in c; and, in bit 32, whether it is not. */
inline unsigned long long ptx_shuffle(unsigned a, int other, bool within, unsigned mask) {
    unsigned from = within ? (unsigned)other : cpu_device_lane();
    return (unsigned long long)within << 32 | cpu_device::shuffle(SHUFFLE_IDX, mask, a, from, 32);
}
#define CPU_DEVICE_PTX_SHUFFLE(how, other, within)                                                 \
    inline unsigned long long ptx_shfl_sync_##how##_b32(unsigned a, unsigned b, unsigned c,        \
                                                        unsigned mask) {                           \
        int lane = (int)cpu_device_lane(), segment = c >> 8 & 31, first = lane & segment;          \
        int last = first | ((int)c & ~segment & 31), from = other;                                 \
        return ptx_shuffle(a, from, within, mask);                                                 \
    }
CPU_DEVICE_PTX_SHUFFLE(up, lane - (int)(b & 31), from >= last)
CPU_DEVICE_PTX_SHUFFLE(down, lane + (int)(b & 31), from <= last)
CPU_DEVICE_PTX_SHUFFLE(bfly, lane ^ (int)(b & 31), from <= last)
CPU_DEVICE_PTX_SHUFFLE(idx, first | ((int)b & 31 & ~segment), from <= last)
inline unsigned ptx_vote_ballot_sync_b32(bool a, unsigned mask) { return __ballot_sync(mask, a); }

/* ---- without a result, but the first ---- */

#define CPU_DEVICE_PTX_DO(name, what)                                                              \
    inline void ptx_##name() { what; }
inline unsigned ptx_activemask_b32(int line = __builtin_LINE()) { return __activemask(line); }
CPU_DEVICE_PTX_DO(bar_sync_0, __syncthreads())
CPU_DEVICE_PTX_DO(barrier_sync_0, __syncthreads())
CPU_DEVICE_PTX_DO(membar_cta, __threadfence_block())
CPU_DEVICE_PTX_DO(membar_gl, __threadfence())
CPU_DEVICE_PTX_DO(membar_sys, __threadfence_system())
CPU_DEVICE_PTX_DO(fence_acq_rel_gpu, __threadfence())
CPU_DEVICE_PTX_DO(fence_acq_rel_sys, __threadfence_system())
CPU_DEVICE_PTX_DO(trap, __trap())
inline void ptx_bar_warp_sync(unsigned lanes) { __syncwarp(lanes); }
inline void ptx_nanosleep_u32(unsigned nanoseconds) { __nanosleep(nanoseconds); }
inline unsigned short ptx_cvt_u16_u8(unsigned char a) { return a; }
inline unsigned char ptx_cvt_u8_u16(unsigned short a) { return (unsigned char)a; }
inline void ptx_prefetch_global_L1(unsigned long long) {}
inline void ptx_prefetch_global_L2(unsigned long long) {}

} // namespace cpu_device

#undef inline
#endif
