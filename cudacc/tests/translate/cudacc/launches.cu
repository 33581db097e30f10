// Every form of a kernel launch. Each adds its number to a count: blocks * threads * value.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdio.h>
#include <type_traits>
#include <vector>

__device__ int total;

__global__ void add(int value) { atomicAdd(&total, value); }
__global__ void add_shared(int value) {
    extern __shared__ int s[];
    if (threadIdx.x == 0) s[0] = value;
    __syncthreads();
    atomicAdd(&total, s[0]);
}
namespace outer {
__global__ void add(int value) { atomicAdd(&total, 100 * value); }
namespace inner {
__global__ void add(int value) { atomicAdd(&total, 1000 * value); }
} // namespace inner
} // namespace outer
template <typename T> __global__ void add_as(T value) { atomicAdd(&total, (int)value); }
template <typename T, int N> __global__ void add_times(T value) {
    atomicAdd(&total, N * (int)value);
}
template <typename T> __global__ void add_or_more(T value, const int *more) {
    atomicAdd(&total, (int)value + (more ? *more : 0));
}
template <typename T> struct size_of {
    static const int value = sizeof(T);
};
template <int A, int B> constexpr int larger() { return A > B ? A : B; }

// Names that mean something else, too: in std, which is used here, and as a device function.
using namespace std;
__global__ void copy(int *, const int *, int value) { atomicAdd(&total, value); }
__global__ void fill(int *, int value) { atomicAdd(&total, value); }
namespace {
__global__ void swap(int value) { atomicAdd(&total, value); }
} // namespace
namespace mine {
struct two {
    int a, b;
};
__global__ void count(two p, int value) { atomicAdd(&total, p.a * p.b * value); }
static void go() { count<<<1, 1>>>(two{1, 2}, 3); }
template <typename T> __global__ void plus(T a, int b = 2) { atomicAdd(&total, (int)a + b); }
} // namespace mine
template <typename T> __host__ __device__ T twice(T a) { return a + a; }
__global__ void twice(int value, int more) { atomicAdd(&total, twice(value) + more); }
template <typename F> __global__ void apply(F f, int value) { atomicAdd(&total, f(value)); }

// What a launch is given becomes parameters on the host, once.
struct counted_conversion {
    int *calls;
    operator int() const { return ++*calls, 3; }
};
struct single {
    single() {}
    single(const single &) = delete;
    operator int() const { return 5; }
    void add_method(int);
};
static int next_value = 0;
__global__ void add_method(int value) { atomicAdd(&total, value); }
__global__ void add_next(int value, int = 0, int more = ++next_value) {
    atomicAdd(&total, value + more);
}
template <typename T> __global__ void add_each(T value, mine::two p, int times = 2) {
    atomicAdd(&total, times * ((int)value + p.a));
}
template <class T> __global__ enable_if_t<is_integral<T>::value> add_kind(T, int n = 1) {
    atomicAdd(&total, n);
}
template <class T> __global__ enable_if_t<!is_integral<T>::value> add_kind(T, int n = 2) {
    atomicAdd(&total, n);
}
__global__ void add_once(int n = [] __host__ __device__ { return 4; }()) { atomicAdd(&total, n); }
__global__ void add_late(int n = (add_once<<<1, 1>>>(), 7)) { atomicAdd(&total, n); }
template <typename T> static void launch_member(T v) { mine::template plus<T><<<1, 1>>>(v); }
__global__ void iota(void) { atomicAdd(&total, 1000); }
struct owned_stream {
    cudaStream_t it;
    owned_stream() { cudaStreamCreate(&it); }
    ~owned_stream() { cudaStreamDestroy(it); }
};
template <typename... T> static void launch_each(T... values) {
    int all[] = {(add_next<<<1, 1>>>(values, 0, 0), 0)...};
    (void)all;
}

// 1 when the launch added `expected`, then the count starts again.
static int counted(const char *form, int expected) {
    int count = -1, zero = 0;
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&count, total, sizeof count);
    cudaMemcpyToSymbol(total, &zero, sizeof zero);
    printf("%s: %s\n", form, e == cudaSuccess && count == expected ? "ok" : "WRONG");
    return count == expected;
}

// A launch as it stands, and its count.
#define FORM(name, expected, ...)                                                                  \
    __VA_ARGS__;                                                                                   \
    counted(name, expected)
#define LAUNCH(kernel, blocks, threads, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)
#define CHECKED(call)                                                                              \
    do {                                                                                           \
        call;                                                                                      \
        if (cudaGetLastError()) printf("launch failed\n");                                         \
    } while (0)

typedef void (*kernel_t)(int);
struct entry {
    kernel_t fn;
    int expected;
};
struct holder {
    kernel_t k;
    void go(int v) { this->k<<<1, 3>>>(v); }
    kernel_t *address() { return &k; }
};
static kernel_t get() { return add; }

template <kernel_t K> static void launch_parameter(int v) { K<<<1, 2>>>(v); }
template <typename F> static void launch_argument(F f, int v) { f<<<1, 4>>>(v); }
template <typename T> static void launch_dependent(T v) {
    add_as<T><<<1, 5>>>(v);
    add_times<T, sizeof(T)><<<1, 1>>>(v);
}
static int declared_later(int v);

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int a = 9, b = 8, i = 0;

    add<<<2, 3>>>(1);
    counted("plain", 6);
    add<< <2, 3>> >(1);
    counted("spaces in the brackets", 6);
    FORM("spaces around the brackets", 6, add <<<2, 3>>> (1));
    add
        <<<
            2,
            3
        >>>
        (
            1);
    counted("over lines", 6);
    FORM("dim3", 32, add<<<dim3(2, 2), dim3(2, 2, 2)>>>(1));
    FORM("braces", 12, add<<<{2, 2}, {3}>>>(1));
    FORM("shared", 4, add_shared<<<1, 4, 16>>>(1));
    FORM("stream", 4, add_shared<<<1, 4, 4 * sizeof(int), stream>>>(1));
    FORM("NULL stream", 4, add_shared<<<1, 4, sizeof(int[4]), NULL>>>(1));
    FORM("nullptr stream", 4, add_shared<<<1, 4, 16, nullptr>>>(1));
    FORM("shift in the configuration", 32, add<<<(a + b) / b, 64 >> 2>>>(1));
    FORM("left shift in the configuration", 4, add<<<1 << 2, 1>>>(1));
    FORM("comparison in the configuration", 2, add<<<a > b ? 2 : 1, (a < b) + 1>>>(1));
    FORM("templates in the configuration", 3,
         add<<<size_of<std::vector<std::vector<int>>>::value / 24, larger<3, (5 > 4)>()>>>(1));
    FORM("lambdas in the configuration", 3,
         add<<<[&]() { return a - b; }(), [](int n) { return n; }(3)>>>(1));
    FORM("comma operator", 2, add<<<(i++, 2), 1>>>(1));
    FORM("lambda as argument", 8, add<<<1, 1>>>([](int n) { return n << 2; }(2)));
    FORM("brackets in strings", 6, add<<<1, 1>>>((int)("<<<"[0] == '<') + (int)sizeof(">>>(")));

    FORM("global name", 1, ::add<<<1, 1>>>(1));
    FORM("qualified name", 100, outer::add<<<1, 1>>>(1));
    FORM("name in a nested namespace", 1000, outer::inner::add<<<1, 1>>>(1));
    {
        using namespace outer::inner;
        using outer::inner::add;
        add<<<1, 1>>>(2);
    }
    counted("name from a using declaration", 2000);

    FORM("a name of std", 6, copy<<<1, 2>>>((int *)nullptr, (const int *)nullptr, 3));
    FORM("a name of std with other parameters", 6, fill<<<1, 2>>>(nullptr, 3));
    FORM("a name of std in a namespace without a name", 6, swap<<<1, 2>>>(3));
    FORM("a name of std in a namespace", 6, mine::go());
    FORM("a qualified name of std", 12, mine::count<<<1, 1>>>(mine::two{3, 4}, 1));
    FORM("the name of a device function", 7, twice<<<1, 1>>>(3, 1));
    apply<<<1, 2>>>([=] __device__(int x) { return x * a; }, 1);
    counted("a lambda of the device as argument", 18);
    vector<int> v{2, 1};
    sort(v.begin(), v.end());
    printf("what std has itself: %s\n", v[0] == 1 ? "ok" : "WRONG");

    FORM("template", 6, add_as<int><<<1, 2>>>(3));
    FORM("deduced template", 6, add_as<<<1, 2>>>(3));
    FORM("converted argument", 6, add_as<unsigned long long><<<1, 2>>>(3));
    FORM("template with a number", 24, add_times<int, 4><<<1, 2>>>(3));
    FORM("template with a comparison", 6, add_times<int, (4 > 3)><<<1, 2>>>(3));
    FORM("template with a shift", 48, add_times<int, 1 << 3><<<1, 2>>>(3));
    FORM("nested template", 18, add_times<int, larger<2, 3>()><<<1, 2>>>(3));
    FORM("NULL for a template's pointer", 6, add_or_more<<<1, 2>>>(3, NULL));
    FORM("0 for a template's pointer", 6, add_or_more<int><<<1, 2>>>(3, 0));
    FORM("in a template", 18, launch_dependent(2));

    kernel_t pointer = add;
    FORM("function pointer", 6, pointer<<<1, 2>>>(3));
    FORM("function pointer, dereferenced", 6, (*pointer)<<<1, 2>>>(3));
    FORM("name in parentheses", 6, (add)<<<1, 2>>>(3));
    auto chosen = a > b ? add : outer::add;
    FORM("auto", 6, chosen<<<1, 2>>>(3));
    FORM("conditional callee", 300, (a < b ? add : outer::add)<<<1, 1>>>(3));
    struct entry table[] = {{add, 6}, {outer::add, 600}};
    for (i = 0; i < 2; i++) table[i].fn<<<1, 2>>>(3), counted("table", table[i].expected);
    struct entry *e = table;
    FORM("member of a pointer", 6, e->fn<<<1, 2>>>(3));
    FORM("member", 6, (*e).fn<<<1, 2>>>(3));
    kernel_t list[2] = {add, outer::add};
    FORM("element", 6, list[1 - 1]<<<1, 2>>>(3));
    FORM("result of a call", 6, get()<<<1, 2>>>(3));
    holder h = {add};
    FORM("this->", 6, h.go(2));
    FORM("dereferenced result", 6, (*h.address())<<<1, 2>>>(3));
    FORM("template parameter", 6, launch_parameter<add>(3));
    FORM("argument", 12, launch_argument(add, 3));
    FORM("template as argument", 12, launch_argument(add_as<float>, 3));
    kernel_t of_template = add_times<int, 2>;
    FORM("pointer to a template", 12, of_template<<<1, 2>>>(3));

    FORM("macro", 4, LAUNCH(add, 2, 2, 1));
    CHECKED((add<<<2, 2>>>(1)));
    CHECKED(LAUNCH((add_times<int, 2>), 2, 2, 1));
    counted("macros in macros", 12);
    FORM("if without braces", 1, if (a > b) add<<<1, 1>>>(1); else add<<<1, 1>>>(2));
    FORM("else without braces", 2, if (a < b) add<<<1, 1>>>(1); else add<<<1, 1>>>(2));
    FORM("if before a parenthesis", 1, if (a > b) (*pointer)<<<1, 1>>>(1));
    FORM("for without braces", 3, for (i = 0; i < 3; i++) add<<<1, 1>>>(i));
    FORM("do without braces", 3, do add<<<1, 1>>>(1); while (++i < 6));
    switch (a) {
    case 9: add<<<1, 1>>>(1); break;
    default: add<<<1, 1>>>(2);
    }
    counted("case", 1);
    i = 1'000 - 999; add<<<1, 1>>>(i);
    counted("behind a digit separator", 1);
    FORM("several", 6, add<<<1, 1>>>(1), add<<<1, 1>>>(2); add<<<1, 1>>>(1); add<<<1, 1>>>(2));
    FORM("conditional", 1, a > b ? add<<<1, 1>>>(1) : add<<<1, 1>>>(2));
    FORM("right of &&", 1, (void)(a > b && (add<<<1, 1>>>(1), true)));
    auto lambda = [=](int n) { add<<<1, n>>>(b); };
    FORM("in a lambda", 16, lambda(2));
    FORM("a parameter that hides one", 100, [](kernel_t add) { add<<<1, 1>>>(1); }(outer::add));
    {
        kernel_t add = outer::inner::add;
        add<<<1, 1>>>(1);
    }
    counted("a variable that hides a kernel", 1000);
    int calls = 0;
    single one;
    FORM("a conversion", 12, add_next<<<1, 2>>>(counted_conversion{&calls}, 0, 3));
    FORM("a default argument", 8, add_next<<<1, 2>>>(3); next_value = 7);
    printf("once for a launch: %s\n", calls == 1 && next_value == 7 ? "ok" : "WRONG");
    FORM("a class that cannot be copied", 6, add_next<<<1, 1>>>(one, 0, 1));
    FORM("a method's name", 5, add_method<<<1, 1>>>(one));
    FORM("(void), a name of std", 1000, iota<<<1, 1>>>());
    FORM("told apart by enable_if", 3, add_kind<<<1, 1>>>(1.5f); add_kind<<<1, 1>>>(1));
    FORM("a launch in a default argument", 11, add_late<<<1, 1>>>());
    FORM("ns::template", 5, launch_member(3));
    FORM("a pack", 6, launch_each(1, 2, 3));
    FORM("a stream for this launch", 4, add_next<<<1, 1, 0, owned_stream().it>>>(3, 0, 1));
    FORM("a launch in an argument", 7,
         add_next<<<1, 2>>>((add_next<<<1, 1>>>(1, 0, 0), 2), 0, 1));
    FORM("0 for a deduced template's pointer", 6, add_or_more<<<1, 2>>>(3, 0));
    add_each<<<1, 1>>>(3, {2, 0});
    add_each<int><<<1, 1>>>(3, {2, 0}, 1);
    counted("braces", 10 + 5);
    FORM("left of a comma", 8, add_each<<<1, 1>>>(3, {1, 0}), (void)0);
    counted("declared later", declared_later(5));
    cudaStreamDestroy(stream);
    return 0;
}

__global__ void defined_later(int value);
static int declared_later(int v) {
    defined_later<<<1, 1>>>(v);
    return v;
}
__global__ void defined_later(int count) { atomicAdd(&total, count); }
