// Kernels whose names mean something else, too: a functor, a method, an overload, a variable. Each
// reads in[] and writes out[], so each launch must be seen to do so: 2 warps, 2 requests for loads,
// 2 for stores, unless it says otherwise. With a shift of 1 the last thread reads past the end.
//
//     names [WHICH SHIFT]      all launches, or one, with that shift
//
// SPDX-License-Identifier: MIT
#include "names.h"

int call_host_functions(int x);
void launch_other(int *out, const int *in, int shift);

#define INDEX (threadIdx.x + shift)
#define KERNEL(name)                                                                               \
    __global__ void name(int *out, const int *in, int shift) { out[threadIdx.x] = in[INDEX]; }

// ---- A functor and a lambda ----
struct copy_one {
    __device__ void operator()(int *out, const int *in, int to, int from) const {
        out[to] = in[from];
    }
};
template <class F> __global__ void for_each(int *out, const int *in, int shift, F f) {
    f(out, in, threadIdx.x, INDEX);
}
KERNEL(f)

template <class Op> __global__ void reduce(int *out, const int *in, int shift) {
    Op op;
    op(out, in, threadIdx.x, INDEX);
}
template <class Op> __global__ void reduce_copy(int *out, const int *in, int shift, Op other) {
    Op fold(other), &again(fold);
    again(out, in, threadIdx.x, INDEX);
}
KERNEL(op)
KERNEL(fold)
KERNEL(again)

struct holder {
    copy_one body;
    __device__ void run(int *out, const int *in, int to, int from) const {
        body(out, in, to, from);
    }
    __device__ void run_this(int *out, const int *in, int to, int from) const {
        this->body(out, in, to, from);
    }
};
__global__ void hold(int *out, const int *in, int shift, holder h) {
    h.run(out, in, threadIdx.x, INDEX);
}
__global__ void hold_this(int *out, const int *in, int shift, holder h) {
    h.run_this(out, in, threadIdx.x, INDEX);
}
KERNEL(body)
KERNEL(run)

// ---- Methods ----
struct view {
    int *out;
    const int *in;
    __device__ void scale(int to, int from) { out[to] = 2 * at(from); }
    __device__ int at(int from) const { return in[from]; }
    __device__ static int sum(int a, int b) { return a + b; }
    template <int N> __device__ int plus(int x) const { return x + N; }
    __device__ void store(int to, int x);
    __device__ int only_declared(int x) const;
};
void view::store(int to, int x) { out[to] = x; }
__device__ int view::only_declared(int x) const { return x; }
__global__ void use(int *out, const int *in, int shift) {
    view v = {out, in};
    v.scale(threadIdx.x, INDEX);
}
__global__ void use_more(int *out, const int *in, int shift) {
    view v = {out, in}, *p = &v;
    p->store(threadIdx.x,
             view::sum(v.template plus<3>(p->at(INDEX)), p->only_declared(threadIdx.x)));
}
KERNEL(scale)
KERNEL(at)
KERNEL(sum)
KERNEL(plus)
KERNEL(store)
KERNEL(only_declared)

struct base {
    __device__ virtual int value(const int *in, int i) const { return in[i]; }
};
struct derived : base {
    __device__ int value(const int *in, int i) const override { return in[i] + 1; }
};
__global__ void use_virtual(int *out, const int *in, int shift) {
    derived d;
    const base &b = d;
    out[threadIdx.x] = b.value(in, INDEX);
}
KERNEL(value)

struct box {
    int content;
    __device__ box(const int *p) { content = *p; }
    __device__ operator int() const { return content; }
    __device__ friend int opened(const box &b) { return b.content; }
};
__global__ void make_box(int *out, const int *in, int shift) {
    out[threadIdx.x] = opened(box(in + INDEX));
}
KERNEL(opened)
namespace wood {
KERNEL(box)
}

// ---- Overloads, templates, specializations ----
__device__ int twice(int x) { return 2 * x; }
__device__ float twice(float x) { return 2 * x; }
KERNEL(twice)
__global__ void use_twice(int *out, const int *in, int shift) {
    out[threadIdx.x] = twice(in[INDEX]) + (int)twice(1.0f);
}

namespace parts {
template <class T> __device__ T pick(const T *p, int i) { return p[i]; }
} // namespace parts
template <class T> __global__ void pick(T *out, const T *in, int shift) {
    out[threadIdx.x] = parts::pick<T>(in, INDEX);
}
template <> __global__ void pick<unsigned>(unsigned *out, const unsigned *in, int shift) {
    out[threadIdx.x] = parts::pick(in, INDEX) + 1;
}
template <class T> __device__ T first(const T *p) { return *p; }
template <class T, int N> __global__ void first(T *out, const T *in, int shift) {
    out[threadIdx.x] = first(in + INDEX) + N;
}

// ---- Namespaces ----
namespace a {
__device__ int get(const int *in, int i) { return in[i]; }
__device__ void same(int *out, const int *in, int shift);
KERNEL(put)
} // namespace a
namespace b {
__device__ void put(int *out, int i, int x) { out[i] = x; }
KERNEL(get)
namespace {
KERNEL(hidden)
}
__global__ void both(int *out, const int *in, int shift) {
    put(out, threadIdx.x, a::get(in, INDEX));
}
KERNEL(same)
__global__ void use_same(int *out, const int *in, int shift) { a::same(out, in, shift); }
} // namespace b
KERNEL(get)
__device__ void a::same(int *out, const int *in, int shift) { out[threadIdx.x] = in[INDEX]; }
__device__ static int hidden(int x) { return x; }
__global__ void use_hidden(int *out, const int *in, int shift) {
    out[threadIdx.x] = hidden(in[INDEX]);
}
namespace own {
KERNEL(min)
__global__ void max(int *out, const int *in, int shift) {
    out[threadIdx.x] = ::max(in[INDEX], ::min(1, 2)) + abs(shift);
}
} // namespace own
extern "C" KERNEL(with_c_linkage)

    // ---- Parameters and variables ----
    __device__ int element(const int *in, int i) {
    return in[i];
}
__device__ int (*pointer)(const int *in, int i) = element;
__global__ void by_variables(int *out, const int *in, int shift, int load) {
    int (*apply)(const int *, int) = element;
    auto inner = [=](int i) { return i + load; };
    out[inner(threadIdx.x)] = apply(in, INDEX);
}
__global__ void by_pointer(int *out, const int *in, int shift) {
    out[threadIdx.x] = pointer(in, INDEX);
}
KERNEL(load)
KERNEL(apply)
KERNEL(inner)
KERNEL(element)
namespace own {
KERNEL(pointer)
}

// ---- Macros ----
#define READ(from) fetch(in, from)
#define NAMED(prefix, name) KERNEL(prefix##name)
__device__ int fetch(const int *in, int i) { return in[i]; }
__global__ void by_macro(int *out, const int *in, int shift) { out[threadIdx.x] = READ(INDEX); }
namespace own {
NAMED(fe, tch)
}

// ---- Kernels that want to be inlined ----
__forceinline__ KERNEL(forced)
__global__ __forceinline__ void forced_later(int *out, const int *in, int shift) {
    out[threadIdx.x] = in[INDEX];
}
static inline KERNEL(in_line) inline __attribute__((always_inline)) KERNEL(by_attribute)
    [[gnu::always_inline]] inline KERNEL(by_other_attribute)

    // ---- Functions that other files call ----
    int triple(int x) {
    return 3 * x;
}
__host__ __device__ int square(int x) { return x * x; }
double quarter(double x) { return x / 4; }
__device__ int quarter(int x) { return x / 4; }
struct tripled {
    __device__ int triple(int x) const { return x; }
};
__global__ void use_square(int *out, const int *in, int shift) {
    tripled t = {};
    out[threadIdx.x] = quarter(square(t.triple(in[INDEX])));
}

int main(int argc, char **argv) {
    int *out, *in, shift = argc > 2 ? atoi(argv[2]) : 0;
    which = argc > 1 ? atoi(argv[1]) : -1;
    cudaMalloc(&out, THREADS * sizeof *out);
    cudaMalloc(&in, THREADS * sizeof *in);
    cudaMemset(in, 0, THREADS * sizeof *in);
    auto copy = [] __device__(int *out, const int *in, int to, int from) { out[to] = in[from]; };
    unsigned *u_out = (unsigned *)out, *u_in = (unsigned *)in;

    FOUR(f, reduce<copy_one>, op, fold);
    FOUR(again, body, run, use);
    FOUR(use_more, scale, at, sum);
    FOUR(plus, store, only_declared, use_virtual);
    FOUR(value, make_box, opened, wood::box);
    FOUR(twice, use_twice, pick<int>, a::put);
    FOUR(b::get, b::hidden, b::both, b::same);
    FOUR(b::use_same, ::get, use_hidden, own::min);
    FOUR(own::max, with_c_linkage, load, apply);
    FOUR(inner, element, own::pointer, by_macro);
    FOUR(own::fetch, forced, forced_later, in_line);
    LAUNCH(by_attribute<<<1, 64>>>(out, in, shift));
    LAUNCH(by_other_attribute<<<1, 64>>>(out, in, shift));
    LAUNCH(use_square<<<1, 64>>>(out, in, shift));
    LAUNCH(for_each<<<1, 64>>>(out, in, shift, copy_one()));
    LAUNCH(for_each<<<1, 64>>>(out, in, shift, copy));
    LAUNCH(reduce_copy<<<1, 64>>>(out, in, shift, copy_one()));
    LAUNCH(hold<<<1, 64>>>(out, in, shift, holder()));
    LAUNCH(hold_this<<<1, 64>>>(out, in, shift, holder()));
    LAUNCH(pick<<<1, 64>>>(u_out, u_in, shift));
    LAUNCH(first<int, 3><<<1, 64>>>(out, in, shift));
    LAUNCH(by_variables<<<1, 64>>>(out, in, shift, 0));
    LAUNCH(by_pointer<<<1, 64>>>(out, in, shift)); // LOADS 4, of the pointer, too
    LAUNCH(launch_other(out, in, shift));
    cudaDeviceSynchronize();
    cudaFree(out), cudaFree(in);
    return call_host_functions(5) == 42 ? 0 : 1;
}
