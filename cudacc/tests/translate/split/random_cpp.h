/*
 * random_cpp.h: what the kernels of random_cpp.pl are made of. The program has this text in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <new>
#define D __device__ inline
#define SYNC __syncthreads()
#define BUMP(x, e)                                                                                 \
    do {                                                                                           \
        (x) += (e);                                                                                \
    } while (0)
#define KEPT(x, e) int x = (e)
#define WHEN(c) if (c)
D int size() { return (int)(blockDim.x * blockDim.y); }
D int place() { return (int)(threadIdx.x + blockDim.x * threadIdx.y); }
D void bump(int &x, int by) { x += by; }
D void raise(int *x, int by) { *x += by; }
D int &itself(int &x) { return x; }
D void by_default(int &x, int by, int more = 1) { x += by + more - 1; }
template <class T> D void grow(T &&x, int by) { x += by; }
template <int N, class T> D T &grown(T &x) {
    x += N;
    return x;
}
D void all_into(int &) {}
template <class... T> D void all_into(int &x, int by, T... more) {
    x += by;
    all_into(x, more...);
}
struct Pair {
    int first, second;
};
D void second_up(Pair &p, int x) { p.second += x; }
D int second(const Pair &p) { return p.second; }
struct Fixed {
    const int v;
    D int get() const { return v; }
};
struct Bits {
    int low : 4;
    int high : 28;
};
union Either {
    int i;
    unsigned u;
};
namespace own {
D int min(int a, int b) { return (a < b ? a : b) + (int)(threadIdx.x & 1); }
} // namespace own
namespace uniform {
D int max(int a, int b) { return a < b ? b : a; }
} // namespace uniform
using integer = int;
D int neighbor(const int *s, int k) {
    __syncthreads();
    int x = s[(place() + k) % size()];
    __syncthreads();
    return x;
}
template <class T> D T neighbor_as(const T *s, int k) {
    __syncthreads();
    T x = s[(place() + k) % size()];
    __syncthreads();
    return x;
}
D void receive(const int *s, int k, int &x) {
    __syncthreads();
    x = s[(place() + k) % size()];
    __syncthreads();
}
struct Window {
    const int *s;
    D int seen(int k) const { return neighbor(s, k); }
};
#ifndef PLAIN /* of a file with these, only kernels of numbers alone run in parts */
struct Index {
    const unsigned &x;
};
struct Add {
    int by;
    D explicit Add(int x) : by(x) {}
};
#ifdef TAKING_OPERATORS /* of a file with these, few kernels that compare numbers run in parts */
template <class T> D const Add &operator<<(const Add &a, T &x) { return x += a.by, a; }
D bool operator==(const Add &a, int &x) { return x += a.by, true; }
#endif
struct Number {
    int v;
    __host__ D Number(int x = 0) : v(x) {}
    D Number &operator+=(int x) { return v += x, *this; }
    D Number &operator<<(int x) { return v += x, *this; }
    D Number &operator=(int x) {
        v = x;
        return *this;
    }
    D Number &operator++() { return v++, *this; }
    D int operator++(int) { return v++; }
    D Number &add(int x) {
        v += x;
        return *this;
    }
    D void operator()(int x) { v += x; }
    D int operator()() const { return v; }
    D int &operator[](int) { return v; }
    D int operator[](int) const { return v; }
    D int operator+() const { return v; }
    D int operator~() const { return v; }
    D int get() const { return v; }
    D explicit operator int() const { return v; }
    D explicit operator bool() const { return v & 1; }
    D bool operator!() const { return !(v & 1); }
    D bool operator==(int x) const { return (v & 3) == x; }
    D friend bool operator<(const Number &n, int x) { return n.v < x; }
    D friend bool operator>(int x, const Number &n) { return x > n.v; }
    D friend void add(Number &n, int x) { n.v += x; }
    D friend int value(const Number &n) { return n.v; }
};
D void operator-=(Number &n, int x) { n.v -= x; }
struct Sum {
    int &r;
    D void operator+=(int x) const { r += x; }
    D const Sum &operator<<(int x) const { return r += x, *this; }
    D const Sum &add(int x) const {
        r += x;
        return *this;
    }
    D void operator()(int x) const { r += x; }
    D operator int() const { return r; }
};
D Sum sum_of(int &x) { return Sum{x}; }
struct Pack {
    Sum inner;
    int more;
};
struct Pointer {
    int *p;
    D int &operator*() const { return *p; }
    D int &operator[](int i) const { return p[i]; }
};
struct Cached {
    mutable int v;
    D int get() const { return v; }
    D void touch(int x) const { v += x; }
    D void operator+=(int x) const { v += x; }
};
D void touch(const Cached &c, int x) { c.touch(x); }
template <int N> struct Constant {
    __host__ D constexpr operator int() const { return N; }
    D int operator()() const { return N; }
};
enum class Level : int { low, high };
D int operator+(Level l) { return (int)l; }
struct Base {
    D virtual int get() const { return -1; }
    D virtual void add(int) {}
};
struct Derived : Base {
    int v;
    D explicit Derived(int x) : v(x) {}
    D int get() const override { return v; }
    D void add(int x) override { v += x; }
};
D Base &base(Derived &d) { return d; }
template <class T, int N> struct List {
    T a[N];
    D T *begin() { return a; }
    D T *end() { return a + N; }
    D const T *begin() const { return a; }
    D const T *end() const { return a + N; }
    D T &operator[](int i) { return a[i]; }
};
struct Step {
    int i;
    D int operator*() const { return i; }
    D Step &operator++() { return i++, *this; }
    D bool operator!=(const Step &s) const { return i != s.i; }
};
struct Range {
    int n;
    D Step begin() const { return {0}; }
    D Step end() const { return {n}; }
};
struct Once {
    mutable int n;
    D explicit operator bool() const { return n-- > 0; }
};
struct Down {
    int n;
    D explicit operator bool() const { return n > 0; }
    D void operator--() { n--; }
};
struct Lane {
    int from;
    D operator int() const { return from + (int)(threadIdx.x & 3); }
};
struct Odd {
    D explicit operator bool() const { return threadIdx.x % 2; }
    D bool operator!() const { return threadIdx.x % 2 == 0; }
    D bool operator()(int x) const { return ((int)threadIdx.x + x) & 1; }
};
struct Limit {
    int x;
    D friend bool operator==(Limit l, int x) { return l.x + (int)(threadIdx.x & 3) == x; }
    D friend bool operator<(const Limit &l, int x) { return l.x + (int)(threadIdx.x & 3) < x; }
    D friend int operator,(Limit l, int x) { return l.x + (int)(threadIdx.x & 3) + x; }
    D int operator-() const { return -x - (int)(threadIdx.x & 3); }
};
__device__ constexpr Lane lane{1};
__device__ constexpr Odd odd{};
D int operator""_up(unsigned long long n) { return (int)(n + threadIdx.x % 8); }
struct Count {
    int *n;
    D explicit Count(int *p) : n(p) {}
    D ~Count() { atomicAdd(n, 1); }
};
struct Holder {
    int more;
    Count count;
};
struct Later {
    int &r, by;
    D ~Later() { r += by; }
};
struct Restore {
    int &r, old;
    D explicit Restore(int &x) : r(x), old(x) {}
    D ~Restore() { r = old; }
};
template <class T> struct Twice {
    T *p;
    D ~Twice() { *p = *p * 2 % 499; }
};
template <class F> struct Defer {
    F f;
    D ~Defer() { f(); }
};
template <class F> D Defer<F> defer(F f) { return {f}; }
#ifdef WAITING_OPERATORS /* of a file with these, no kernel runs in parts */
struct Fence {
    D ~Fence() { __syncthreads(); }
};
struct View {
    const int *s;
    D int operator[](int k) const { return neighbor(s, k); }
};
#endif
#endif
#define CHECK(k, expected, block, arguments)                                                       \
    do {                                                                                           \
        const int n = sizeof expected / sizeof *expected - 4;                                      \
        int bad = 0;                                                                               \
        memset(out, -1, n * sizeof *out);                                                          \
        memset(counts, 0, 4 * sizeof *counts);                                                     \
        k<<<2, block>>> arguments;                                                                 \
        cudaError_t error = cudaDeviceSynchronize();                                               \
        for (int i = 0; i < n + 4; i++)                                                            \
            bad += (i < n ? out[i] : counts[i - n]) != expected[i];                                \
        if (bad || error)                                                                          \
            printf("%s: %d of %d wrong, %s\n", #k, bad, n + 4, cudaGetErrorName(error));           \
        wrong += bad || error;                                                                     \
    } while (0)
