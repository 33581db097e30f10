// Declarations and statements out of the grammar of C++17, in device and in host code: each
// function below runs in a kernel and on the host, and gives what EACH says.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#define HD __host__ __device__

// ---- Constructors, and what may stand between their parentheses and their colon ----

struct plain_ctor {
    int a, b;
    HD plain_ctor(int x) : a(x), b(x + 1) {}
};
struct noexcept_ctor {
    int a;
    HD noexcept_ctor() noexcept : a(1) {}
    HD explicit noexcept_ctor(int x) noexcept(true) : a{x} {}
    HD noexcept_ctor(int x, int y) noexcept(noexcept(x + y)) : a(x > y ? x : y) {}
};
struct attributed_ctor {
    int a;
    HD attributed_ctor([[maybe_unused]] int x) __attribute__((always_inline)) : a(4) {}
};
struct delegating {
    int a = 2, b{3};
    HD delegating() : delegating(5) {}
    HD explicit delegating(int x) : a(x) {}
    HD ~delegating() noexcept {}
};
struct defaulted {
    int a = 6;
    constexpr defaulted() noexcept = default;
    defaulted(const defaulted &) = default;
    defaulted &operator=(const defaulted &) & = default;
    HD constexpr defaulted(int x) noexcept : a(x) {}
    defaulted(float) = delete;
};
template <class T, int N> struct members_of_template {
    T a[N], b;
    HD members_of_template(T x) noexcept : a{x, T(x + 1)}, b(sizeof(T) < 8 ? x : T(0)) {}
    template <class U> HD members_of_template(U x, U y) : a{T(x)}, b(y < x ? T(y) : T(x)) {}
};
struct outside_class {
    int a;
    HD outside_class(int x, int y) noexcept;
    HD int sum() const noexcept;
};
HD outside_class::outside_class(int x, int y) noexcept : a(x ? y : x) {}
HD int outside_class::sum() const noexcept { return a ? a : -a; }

HD int constructors(int *p) {
    plain_ctor one(p[1]);
    noexcept_ctor two, three(p[3]), four(p[4], p[2]);
    attributed_ctor five(p[5]);
    delegating six;
    defaulted seven, eight = p[0];
    members_of_template<int, 2> nine(p[1]), ten(p[5], p[6]);
    outside_class eleven(p[7], p[6]);
    eight = seven;
    p[0] = one.a + one.b + two.a + three.a + four.a + five.a + six.a + six.b + eight.a;
    return p[0] + nine.a[1] + nine.b + ten.a[0] + ten.b + eleven.sum();
}

// ---- Bases, virtual functions, classes in classes ----

struct base {
    int x;
    HD base(int v) : x(v) {}
    HD virtual ~base() {}
    HD virtual int get() const { return x; }
    HD virtual int twice() const noexcept = 0;
};
struct derived final : public base {
    using base::base;
    HD int get() const noexcept override { return x + 1; }
    HD auto twice() const noexcept -> int override final { return 2 * x; }
};
struct mixin_a {
    int low : 4, : 0, high : 12;
};
struct mixin_b {
    short s;
};
struct outer_class : private mixin_a, protected virtual mixin_b {
    struct inner final : mixin_a {
        int more : 1 + 2;
        struct deepest : mixin_b {
            enum { FOUR = 4, FIVE } kind = FOUR;
        } last;
    };
    class closed {
        friend struct outer_class;
        int hidden{7};

      public:
        HD int seen() const { return hidden; }
    };
    union {
        int as_int;
        struct {
            short lower, upper;
        };
    };
    inner in;
    HD outer_class(int v) : mixin_a{v, 0}, as_int(v << 16) {}
    HD int get() const { return low + upper + closed().hidden; }
};
template <class... Bases> struct all_of : Bases... {
    HD all_of() : Bases{}... {}
};

HD int classes(int *p) {
    derived d(p[3]);
    base &b = d;
    outer_class o(p[2]);
    outer_class::inner i = {};
    all_of<mixin_a, mixin_b> all;
    struct local : mixin_b {
        HD local(short v) : mixin_b{v} {}
        HD int half() const { return s / 2; }
    } l{short(p[6])};
    i.high = p[7], i.more = p[1], i.last.s = short(p[2]);
    all.high = p[5], all.s = short(p[4]);
    p[1] = b.get() + b.twice();
    return p[1] + o.get() + i.high + i.more + i.last.s + i.last.kind + all.high + all.s + l.half();
}

// ---- Enumerations, bit-fields, alignment, attributes ----

enum old { FIRST, SECOND = 1 << 2, THIRD };
enum class scoped : unsigned char { none, some = 3, many };
enum : short { NAMELESS = -2 };
enum struct declared_before : int;
enum struct declared_before : int { value = 9 };
struct bits {
    unsigned a : 3, b : 5;
    scoped c : 4;
    const unsigned d : 2;
    bool flag : 1;
    signed : 0, e : sizeof(int) == 4 ? 7 : 8;
};
struct alignas(16) aligned {
    alignas(8) char c;
    alignas(int) char d[4];
    __align__(8) short s;
};
struct [[nodiscard]] attributed {
    [[gnu::aligned(4)]] int unused;
    int used __attribute__((aligned(8)));
};
struct __attribute__((packed)) packed {
    char c;
    int i;
};

HD int layouts(int *p) {
    bits x = {1, 2, scoped::some, 3, true, -5};
    aligned y = {1, {2, 3, 4, 5}, 6};
    attributed z = {0, p[7]};
    [[maybe_unused]] int unused = 0;
    packed w;
    w.i = p[6];
    x.a = p[5];
    x.b += p[2];
    x.e++;
    y.d[1] = char(p[4]);
    p[2] = x.a + x.b + int(x.c) + int(x.d) + x.flag + x.e + y.d[1] + y.s + z.used + w.i;
    return p[2] + int(sizeof(aligned) + alignof(attributed) + sizeof(packed)) + THIRD + NAMELESS +
           static_cast<int>(declared_before::value);
}

// ---- Templates ----

template <class T> constexpr T half_of = T(1) / T(2);
template <class T, class U> struct pair_type {
    T first;
    U second;
};
template <class T, class U> pair_type(T, U) -> pair_type<T, U>;
template <class T, class U = T> using pair_of = struct pair_type<T, U>;
template <template <class, class> class P, class T> struct of_pair { P<T, P<T, T>> nested; };
template <int N> struct factorial { static constexpr int value = N * factorial<N - 1>::value; };
template <> struct factorial<0> {
    enum { value = 1 };
};
template <class T> struct is_pointer { static constexpr bool value = false; };
template <class T> struct is_pointer<T *> { static constexpr bool value = true; };
template <class... T> HD int sum_of(T... t) { return (0 + ... + int(t)); }
template <class... T> HD bool all_less(int limit, T... t) { return ((t < limit) && ...); }
template <auto N> HD int constant() { return int(N); }
template <int... N> struct numbers {
    static constexpr int count = sizeof...(N);
    HD static int weighted(const int *p) {
        int k = 0, total = 0;
        ((total += N * p[k++]), ...);
        return total;
    }
};
template <class T> HD auto value_of(T t) {
    if constexpr (is_pointer<T>::value)
        return *t;
    else
        return t;
}
template <class T> HD auto added(T a, T b) -> decltype(a + b) { return a + b; }
template <class T> HD decltype(auto) reference_to(T &t) { return (t); }
template <class T, int N> HD constexpr int length(const T (&)[N]) { return N; }
template <class F, class... A> HD int call(F &&f, A &&...a) { return f(static_cast<A &&>(a)...); }

HD int templates(int *p) {
    pair_of<int, pair_of<short>> a = {p[1], {short(p[2]), short(p[3])}};
    pair_type deduced{p[4], 2.5f};
    of_pair<pair_type, int> b{{p[1], {p[2], p[3]}}};
    const int list[] = {1, 2, 3, 4};
    reference_to(p[3]) += 10;
    p[4] = factorial<3>::value + sum_of(p[1], p[2], 3.0f) + all_less(p[7], p[5], p[6], 1);
    int shifted = p[5] >> 1 << (p[1] > 0 ? 1 : 0), less = p[1] < p[2] ? 1 : 0;
    return a.second.second + int(2 * deduced.second) + b.nested.second.first + p[3] + p[4] +
           shifted + less + constant<'A'>() + constant<sizeof(int)>() +
           numbers<1, 2, 3>::weighted(p) + numbers<4, 5>::count + value_of(p + 6) + value_of(7) +
           added(p[1], p[2]) + length(list) + int(4 * half_of<float>) +
           call([](int x, int y) { return x * y; }, p[2], 3);
}

// ---- Functions, pointers to them and to members, operators ----

HD inline constexpr int operator""_thousand(unsigned long long n) { return int(n) * 1000; }
HD int twice(int x) { return 2 * x; }
HD int thrice(int x) noexcept { return 3 * x; }
HD int (*choose(bool first))(int) { return first ? twice : thrice; }
HD auto row_of(int (*rows)[3]) -> int (*)[3] { return rows + 1; }
HD int with_default(int x, int y = 4, const char * = "(){}:;<<<") { return x + y; }
HD int from_array(const int (&a)[2], int b[], int (*)(int) = nullptr) { return a[1] + b[1]; }
struct callable {
    int v[2];
    HD int operator()(int x) const { return v[0] + x; }
    HD int &operator[](int i) & { return v[i]; }
    HD callable *operator->() { return this; }
    HD explicit operator bool() const noexcept { return v[0] != 0; }
    HD operator int() const { return v[1]; }
    HD callable &operator<<(int x) { return v[0] <<= x, *this; }
    HD callable &operator>>=(int x) { return v[1] >>= x, *this; }
    HD callable operator++(int) {
        callable old = *this;
        return ++v[0], old;
    }
    HD friend bool operator<(const callable &l, const callable &r) { return l.v[0] < r.v[0]; }
    HD friend callable operator,(callable l, int x) { return l.v[1] += x, l; }
    HD static int of_class(int x) { return x; }
};

HD int functions(int *p) {
    int rows[2][3] = {{1, 2, 3}, {4, 5, p[6]}}, (*row)[3] = row_of(rows), two[2] = {0, p[2]};
    int (*pointer)(int) = choose(p[1] == 1), (*const table[])(int) = {twice, &thrice};
    callable c = {{p[1], p[4]}}, d{p[2], p[3]};
    int (callable::*method)(int) const = &callable::operator(),
                                 (callable::*field)[2] = &callable::v;
    c << 2;
    d >>= 1;
    c++;
    p[5] = c(1) + c->v[0] + (c ? 1 : 0) + int(d) + (d < c) + int((d, 5));
    c[1] = p[5];
    return p[5] + (*row)[2] + pointer(3) + table[1](p[1]) + 1_thousand + with_default(p[1]) +
           from_array(two, p) + (c.*method)(2) + (d.*field)[0] + callable::of_class(1);
}

// ---- Lambdas ----

struct has_member {
    int m;
    HD int by_this(int x) {
        auto f = [this, x] { return m + x; };
        auto copied = [*this, x]() mutable noexcept -> int { return m += x; };
        return f() + copied() + m;
    }
};

HD int lambdas(int *p) {
    int k = p[1], n = 0;
    auto all_by_value = [=] { return p[2] + k; };
    auto all_by_reference = [&](int x) { n += x; };
    auto mixed = [&n, k](int x) -> int { return n + k + x; };
    auto named = [v = p[3] + 1, &r = p[4]]() mutable { return r = v++; };
    auto generic = [](auto a, auto... more) { return a + (0 + ... + more); };
    auto nested = [=](int x) { return [=](int y) { return x - y + k; }; };
    constexpr auto square = [](int x) { return x * x; };
    static_assert(square(3) == 9, "a lambda may be constant");
    all_by_reference(p[5]);
    all_by_reference([] { return 1; }());
    p[6] = all_by_value() + mixed(2) + named() + generic(p[1], p[2], 3);
    return p[6] + nested(p[7])(2) + square(p[2]) + has_member{p[3]}.by_this(p[1]) + n;
}

// ---- Namespaces, linkage, constants of a class ----

namespace grammar_names {
inline namespace version_1 {
HD constexpr int one() { return 1; }
} // namespace version_1
namespace inside {
HD static int four() { return 4; }
} // namespace inside
} // namespace grammar_names
namespace grammar_names::inside {
inline constexpr int five = 5;
namespace {
HD int six() { return five + 1; }
} // namespace
} // namespace grammar_names::inside
extern "C" {
HD int of_c(int x) { return x; }
static_assert(sizeof(int) == 4);
}
extern "C++" HD int of_cpp(int x) { return x + 1; }
struct with_static {
    static constexpr int table[] = {1, 2, 4};
    static constexpr const char *text = R"(})";
    static const int number;
};
const int with_static::number = 8;

#include "statements.h"

// Last, for clang 14 loses the lines of a raw string.
HD int literals(int *p) {
    static constexpr int powers[] = {1, 10, 1'00};
    const char raw[] = R"x(
{ __global__ void f<<<1, 1>>>(); } // ")" "
)x"
                       "and" /* more */ " more";
    const char *const names[] = {"a\"b", u8"\x41", __func__};
    const wchar_t wide = L'w';
    p[1] = 0b101 + 0x1F + 017 + '\'' + int(0x1p3f) + int(1e1) + 1u + int(2ull) + int(1'000.5f);
    p[2] = int(sizeof raw) + raw[1] + names[0][1] + names[1][0] + names[2][0] + int(wide);
    return p[1] + p[2] + powers[2] + (true ? alignof(double) : 0) + ::grammar_names::one() +
           grammar_names::inside::six() + of_c(1) + of_cpp(2) + with_static::table[2] +
           with_static::text[0] + (nullptr == (void *)0) + int(noexcept(of_c(1))) + sizeof(int[3]);
}

// ---- On the host alone ----

struct may_throw {
    int a;
    may_throw(int x) try : a(x ? x : throw 5) {
    } catch (int) {
    }
};
thread_local int of_thread = 3;
template <class T> struct on_host {
    T t;
    template <class U> static auto launch(U *p, T n) -> void;
};
extern template struct on_host<long>;
template struct on_host<long>;
struct counted {
    static inline int alive = 0;
    counted() { alive++; }
    counted(counted &&) noexcept : counted() {}
    ~counted() { alive--; }
};

static int on_the_host() {
    static const auto once = [] { return 7; }();
    int caught = 0;
    try {
        may_throw fine(1);
        caught += fine.a;
        may_throw wrong(0);
    } catch (const int &e) {
        caught += e;
    } catch (...) {
        caught = -1;
    }
    {
        counted a, b(static_cast<counted &&>(a));
        caught += counted::alive;
    }
    asm volatile("");
    return caught + of_thread + once + counted::alive;
}

// ---- Both, compared ----

#define EACH(X)                                                                                    \
    X(constructors, 48)                                                                            \
    X(classes, 47)                                                                                 \
    X(layouts, 76)                                                                                 \
    X(templates, 148)                                                                              \
    X(functions, 1053)                                                                             \
    X(lambdas, 49)                                                                                 \
    X(statements, 66)                                                                              \
    X(loops, 68)                                                                                   \
    X(assignments, 117)                                                                            \
    X(literals, 1875)

#define ON_DEVICE(name, expected) r.results[i++] = name(fresh(p));
#define ON_HOST(name, expected)                                                                    \
    check(#name ", in a kernel", on_device.results[i++], expected);                                \
    check(#name ", on the host", name(fresh(p)), expected);

enum { MOST = 16 };
struct results {
    int results[MOST];
};
HD static int *fresh(int *p) {
    for (int i = 0; i < 8; i++)
        p[i] = i;
    return p;
}
__global__ void all(results &__restrict__ r, int (&p)[8]) {
    int i = 0;
    EACH(ON_DEVICE)
}

template <class T> template <class U> auto on_host<T>::launch(U *p, T n) -> void {
    all<<<dim3(unsigned(n)), 1 << (n >> 1)>>>(*p, p->memory);
}

static int wrong = 0;
static void check(const char *what, int result, int expected) {
    if (result == expected)
        return;
    printf("%s: WRONG: %d, not %d\n", what, result, expected);
    wrong++;
}

struct in_device : results {
    int memory[8];
};

auto main() -> int {
    in_device *d, on_device;
    int p[8], i = 0;
    cudaMalloc(&d, sizeof *d);
    on_host<long>::launch(d, 1L);
    cudaMemcpy(&on_device, d, sizeof *d, cudaMemcpyDeviceToHost);
    check("error", cudaGetLastError(), cudaSuccess);
    EACH(ON_HOST)
    check("on the host alone", on_the_host(), 18);
    cudaFree(d);
    if (wrong == 0)
        printf("grammar: ok\n");
    return wrong > 0;
}
