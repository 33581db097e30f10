/* mma.h of the CPU device: nvcuda::wmma, products of small matrices by a whole warp.  C++ only.
 *
 * A fragment's element e lies in the lane and has the row and column that they have on an H200
 * (nvcc 13.0, sm_90), also where NVIDIA leaves that open: element_place().  A product is summed in
 * double precision (whole numbers: in int) and rounded once; a tensor core keeps a little less.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_MMA_H
#define CPU_DEVICE_MMA_H
#define __CUDA_MMA_H__ /* CUDA's own guard */

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include <type_traits>

#ifdef __CUDACC__
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline))
#endif

namespace nvcuda {
namespace wmma {

template <class A, class B> constexpr bool is_same() { return std::is_same<A, B>::value; }

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

/* What a fragment of T holds; what its products are summed in; how many operands that are neighbors
 * a lane holds; and how many at least: an H200 holds those of a small matrix several times. */
template <class T> struct traits;
#define CPU_DEVICE_MMA_TYPE(T, STORED, SUM, NEIGHBORS, FULL)                                       \
    template <> struct traits<T> {                                                                 \
        typedef STORED stored;                                                                     \
        typedef SUM sum;                                                                           \
        enum { neighbors = NEIGHBORS, at_least = FULL };                                           \
    };
CPU_DEVICE_MMA_TYPE(__half, __half, double, 2, 16)
CPU_DEVICE_MMA_TYPE(__nv_bfloat16, __nv_bfloat16, double, 2, 1)
CPU_DEVICE_MMA_TYPE(signed char, signed char, int, 4, 1)
CPU_DEVICE_MMA_TYPE(unsigned char, unsigned char, int, 4, 1)
CPU_DEVICE_MMA_TYPE(precision::tf32, float, double, 1, 1)
CPU_DEVICE_MMA_TYPE(double, double, double, 1, 1)
CPU_DEVICE_MMA_TYPE(float, float, double, 1, 1)
CPU_DEVICE_MMA_TYPE(int, int, int, 1, 1)
#undef CPU_DEVICE_MMA_TYPE

/* An operand's place counted along what is summed over, k, and across, m of a and n of b; a place
 * in an accumulator: its row is `across`, its column `along`. */
struct place {
    int across, along;
};

template <class Use, int m, int n, int k, class T>
inline place element_place(unsigned lane, int e) {
    const bool is_a = is_same<Use, matrix_a>();
    const int group = (int)lane / 4, in_group = (int)lane % 4, neighbors = traits<T>::neighbors;
    const int b0 = e & 1, b1 = e >> 1 & 1, b2 = e >> 2 & 1, b3 = e >> 3 & 1;
    if (is_same<Use, accumulator>()) {
        if (m == 16)
            return {group + 8 * b1, 2 * in_group + b0 + 8 * b2};
        if (m == 32)
            return {group + 8 * (e / 2), 2 * in_group + b0};
        if (n == 32)
            return {2 * in_group + b0, group + 8 * (e / 2)};
        return {group, 2 * in_group + e};
    }
    const int across = is_a ? m : n;
    if (neighbors == 4)
        return {group + 8 * (e / 4), 4 * in_group + e % 4};
    if (neighbors == 1 && k == 8)
        return is_a ? place{group + 8 * b0, in_group + 4 * b1}
                    : place{group + 8 * b1, in_group + 4 * b0};
    if (neighbors == 1)
        return {group, in_group};
    if (across == 32)
        return {group + 8 * b1 + 16 * b3, 2 * in_group + b0 + 8 * b2};
    if (across == 16 && is_a)
        return {group + 8 * b1, 2 * in_group + b0 + 8 * b2};
    return {across == 16 ? group + 8 * b2 : group, 2 * in_group + b0 + 8 * b1};
}

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
    static_assert((m == 16 && n == 16 && (k == 16 || k == 8)) || (m == 32 && n == 8 && k == 16) ||
                      (m == 8 && n == 32 && k == 16) || (m == 8 && n == 8 && k == 4),
                  "a warp's matrices are m16n16k16, m32n8k16, m8n32k16, m16n16k8 or m8n8k4");
    enum {
        is_sum = is_same<Use, accumulator>(),
        elements = (is_sum                     ? m * n
                    : is_same<Use, matrix_a>() ? m * k
                                               : n * k) /
                   32
    };

  public:
    typedef T element_type;
    typedef typename traits<T>::stored storage_element_type;
    enum {
        at_least = traits<T>::at_least,
        num_elements = is_sum || (int)elements > (int)at_least ? (int)elements : (int)at_least,
        num_storage_elements = num_elements,
        distinct = elements /* the first ones; the others repeat them */
    };
    alignas(num_elements * sizeof(storage_element_type) % 16
                ? 8
                : 16) storage_element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
inline void fill_fragment(fragment<Use, m, n, k, T, Layout> &f,
                          const typename traits<T>::stored &value) {
    for (int e = 0; e < f.num_elements; e++)
        f.x[e] = value;
}

inline float __float_to_tf32(float x) {
    return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}

namespace cpu_device_parts {

/* How many elements from e on are neighbors in memory, which runs `along` or across: they are
 * one access, as of a GPU. */
template <class Use, int m, int n, int k, class T>
inline int run_at(unsigned lane, int e, bool along) {
    const int most = is_same<Use, accumulator>() ? 2 : (int)traits<T>::neighbors;
    place first = element_place<Use, m, n, k, T>(lane, e);
    for (int i = 1; i < most; i++) {
        place p = element_place<Use, m, n, k, T>(lane, e + i);
        int across = along ? 0 : i, further = along ? i : 0;
        if (p.across != first.across + across || p.along != first.along + further)
            return 1;
    }
    return most;
}

template <class T> inline void copy(T *to, const T *from, int run) {
    if (run == 1)
        *to = *from;
    else if (run * sizeof(T) == 4)
        *(unsigned *)(void *)to = *(const unsigned *)(const void *)from;
    else if (run * sizeof(T) == 8)
        *(uint2 *)(void *)to = *(const uint2 *)(const void *)from;
    else
        *(double2 *)(void *)to = *(const double2 *)(const void *)from;
}

/* All lanes come here; each learns what the others bring. */
inline void meet(const char *function, const void *mine, const void *of[32]) {
    const struct cpu_device_warp_call call = {function, NULL};
    unsigned long long values[32];
    cpu_device_warp_collect(&call, 0xffffffff, (unsigned long long)(size_t)mine, values);
    for (int i = 0; i < 32; i++)
        of[i] = (const void *)(size_t)values[i];
}

/* What lies on another lane's stack; a tracer would take that for a mistake. */
#define CPU_DEVICE_UNSEEN __attribute__((noinline, no_sanitize("thread")))
template <class T> CPU_DEVICE_UNSEEN void look(T *to, const T *p) {
    __builtin_memcpy(to, p, sizeof *p);
}
template <class T> CPU_DEVICE_UNSEEN void put(T *p, T value) { *p = value; }
template <class T> CPU_DEVICE_UNSEEN T dot(const T *a, const T *b, int count) {
    T sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}
#undef CPU_DEVICE_UNSEEN

/* Each block of 8 x 8 elements of 16 bits changes rows for columns: x[] of all lanes to own[]. */
template <class S> inline void transpose(const char *function, S *own, const S *x, int elements) {
    const void *all[32];
    unsigned lane = cpu_device_lane(), from = lane % 4 * 8 + lane / 8;
    meet(function, x, all);
    for (int e = 0; e < elements; e++)
        look(&own[e], (const S *)all[from + e % 2 * 4] + e / 2 * 2 + lane / 4 % 2);
    meet(function, x, all); /* all have read what lies on this stack */
}

template <class S> inline S *at(S *p, place where, unsigned ld, bool along) {
    return along ? p + (size_t)where.across * ld + where.along
                 : p + (size_t)where.along * ld + where.across;
}

/* Where neighbors of 16 bits are none in memory, a GPU takes them as if the matrix were the
 * transposed one, and transposes in the warp: the same accesses. */
template <class Use, int m, int n, int k, class T> inline bool is_transposed(bool along) {
    return sizeof(typename traits<T>::stored) == 2 && run_at<Use, m, n, k, T>(0, 0, along) == 1;
}
inline place transposed(place p) {
    return {p.across / 8 * 8 + p.along % 8, p.along / 8 * 8 + p.across % 8};
}

template <class Use, int m, int n, int k, class T, class S>
inline void load(S *x, int elements, int distinct, const S *from, unsigned ld, bool along) {
    const bool turned = is_transposed<Use, m, n, k, T>(along);
    unsigned lane = cpu_device_lane();
    alignas(16) S taken[16];
    for (int e = 0, run; e < distinct; e += run) {
        place p = element_place<Use, m, n, k, T>(lane, e);
        run = turned ? 2 : run_at<Use, m, n, k, T>(lane, e, along);
        copy(&taken[e], at(from, turned ? transposed(p) : p, ld, along), run);
    }
    if (turned)
        transpose("load_matrix_sync()", x, taken, distinct);
    for (int e = turned ? distinct : 0; e < elements; e++)
        x[e] = turned ? x[e - distinct] : taken[e % distinct];
}

template <class Use, int m, int n, int k, class T, class S>
inline void save(S *to, const S *x, int elements, unsigned ld, bool along) {
    const bool turned = is_transposed<Use, m, n, k, T>(along);
    unsigned lane = cpu_device_lane();
    alignas(16) S other[16];
    if (turned)
        transpose("store_matrix_sync()", other, x, elements);
    for (int e = 0, run; e < elements; e += run) {
        place p = element_place<Use, m, n, k, T>(lane, e);
        run = turned ? 2 : run_at<Use, m, n, k, T>(lane, e, along);
        copy(at(to, turned ? transposed(p) : p, ld, along), turned ? &other[e] : &x[e], run);
    }
}

inline double number(__half x) { return (double)__half2float(x); }
inline double number(__nv_bfloat16 x) { return (double)__bfloat162float(x); }
inline double number(double x) { return x; }
inline double number(float x) { return (double)x; }
inline int number(int x) { return x; }
inline int number(signed char x) { return x; }
inline int number(unsigned char x) { return x; }
inline float upper_bits(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000); }
template <class T> inline auto operand(typename traits<T>::stored x) { return number(x); }
template <> inline auto operand<precision::tf32>(float x) { return number(upper_bits(x)); }

inline void store(double sum, __half *to) { *to = __float2half((float)sum); }
inline void store(double sum, float *to) { *to = (float)sum; }
inline void store(double sum, double *to) { *to = sum; }
inline void store(long long sum, int *to) { *to = (int)sum; }

} // namespace cpu_device_parts

template <int m, int n, int k, class T, class Layout>
inline void load_matrix_sync(fragment<matrix_a, m, n, k, T, Layout> &f,
                             const typename traits<T>::stored *from, unsigned ld) {
    cpu_device_parts::load<matrix_a, m, n, k, T>(f.x, f.num_elements, f.distinct, from, ld,
                                                 is_same<Layout, row_major>());
}
template <int m, int n, int k, class T, class Layout>
inline void load_matrix_sync(fragment<matrix_b, m, n, k, T, Layout> &f,
                             const typename traits<T>::stored *from, unsigned ld) {
    cpu_device_parts::load<matrix_b, m, n, k, T>(f.x, f.num_elements, f.distinct, from, ld,
                                                 is_same<Layout, col_major>());
}
template <int m, int n, int k, class T>
inline void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *from, unsigned ld,
                             layout_t layout) {
    cpu_device_parts::load<accumulator, m, n, k, T>(f.x, f.num_elements, f.distinct, from, ld,
                                                    layout == mem_row_major);
}

template <int m, int n, int k, class T>
inline void store_matrix_sync(T *to, const fragment<accumulator, m, n, k, T> &f, unsigned ld,
                              layout_t layout) {
    cpu_device_parts::save<accumulator, m, n, k, T>(to, f.x, f.num_elements, ld,
                                                    layout == mem_row_major);
}

/* d = a b + c.  The lanes put their parts of a and b together on the first one's stack. */
template <int m, int n, int k, class T, class U, class D, class C, class LayoutA, class LayoutB>
inline void mma_sync(fragment<accumulator, m, n, k, D> &d,
                     const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                     const fragment<matrix_b, m, n, k, U, LayoutB> &b,
                     const fragment<accumulator, m, n, k, C> &c, bool saturate = false) {
    using namespace cpu_device_parts;
    typedef typename traits<T>::sum number_type;
    struct {
        number_type a[m * k], b[n * k];
    } own, *all;
    unsigned lane = cpu_device_lane();
    const void *of[32];
    meet("mma_sync()", &own, of);
    all = (decltype(all))of[0];
    for (int e = 0; e < a.num_elements; e++) {
        place p = element_place<matrix_a, m, n, k, T>(lane, e);
        put(&all->a[p.across * k + p.along], (number_type)operand<T>(a.x[e]));
    }
    for (int e = 0; e < b.num_elements; e++) {
        place p = element_place<matrix_b, m, n, k, U>(lane, e);
        put(&all->b[p.across * k + p.along], (number_type)operand<U>(b.x[e]));
    }
    meet("mma_sync()", NULL, of);
    for (int e = 0; e < d.num_elements; e++) {
        place p = element_place<accumulator, m, n, k, D>(lane, e);
        number_type sum = dot(&all->a[p.across * k], &all->b[p.along * k], k);
        if (is_same<number_type, int>()) {
            long long total = (long long)sum + (long long)number(c.x[e]);
            total = saturate && total > 2147483647 ? 2147483647 : total;
            cpu_device_parts::store(saturate && total < -2147483648ll ? -2147483648ll : total,
                                    (int *)(void *)&d.x[e]);
        } else {
            cpu_device_parts::store((double)sum + (double)number(c.x[e]), &d.x[e]);
        }
    }
    meet("mma_sync()", NULL, of);
}

} // namespace wmma
} // namespace nvcuda

#undef inline
#endif
#endif
