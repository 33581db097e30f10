// Declarations of classes in which a colon or a word is easily taken for something else. Compiled
// plain and traced.
// SPDX-License-Identifier: MIT
#include <stdio.h>

struct set_at_once {
    int a;
    __host__ __device__ set_at_once() noexcept : a(1) {}
};

template <class T> struct by_parts {
    T a, b;
    __host__ __device__ explicit by_parts(T first) noexcept(true) : a(first), b{first} {}
    __host__ __device__ by_parts(T first, T second) noexcept
        : a(first), b(second > 3 ? second : 3) {}
};

struct base {
    unsigned low : 4, high : 12;
};

struct outer {
    struct inner final : base {
        int more : 8;
    };
    struct other {
        struct inner final : public base {
            short more;
        };
        inner held;
    };
    enum kind : unsigned char { NONE, SOME };
    kind what : 2;
};

__global__ void use(int *out) {
    unsigned i = threadIdx.x;
    set_at_once one;
    by_parts<int> two(4), three(5, 2);
    outer::inner x;
    outer::other y;
    outer z;
    x.low = i;
    x.more = 3;
    y.held.high = i;
    y.held.more = 5;
    z.what = outer::SOME;
    out[i] =
        one.a + two.b + three.b + (int)x.low + x.more + (int)y.held.high + y.held.more + z.what;
}

int main() {
    enum { N = 64 };
    int *d, h[N], wrong = 0;
    cudaMalloc(&d, sizeof h);
    use<<<1, N>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int i = 0; i < N; i++)
        wrong += h[i] != 1 + 4 + 3 + i % 16 + 3 + i + 5 + 1;
    printf("classes: %s\n", wrong ? "WRONG" : "ok");
    return wrong > 0;
}
