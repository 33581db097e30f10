// Volatile memory: the lanes of a warp use it in step. Old programs end a sum over a block so,
// without __syncwarp. And each form in which a kernel can name volatile memory.
// SPDX-License-Identifier: MIT
#include <stdio.h>

enum { THREADS = 256 };

template <unsigned SIZE, class T> __device__ void sum_warp(volatile T *sum, unsigned i) {
    if (SIZE >= 64)
        sum[i] += sum[i + 32];
    if (SIZE >= 32)
        sum[i] += sum[i + 16];
    sum[i] += sum[i + 8];
    sum[i] += sum[i + 4];
    sum[i] += sum[i + 2];
    sum[i] += sum[i + 1];
}

template <class T> __global__ void by_function(int *out) {
    __shared__ T s[THREADS];
    unsigned i = threadIdx.x;
    s[i] = (T)i;
    __syncthreads();
    for (unsigned k = THREADS / 2; k > 32; k /= 2) {
        if (i < k)
            s[i] += s[i + k];
        __syncthreads();
    }
    if (i < 32)
        sum_warp<THREADS>(s, i);
    if (i == 0)
        *out += (int)s[0];
}

__global__ void by_branches(int *out) {
    extern __shared__ volatile int v[];
    int i = threadIdx.x;
    v[i] = i;
    __syncthreads();
    if (i < 32) {
        for (int k = 32; k < THREADS; k += 32)
            v[i] += v[i + k];
        if (i < 16)
            v[i] += v[i + 16];
        if (i < 8)
            v[i] += v[i + 8];
        for (int k = 4; k > 0; k /= 2)
            if (i < k)
                v[i] += v[i + k];
    }
    if (i == 0)
        *out += v[0];
}

__device__ int d_numbers[THREADS];
__global__ void in_device_memory(int *out) {
    unsigned i = threadIdx.x;
    d_numbers[i] = (int)i;
    __syncthreads();
    if (i < 32) {
        volatile int *v = d_numbers;
        for (unsigned k = 32; k < THREADS; k += 32)
            v[i] += v[i + k];
        for (int k = 16; k > 0; k /= 2)
            v[i] += v[i + (unsigned)k];
    }
    if (i == 0)
        *out += d_numbers[0];
}

// Lanes 16 to 31 give a mask that does not name them, as do lanes 8 to 31.
__global__ void not_named(int *out) {
    int sum = (int)threadIdx.x;
    for (int k = 8; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffff, sum, k, 16);
    if (threadIdx.x % 16 == 0)
        atomicAdd(out, sum);
    if (!__any_sync(0xff, 1))
        atomicAdd(out, 1);
}

// Each lane reads what a lane before it writes.
__global__ void upwards(int *out) {
    __shared__ int s[THREADS + 32];
    volatile int *mine = s + 32 + threadIdx.x;
    s[threadIdx.x % 32] = 0;
    int warp = threadIdx.x / 32;
    __syncthreads();
    if (warp == 0) {
        *mine = (int)threadIdx.x;
        for (int k = 1; k < 32; k *= 2)
            mine[0] = mine[0] + mine[-k];
    }
    if (threadIdx.x == 31)
        *out += 65 * mine[0] + 400;
}

// A warp that does nothing but read waits for another one.
__global__ void warps_wait(int *out) {
    __shared__ volatile int ready;
    __shared__ int data;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (ready == 0)
            ;
        if (threadIdx.x == 0)
            *out += data;
    } else if (threadIdx.x == 100) {
        data = 32640;
        __threadfence_block();
        ready = 1;
    }
}

__device__ volatile int d_ready;
__device__ int d_word;
__global__ void threads_wait(int *out) {
    volatile int *word = &d_word;
    if (threadIdx.x == 0) {
        while (d_ready == 0 || *word == 0 || *(volatile int *)&d_word == 0) {
        }
        *out += 32640;
    } else if (threadIdx.x == 200) {
        *word = 1;
        d_ready = 1;
    }
}

// A round of the loop looks at two places, and the last thread is the first that may end it.
__device__ volatile int d_passed[64];
__global__ void neighbors_wait(int *out) {
    int i = threadIdx.x, waits;
    do {
        waits = 0;
        if (i < 64 && d_passed[i] == 0) {
            if (i < 63 && d_passed[i + 1] == 0)
                waits = 1;
            else
                d_passed[i] = 1;
        }
    } while (waits);
    atomicAdd(out, i);
}

struct node {
    volatile int key;
    int *p;
};
__device__ int get(volatile int *p) { return *p; }
__global__ void forms(int *out) {
    volatile __shared__ int a[THREADS], b[THREADS];
    extern __shared__ int s[];
    volatile int *p = s, *q = (volatile int *)s + 1;
    volatile int local = 1;
    a[threadIdx.x] = local, b[threadIdx.x] = sizeof(a) / sizeof *b;
    if (threadIdx.x)
        return;
    s[0] = 1, s[1] = 2, s[2] = 3;
    { // names that mean something else here
        int *p = s;
        for (int q = 0; q < 3; q++)
            p[q] += q;
    }
    auto sum = [=](int i) { return p[i] + a[i]; };
    auto both = [&p, q](int i) { return p[i] + q[i]; };
    node n;
    volatile node *m = &n;
    m->key = 5;
    (*m).key += 1;
    asm volatile("" ::: "memory");
    int total = sum(0) + both(1) + get(p) + get(&p[1]) + *(volatile int *)&s[2] +
                *const_cast<volatile int *>(s) + static_cast<volatile int *>(s)[1] + m->key + b[0];
    const volatile char *bytes = (const volatile char *)(p + 1);
    total += bytes[0] ? *bytes : *(volatile unsigned char *)(bytes + 1);
    do
        local = local - 1;
    while (local && p != q);
    *out += total + 32640 - 288;
}

// Names of volatile members and variables that mean something else.
struct flags {
    volatile int x, z;
};
__device__ volatile int w;
__device__ int get_plain(int *p) { return *p; }
template <class x> __device__ constexpr x twice(x v) {
    for (x i = 0; i < 1; i++)
        v = v + v;
    return v;
}
struct other {
    static constexpr int x = 4;
    __device__ int both() {
        int a[x];
        a[0] = x;
        return a[0] * 10;
    }
};
__global__ void other_names(int *out) {
    int i = 5, four = 4, v[3] = {1, 2, 3}, (&z)[3] = v;
    static_assert(twice(1) == 2, "known to the compiler");
    int total = other().both() + twice<int>(1) + z[2];
#if __cplusplus >= 201703L
    {
        auto [x, y] = make_int2(i, 2);
        auto &&[w, u] = make_int2(4, 5);
        total += x + y + w + u + get_plain(&x) - 21;
    }
#endif
    {
        decltype(i) x = 3;
        int y = 1, w = 2, *z = &w;
        total += x + y + *z;
    }
    {
        enum { x, z = 2 };
        using w = int;
        w a[z] = {x}, y(1);
        a[1] = y;
        total += a[0] + a[z - 1];
    }
    {
        int (&x)(i), (*z)[3] = &v;
        total += x + (*z)[0];
    }
    struct x {
        int z;
    } w{3};
    auto product = [](int x, int *z) { return x * *z; };
    auto one = [](volatile int *) { return 1; };
    int (*f)(volatile int *) = one;
    constexpr auto n = 2;
    total += w.z + product(3, &v[1]) + f(v) + [](int i) { return i * n; }(four);
    if (total != 76)
        goto z;
    atomicAdd(out, (int)threadIdx.x);
z:;
}

// The type is deduced, or the bracket stands behind the name.
template <int N> __device__ void by_reference(volatile int (&m)[N], int i) {
    m[i] = i ? m[i - 1] : 0;
}
__device__ void by_row(volatile int (*__restrict__ m)[8], int i) {
    m[i / 8][i % 8] = i % 8 ? m[i / 8][i % 8 - 1] : i ? m[i / 8 - 1][7] : 0;
}
template <class A> __device__ void by_template(A m, int i) { m[i] = i ? m[i - 1] : 0; }
#define SHIFTS(m, ...)                                                                             \
    m[i] = i, __syncwarp();                                                                        \
    __VA_ARGS__, __syncwarp();                                                                     \
    right += m[i] == (i ? i - 1 : 0), __syncwarp()
#define ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define ARRAY (*(volatile int(*)[THREADS])u)
__global__ void other_types(int *out) {
    __shared__ volatile int s[THREADS];
    __shared__ int u[THREADS];
    int i = threadIdx.x, right = 0;
    if (i >= 32)
        return;
    auto &v = s;
    auto *q = s;
    decltype(&s[0]) p = s;
    SHIFTS(s, by_reference(s, i));
    SHIFTS(s, by_row((volatile int(*)[8])s, i));
    SHIFTS(s, by_template(s, i));
    SHIFTS(s, by_template<volatile int *>(s, i));
    SHIFTS(s, v[i] = i ? v[i - 1] : 0);
    SHIFTS(s, q[i] = i ? q[i - 1] : 0);
    SHIFTS(s, p[i] = i ? p[i - 1] : 0);
    SHIFTS(u, ONCE(u[i]) = i ? ONCE(u[i - 1]) : 0);
    SHIFTS(u, ARRAY[i] = i ? ARRAY[i - 1] : 0);
    if (right == 9)
        atomicAdd(out, 1020);
}

static void report(const char *name, int *d_out) {
    int sum = 0;
    cudaError_t e = cudaMemcpy(&sum, d_out, sizeof sum, cudaMemcpyDeviceToHost);
    cudaMemset(d_out, 0, sizeof sum);
    printf("%s: %s\n", name, !e && sum == THREADS * (THREADS - 1) / 2 ? "ok" : "WRONG");
}
#define RUN(...) __VA_ARGS__<<<1, THREADS, THREADS * sizeof(int)>>>(out), report(#__VA_ARGS__, out)

int main() {
    int *out;
    cudaMalloc(&out, sizeof *out);
    cudaMemset(out, 0, sizeof *out);
    RUN(by_function<int>), RUN(by_function<double>), RUN(by_branches), RUN(in_device_memory),
        RUN(not_named), RUN(upwards), RUN(warps_wait), RUN(threads_wait), RUN(neighbors_wait),
        RUN(forms), RUN(other_names), RUN(other_types);
    cudaFree(out);
    return 0;
}
