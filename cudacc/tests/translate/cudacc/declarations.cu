// Every form of a qualified declaration. Prints what kernels see and what the host sees of it.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#define HD __host__ __device__
#define CHECK(condition) printf("%s: %s\n", #condition, (condition) ? "ok" : "WRONG")

// Kernels
void __global__ void_first(int *out) { out[0] = 1; }
static __global__ void static_kernel(int *out) { out[1] = 2; }
__global__ static void static_last(int *out) { out[2] = 3; }
extern "C" __global__ void c_kernel(int *out) { out[3] = 4; }
extern "C" {
__global__ void c_block_kernel(int *out) { out[4] = 5; }
}
__global__ void __launch_bounds__(256) bounded(int *out) { out[5] = 6; }
__launch_bounds__(8 * (16 + 16), 2) __global__ void bounded_first(int *out) { out[6] = 7; }
template <typename T, int N = 4>
__global__ void __launch_bounds__(N * 32, 1) bounded_template(T *__restrict__ out) {
    out[7] = (T)(4 + N);
}
__global__ void forward(int *, const int = 9, float * = nullptr);
__global__ void forward(int *out, int value, float *) { out[8] = value; }
__global__ void overloaded(int *out) { out[9] = 10; }
__global__ void overloaded(int *out, unsigned int value) { out[10] = (int)value; }
template <typename T> __global__ void overloaded(int *out, T a, T b) { out[11] = (int)(a + b); }
namespace {
__global__ void hidden(int *out) { out[12] = 13; }
} // namespace
inline namespace v1 {
__global__ void versioned(__grid_constant__ const int value, int *out) { out[13] = value; }
} // namespace v1
template <typename T> __global__ void specialised(int *out) { out[14] = 0; }
template <> __global__ void specialised<float>(int *out) { out[14] = 15; }
template <typename... T> __global__ void variadic(int *out, T... values) {
    int sum = 0, list[] = {(int)values...};
    for (int v : list) sum += v;
    out[15] = sum;
}
template __global__ void bounded_template<int, 8>(int *);
__attribute__((unused)) __global__ void attributed(int *out) { out[16] = 17; }
[[maybe_unused]] __global__ void attributed_too(int *out) { out[17] = 18; }
struct point {
    int x, y;
};
__global__ void by_value(const point p, struct point q, int *out) { out[18] = p.x + q.y; }
__global__ void pointers(int (*out)[4], int const *const *, void (*)(int)) { out[4][3] = 20; }

template <typename T> __global__ void instantiated(T *out, point p) { out[23] = p.x; }
template __global__ void instantiated<float>(float *, point);
template <> __global__ void instantiated<double>(double *, point) {}
__global__ void redeclared(int *, struct point, unsigned, const float *, int[], const int);
__global__ void redeclared(int *out, point p, unsigned n, const float *__restrict__, int more[],
                           int i) {
    more[20] = out[20] + p.x + p.y + n + i;
}
__global__ void redeclared(int *out, point, unsigned n, const float *, int *, const int);
__global__ void overload(int *out) { out[21] = 22; }
__global__ void overload(float *out) { ((int *)out)[22] = 23; }

// Device functions
__device__ int plain(int i) { return i + 1; }
__device__ __host__ int both(int i) { return i + 2; }
__forceinline__ __device__ int forced(int i) { return i + 3; }
static __device__ __forceinline__ int forced_too(int i) { return i + 4; }
__device__ __noinline__ int not_inlined(int i) { return i + 5; }
__device__ static inline int in_line(int i) { return i + 6; }
__device__ int *returns_pointer(int *p) { return p + 1; }
int __device__ type_first(int i) { return i + 7; }
__device__ int declared(int);
__device__ int declared(int i) { return i + 8; }
template <typename T> __device__ T of_template(T i) { return i + 9; }
template <> __device__ short of_template(short i) { return i + 10; }
__device__ auto trailing(int i) -> int { return i + 11; }
constexpr __device__ int constant_function(int i) { return i + 12; }
__attribute__((noinline)) __device__ int attributed_function(int i) { return i + 13; }
__device__ int (*choose(int))(int) { return plain; }

struct __align__(16) body {
    HD body(int a) : a(a), list{a, 2} {}
    HD ~body() {}
    __device__ int operator()(int i) const { return a + i; }
    __device__ __forceinline__ operator int() const { return a; }
    HD friend bool operator<(const body &l, const body &r) { return l.a < r.a; }
    static __device__ int of_class(int i) { return i + 14; }
    __device__ int outside(int) const;
    template <typename T> __device__ T member(T t) const { return t + a; }
    static const int shared_constant = 3;
    int a, list[2];
};
__device__ int body::outside(int i) const { return a * i; }
struct __align__(8) aligned {
    char c;
};

// Variables
__device__ int number = 5;
__device__ int zero, one = 1, several[3] = {1, 2, 3}, last = 4;
static __device__ int static_number = 6;
__device__ static int number_static = 7;
int __device__ number_first = 8;
__device__ const float table[] = {1.5f, 2.5f};
__constant__ float weights[16];
const __constant__ int fixed[2] = {3, 4};
__constant__ const char *const words[] = {"one", "two"};
__device__ const unsigned char small[2] = {5, 6};
__constant__ struct point origin = {1, 2};
__device__ struct {
    int a, b;
} anonymous = {1, 2};
__device__ int *pointer;
__device__ int (*function_pointer)(int) = plain;
__device__ __managed__ int managed = 10;
__managed__ int managed_array[2] = {11, 12};
__device__ volatile int changing = 13;
__device__ __align__(16) char bytes[16] = "fifteen";
alignas(32) __device__ char wide[32];
__device__ constexpr int constant_expression = 14;
__device__ unsigned long long int long_name = 15;
namespace deep {
__device__ int number = 16;
}
template <typename T> struct box {
    T t;
};
__device__ box<box<int>> nested = {{18}};
enum colour { red, green };
__device__ enum colour painted = green;
typedef float row[4];
__constant__ row rows[2];

__global__ void read(int *out) {
    static __device__ int calls = 40;
    body b(2), c(3);
    auto local = [=] __device__(int i) { return b.a + i; };
    int i = 0;
    out[i++] = plain(0) + both(0) + forced(0) + forced_too(0) + not_inlined(0) + in_line(0);
    out[i++] = *returns_pointer(several) + type_first(0) + declared(0) + of_template(0);
    out[i++] = of_template((short)0) + trailing(0) + constant_function(0) + attributed_function(0) +
               (words[1][0] == 't') - 1;
    out[i++] = b(1) + (int)c + (b < c) + body::of_class(0) + b.outside(4) + c.member(1) +
               choose(0)(1);
    out[i++] = local(5) + number + zero + one + several[2] + last + static_number + number_static;
    out[i++] = number_first + (int)(table[0] + table[1]) + (int)weights[15] + fixed[1] + origin.y;
    out[i++] = anonymous.b + function_pointer(2) + managed + managed_array[1] + changing + bytes[0];
    out[i++] = constant_expression + (int)long_name + deep::number + nested.t.t;
    out[i++] = painted + (int)rows[1][3] + calls + (int)alignof(aligned) + (int)sizeof(body);
    pointer = out;
    managed++;
}

// Templates of variables in device memory: the host copies to and from their instances.
namespace deep {
template <class T> __constant__ T factor = T(2.5);
template <class T, int N = 4> __device__ T cells[N];
} // namespace deep
template <class T> __device__ T counter;
using deep::factor;
template <class T> __device__ T twice() { return 2 * factor<T>; }
template <class T> __global__ void use_templates(int *out) {
    __shared__ T s[32];
    s[threadIdx.x] = factor<T> + deep::cells<T>[1];
    __syncthreads();
    atomicAdd(&counter<int>, 1);
    out[threadIdx.x] = (int)(4 * (s[31 - threadIdx.x] + twice<T>()));
}

// What a template requires, before its declaration and behind; functions of the compiler alone.
#if __cplusplus >= 202002L
template <class T> concept small_number = requires(T a) { a + 1; } && sizeof(T) == 4;
consteval int three() { return 3; }
template <small_number T> requires (sizeof(T) == 4) struct two {
    T a, b;
    __device__ T sum() const requires (sizeof(T) < 8) { return a + b; }
};
template <class T> requires small_number<T> && requires(T a) { a - 1; } __device__ T less(T a) {
    __shared__ T last;
    if (threadIdx.x == 0) last = three() - 2;
    __syncthreads();
    return a - last;
}
template <class T> __device__ T more(T a) requires requires(T b) { b + 1; } {
    return a + threadIdx.x;
}
template <class T> requires (sizeof(T) == 4) __global__ void required(T *out) {
    if constexpr (requires(T a) { a << 1; }) out[threadIdx.x] = less(more(two<T>{20, 12}.sum()));
}
#endif

int main() {
    int *out, host[32];
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    void_first<<<1, 1>>>(out), static_kernel<<<1, 1>>>(out), static_last<<<1, 1>>>(out),
        c_kernel<<<1, 1>>>(out), c_block_kernel<<<1, 1>>>(out), bounded<<<1, 1>>>(out),
        bounded_first<<<1, 1>>>(out), bounded_template<int><<<1, 1>>>(out), forward<<<1, 1>>>(out),
        overloaded<<<1, 1>>>(out), overloaded<<<1, 1>>>(out, 11),
        overloaded<double><<<1, 1>>>(out, 6, 6), hidden<<<1, 1>>>(out),
        versioned<<<1, 1>>>(14, out), specialised<float><<<1, 1>>>(out),
        variadic<<<1, 1>>>(out, 7, 8.0, 1L), attributed<<<1, 1>>>(out),
        attributed_too<<<1, 1>>>(out), by_value<<<1, 1>>>({9, 0}, point{0, 10}, out),
        pointers<<<1, 1>>>((int(*)[4])out, NULL, 0),
        redeclared<<<1, 1>>>(out, {5, 6}, 7, nullptr, out, 3),
        instantiated<int><<<1, 1>>>(out, {24, 0}), overload<<<1, 1>>>(out),
        overload<<<1, 1>>>((float *)out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 24; i++) CHECK(host[i] == i + 1);

    float w[16] = {0}, r[2][4] = {{0}};
    w[15] = 21;
    r[1][3] = 22;
    cudaMemcpyToSymbol(weights, w, sizeof w);
    cudaMemcpyToSymbol(rows, r, sizeof r);
    read<<<1, 1>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    CHECK(cudaGetLastError() == cudaSuccess);
    const int expected[] = {21, 26, 46, 35, 33, 39, 142, 63, 87};
    for (int i = 0; i < 9; i++) {
        printf("read %d: %s\n", i, host[i] == expected[i] ? "ok" : "WRONG");
        if (host[i] != expected[i]) printf("%d, not %d\n", host[i], expected[i]);
    }
    CHECK(managed == 11);
    cudaPointerAttributes pointer_attributes;
    cudaPointerGetAttributes(&pointer_attributes, managed_array);
    CHECK(pointer_attributes.type == cudaMemoryTypeManaged);
    int *p = NULL, n = 50;
    cudaMemcpyFromSymbol(&p, pointer, sizeof p);
    CHECK(p == out);
    unsigned char c[2] = {0, 0};
    cudaMemcpyFromSymbol(c, small, sizeof c);
    CHECK(c[1] == 6);
    cudaMemcpyToSymbol(number, &n, sizeof n);
    n = 0;
    cudaMemcpyFromSymbol(&n, number, sizeof n);
    CHECK(n == 50);
    CHECK(both(1) == 3);
    cudaFuncAttributes attributes;
    const float cells[4] = {0, 10, 0, 0}, factor_now = 3.5f;
    n = 5;
    cudaMemcpyToSymbol(deep::cells<float>, cells, sizeof cells);
    cudaMemcpyToSymbol(counter<int>, &n, sizeof n);
    use_templates<float><<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&n, counter<int>, sizeof n);
    CHECK(host[1] == 70 && n == 37);
    CHECK(cudaMemcpyToSymbol(factor<float>, &factor_now, sizeof factor_now) == cudaSuccess);
    use_templates<float><<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    CHECK(host[1] == 82);
#if __cplusplus >= 202002L
    required<<<1, 4>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    CHECK(host[0] == 31 && host[3] == 34);
#endif
    CHECK(cudaFuncGetAttributes(&attributes, bounded_first) == cudaSuccess);
    CHECK(attributes.maxThreadsPerBlock == 256);
    cudaFree(out);
    return 0;
}
