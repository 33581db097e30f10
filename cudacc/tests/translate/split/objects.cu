/*
 * objects.cu: kernels whose names look like numbers and mean objects: types decide what they do.
 * Each element is compared with what C++ gives; a line names a kernel that is wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

enum { THREADS = 64 };
struct counted { /* the threads that have left its scope */
    int *n;
    __device__ explicit counted(int *p) : n(p) {}
    __device__ ~counted() { atomicAdd(n, 1); }
};
struct adder {
    int &sum;
    __device__ void add(int x) { sum += x; }
    template <class T> __device__ adder &operator<<(T &x) { return x += 7, *this; }
};
struct even_lane {
    __device__ explicit operator bool() const { return threadIdx.x % 2 == 0; }
};
struct lane {
    int base;
    __device__ friend bool operator==(lane a, int b) {
        return a.base + (int)(threadIdx.x & 3) == b;
    }
};
struct global_index {
    __device__ operator int() const { return threadIdx.x; }
};
struct of_a_double {
    int v;
    __device__ of_a_double(double) : v(1) {}
    __device__ explicit of_a_double(int) : v(2) {}
};
struct place {
    const unsigned &x;
};
__device__ int operator<<(int &x, place) { return x++; }
struct turns {
    int left;
    __device__ bool operator--(int) { return left-- > 0; }
};
__device__ constexpr global_index here{};
__device__ int operator""_lanes(unsigned long long n) { return (int)(threadIdx.x / n); }
namespace mine {
__device__ int min(int a, int b) { return a + b + (int)threadIdx.x; }
} // namespace mine

__global__ void leaves(int *out, int *left, int n) {
    __shared__ int s[THREADS];
    counted all(left);
    for (int i = 0; i < n; i++) {
        counted each(left);
        s[threadIdx.x] = i;
        __syncthreads();
        if (i == 2)
            break;
    }
    out[threadIdx.x] = s[0] + 1;
}
__global__ void adds(int *out, int *left, int n) {
    __shared__ int s[THREADS];
    int sum = 0, more = n;
    adder a{sum};
    for (int i = threadIdx.x; i < 256; i += THREADS)
        a.add(i);
    a << more;
    s[threadIdx.x] = sum + more;
    __syncthreads();
    if (sum > 500)
        return;
    out[threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}
template <class predicate> __global__ void chooses(int *out, int *left, predicate wanted) {
    __shared__ int s[THREADS];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (!wanted)
        return;
    out[threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}
__global__ void compares(int *out, int *left, lane l) {
    __shared__ int s[THREADS];
    int hits = 0;
    for (int i = 0; i < 4; i++) {
        __syncthreads();
        s[threadIdx.x] = i;
        __syncthreads();
        if (l == i)
            continue;
        hits += s[(threadIdx.x + 1) % THREADS];
    }
    out[threadIdx.x] = hits;
}
__global__ void is_an_index(int *out, int *left, int n) {
    __shared__ int s[THREADS];
    s[here] = here + n;
    __syncthreads();
    if (here >= 40)
        return;
    out[here] = s[THREADS - 1 - here];
}
__global__ void literals(int *out, int *left, int n) {
    __shared__ int s[THREADS];
    s[threadIdx.x] = n;
    __syncthreads();
    if (16_lanes == 1)
        return;
    out[threadIdx.x] = s[0];
}
__global__ void finds_mine(int *out, int *left, int n) {
    using mine::min;
    __shared__ int s[THREADS];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (min(n, 0) > 30)
        return;
    out[threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}
__global__ void converts(int *out, int *left, int n) {
    of_a_double a = 1;
    int x = threadIdx.x, *p = &x;
    place at{threadIdx.x};
    __syncthreads();
    *p += n;
    n << at;
    __syncthreads();
    while (n > 6)
        __syncthreads();
    out[threadIdx.x] = a.v + *p + n - 6 + (int)(at.x - threadIdx.x);
}
__global__ void counts_down(int *out, int *left, turns t) {
    __shared__ int s[THREADS];
    int sum = 0;
    while (t--) {
        s[threadIdx.x] = t.left;
        __syncthreads();
        sum += s[THREADS - 1 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

__device__ int raise(int &x) { return x += threadIdx.x; }
__global__ void hides(int *out, int *left, int n) {
    __shared__ int s[THREADS];
    s[threadIdx.x] = n;
    __syncthreads();
    {
        [[maybe_unused]] int n = threadIdx.x;
        decltype(n) left = n;
        ::lane out_of{left};
        __syncthreads();
        out[threadIdx.x] = s[0] + n + left + out_of.base;
    }
}
__global__ void in_turn(int *out, int *left, int n) {
    int x = n, y = (raise(x), __shfl_xor_sync(0xffffffff, x, 1));
    int z = (raise(x) << 8) + __shfl_sync(0xffffffff, y, 0);
    if (int w = x; __any_sync(0xffffffff, w > 0))
        out[threadIdx.x] = y + z;
}
__global__ void finds_mine_later(int *out, int *left, int n) {
    int x = min(n, 1), t = threadIdx.x;
    using mine::min;
    x += min(x, 1) - t;
    __syncthreads();
    out[t] = x;
}
__global__ void remembers(int *out, int *left, int n) {
    int x = 2 * threadIdx.x;
    const int &y = n > 2 ? x : n;
    {
        struct {
            const int *p;
        } later = {&y};
        __syncthreads();
        n = *later.p;
    }
    __syncthreads();
    out[threadIdx.x] = n;
}

static int *out, *left;
static void check(const char *name, int expected(int), int leaving) {
    int wrong = cudaDeviceSynchronize() != cudaSuccess || *left != leaving;
    for (int i = 0; i < THREADS; i++)
        wrong += out[i] != expected(i);
    if (wrong)
        printf("%s: wrong, %d have left\n", name, *left);
}
#define CHECK(kernel, argument, expected, leaving)                                                 \
    *left = 0;                                                                                     \
    for (int i = 0; i < THREADS; i++)                                                              \
        out[i] = -1;                                                                               \
    kernel<<<1, THREADS>>>(out, left, argument);                                                   \
    check(                                                                                         \
        #kernel, [](int i) -> int { return (void)i, expected; }, leaving)

int main() {
    cudaMallocManaged(&out, THREADS * sizeof *out);
    cudaMallocManaged(&left, sizeof *left);
    CHECK(leaves, 5, 3, 4 * THREADS);
    CHECK(adds, 1, 4 * i + 384 > 500 ? -1 : 4 * (63 - i) + 392, 0);
    CHECK(chooses, even_lane{}, i % 2 ? -1 : 63 - i, 0);
    CHECK(chooses, 0, -1, 0);
    CHECK(compares, lane{0}, 6 - (i & 3), 0);
    CHECK(is_an_index, 2, i < 40 ? 65 - i : -1, 0);
    CHECK(literals, 9, i / 16 == 1 ? -1 : 9, 0);
    CHECK(finds_mine, 3, i > 27 ? -1 : 63 - i, 0);
    CHECK(converts, 5, i + 6, 0);
    CHECK(counts_down, turns{3}, 3, 0);
    CHECK(hides, 5, 5 + 3 * i, 0);
    CHECK(in_turn, 3, 3 + (i ^ 1) + ((3 + 2 * i) << 8) + 3 + (i / 32 * 32 + 1), 0);
    CHECK(finds_mine_later, 3, 3, 0);
    CHECK(remembers, 3, 2 * i, 0);
    puts(cudaGetErrorName(cudaGetLastError()));
}
