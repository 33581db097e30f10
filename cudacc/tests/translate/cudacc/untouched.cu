// What looks like a launch or a qualifier and is none: it must come through as it stands.
// SPDX-License-Identifier: MIT
#include <iostream>
#include <map>
#include <sstream>
#include <stdio.h>
#include <string.h>
#include <string>
#include <vector>

#define CHECK(condition) printf("%s: %s\n", #condition, (condition) ? "ok" : "WRONG")
#define TEXT(...) #__VA_ARGS__

struct stream {
    std::string text;
};
template <typename T> stream &operator<<(stream &s, const T &value) {
    std::ostringstream o;
    o << value << '<';
    s.text += o.str();
    return s;
}
struct shifty {
    int v;
    int operator<<(int n) const { return v << n; }
    int operator>>(int n) const { return v >> n; }
    shifty &operator<<=(int n) { return v <<= n, *this; }
    shifty &operator>>=(int n) { return v >>= n, *this; }
    bool operator<(const shifty &o) const { return v < o.v; }
};
template <typename T> struct less {
    bool operator()(const T &a, const T &b) const { return a < b; }
};
template <typename T> void print(T);
namespace friends {
template <typename T> struct box;
template <typename T> int operator<<(const box<T> &b, int n);
template <typename T> struct box {
    T t;
    friend int operator<< <>(const box<T> &b, int n);
};
template <typename T> int operator<<(const box<T> &b, int n) { return (int)b.t + n; }
} // namespace friends

static int line_of(int line) { return line; }

int main() {
    int x = 64, y = 2, n = 0;
    x <<= 3;
    x >>= 1;
    CHECK(x == 256);
    CHECK((x >> 2 >> 1) == 32 && (1 << y << 3) == 32);
    CHECK((x>>y>1) == 1 && (x<<y<1) == 0);
    stream s;
    s << 1 << "<<<" << '>' << std::string(">>>");
    operator<< <int>(s, 2);
    CHECK(s.text == "1<<<<<><>>><2<");
    CHECK((shifty{3} << 2) == 12 && (shifty{12} >> 2) == 3);
    shifty z{1};
    (z <<= 4) >>= 1;
    CHECK(z.v == 8);
    std::vector<std::vector<std::vector<int>>> nested(2, std::vector<std::vector<int>>(3));
    CHECK(nested.size() == 2 && nested[1].size() == 3);
    std::map<int, std::vector<int>, less<int>>m;
    m[1] = {1, 2};
    CHECK(m.size() == 1);
    CHECK(std::string("k<<<1, 1>>>(\"__global__\")").size() == 25);
    const char raw[] = R"(k<<<1,
1>>>(") // not a comment)";
    CHECK(sizeof raw == 31 + 1);
    CHECK(std::string(R"x()" __shared__ int <<< )x").size() == 22);
    CHECK(std::string(u8"\"<<<\\").size() == 5 && L'<' == 60 && u'>' == 62 && '"' == 34);
    CHECK(1'000'000 == 1000000 && 0x1p3 == 8 && 1e+3 == 1000. && 0xe + 1 == 15 && .5e-1 == 0.05);
    // k<<<1, 1>>>(0); __global__ void not_here(
    /* k<<<1, 1>>>(0); '"' */
    CHECK(std::string(TEXT(k<<<1, 1>>>(0))) == "k<<<1, 1>>>(0)");
    CHECK(std::string(TEXT(__device__ __host__ __shared__)) == "__device__ __host__ __shared__");
    auto f = [](auto a, auto b) { return a << b; };
    CHECK(f(1, 3) == 8);
    CHECK((friends::box<int>{3} << 4) == 7);
    bool less_than = x < y, both = x < y || y > (n);
    CHECK(!less_than && both);
#pragma unroll
    for (int i = 0; i < 4; i++) n += i;
#pragma unroll 4
    for (int i = 0; i < 4; i++) n += i;
    _Pragma("unroll") for (int i = 0; i < 4; i++) n += i;
    CHECK(n == 18);
    CHECK(line_of(__LINE__) == 89);
    int spliced = \
        1; /* joined */ \ // in nvcc also before a comment
    n = 18;
    CHECK(n == 18 && spliced == 1);
    const char *file = strrchr(__FILE__, '/');
    CHECK(std::string(file ? file + 1 : __FILE__) == "untouched.cu");
#ifdef __CUDA_ARCH__
    CHECK(!"__CUDA_ARCH__ is defined in host code");
#endif
#ifndef __CUDACC__
    CHECK(!"__CUDACC__ is not defined");
#endif
    return 0;
}
