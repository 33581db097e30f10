// Every form of shared memory: static, dynamic, in templates. The host checks each kernel's sum.
// SPDX-License-Identifier: MIT
#include <stdio.h>

enum { THREADS = 32 };
struct pair {
    int a, b;
};
struct constructed {
    __host__ __device__ constructed() {}
    int a;
};
template <typename T> struct traits {
    typedef T type;
    enum { size = THREADS };
};

__shared__ int of_file[THREADS];
extern __shared__ int dynamic_of_file[];

// Each thread writes its slot, and adds up what its right neighbor wrote.
#define SUM(array, out)                                                                            \
    do {                                                                                           \
        array[threadIdx.x] = threadIdx.x;                                                          \
        __syncthreads();                                                                           \
        atomicAdd(out, (int)array[(threadIdx.x + 1) % THREADS]);                                   \
    } while (0)

__global__ void plain(int *out) {
    __shared__ int s[THREADS];
    SUM(s, out);
}
__global__ void file_scope(int *out) { SUM(of_file, out); }
__global__ void several(int *out) {
    __shared__ int a, s[THREADS], *p;
    if (threadIdx.x == 0) a = 0, p = s;
    __syncthreads();
    SUM(p, out);
    atomicAdd(&a, 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, a - THREADS);
}
__global__ void word_order(int *out) {
    volatile __shared__ int v[THREADS];
    static __shared__ int s[THREADS];
    int __shared__ t[THREADS];
    __shared__ static int u[THREADS];
    v[threadIdx.x] = s[threadIdx.x] = t[threadIdx.x] = threadIdx.x;
    __syncthreads();
    u[threadIdx.x] = v[31 - threadIdx.x] + s[threadIdx.x] - t[threadIdx.x];
    atomicAdd(out, u[threadIdx.x]);
}
__global__ void aligned(int *out) {
    __shared__ __align__(16) int s[THREADS];
    __shared__ alignas(64) int t[THREADS];
    alignas(32) __shared__ int u[THREADS];
    if ((size_t)s % 16 + (size_t)t % 64 + (size_t)u % 32) atomicAdd(out, 1000);
    SUM(s, out);
    t[threadIdx.x] = u[threadIdx.x] = 0;
}
__global__ void structure(int *out) {
    __shared__ struct {
        int a[THREADS];
    } s;
    __shared__ struct pair p;
    __shared__ float2 f[2];
    __shared__ constructed c;
    c.a = 0;
    p.a = p.b = 0;
    f[0] = make_float2(0, 0);
    SUM(s.a, out);
    if (f[0].x != 0) *out = p.b + c.a;
}
__global__ void two_dimensions(int *out) {
    __shared__ int tile[4][THREADS / 4 + 1];
    int row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[row][column] = threadIdx.x;
    __syncthreads();
    atomicAdd(out, tile[3 - row][7 - column]);
}
__global__ void one_for_each_block(int *out) {
    __shared__ int s[THREADS];
    for (int round = 0; round < 50; round++) {
        s[threadIdx.x] = blockIdx.x + round;
        __syncthreads();
        if (s[THREADS - 1 - threadIdx.x] != (int)blockIdx.x + round) atomicAdd(out, 1);
        __syncthreads();
    }
    if (blockIdx.x == 0) atomicAdd(out, threadIdx.x);
}
__device__ int through_function(int i) {
    __shared__ int s[THREADS];
    s[i] = i;
    __syncthreads();
    return s[THREADS - 1 - i];
}
__global__ void in_function(int *out) { atomicAdd(out, through_function(threadIdx.x)); }
__global__ void dynamic(int *out) {
    extern __shared__ int s[];
    SUM(s, out);
}
__global__ void dynamic_aligned(int *out) {
    extern __shared__ __align__(16) unsigned char bytes[];
    int *s = (int *)bytes;
    SUM(s, out);
}
__global__ void dynamic_word_order(int *out) {
    __shared__ extern int words[];
    SUM(words, out);
}
__global__ void dynamic_volatile(int *out) {
    extern volatile __shared__ int w[];
    SUM(w, out);
}
__global__ void dynamic_rows(int *out) {
    extern __shared__ int rows[][4];
    rows[threadIdx.x / 4][threadIdx.x % 4] = threadIdx.x;
    __syncthreads();
    atomicAdd(out, rows[7 - threadIdx.x / 4][threadIdx.x % 4]);
}
__global__ void dynamic_file_scope(int *out) { SUM(dynamic_of_file, out); }
__global__ void dynamic_in_lambda(int *out) {
    extern __shared__ int captured[];
    auto write = [=](int i) { captured[i] = i; };
    write(threadIdx.x);
    __syncthreads();
    atomicAdd(out, captured[(threadIdx.x + 1) % THREADS]);
}
template <typename T, int N> __global__ void of_template(T *out) {
    __shared__ T s[N];
    __shared__ typename traits<T>::type t[traits<T>::size];
    t[threadIdx.x] = 0;
    SUM(s, out);
    if (t[0] != 0) *out = 0;
}
template <typename T> __global__ void dynamic_template(T *out) {
    extern __shared__ T first[];
    SUM(first, out);
}
template <typename T> __global__ void dynamic_template_bytes(T *out) {
    extern __shared__ __align__(sizeof(double)) unsigned char second[];
    T *s = reinterpret_cast<T *>(second);
    SUM(s, out);
}
template <typename T> __global__ void dynamic_template_rows(T *out) {
    extern __shared__ typename traits<T>::type third[][4];
    third[threadIdx.x / 4][threadIdx.x % 4] = threadIdx.x;
    __syncthreads();
    atomicAdd(out, third[7 - threadIdx.x / 4][threadIdx.x % 4]);
}
template <typename T> struct shared_memory {
    __device__ operator T *() {
        extern __shared__ int samples_idiom[];
        return (T *)samples_idiom;
    }
};
template <typename T> __global__ void dynamic_struct(T *out) {
    T *s = shared_memory<T>();
    SUM(s, out);
}

static void report(const char *name, int *out) {
    int sum = -1, expected = THREADS * (THREADS - 1) / 2;
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%s: %s\n", name, sum == expected ? "ok" : "WRONG");
    cudaMemset(out, 0, sizeof sum);
}
#define RUN(...) __VA_ARGS__<<<1, THREADS, THREADS * sizeof(int)>>>(out), report(#__VA_ARGS__, out)

int main() {
    int *out;
    cudaMalloc(&out, sizeof *out);
    cudaMemset(out, 0, sizeof *out);
    RUN(plain), RUN(file_scope), RUN(several), RUN(word_order), RUN(aligned), RUN(structure),
        RUN(two_dimensions), RUN(in_function);
    one_for_each_block<<<500, THREADS>>>(out);
    report("one for each block", out);
    RUN(dynamic), RUN(dynamic_aligned), RUN(dynamic_word_order), RUN(dynamic_volatile),
        RUN(dynamic_rows), RUN(dynamic_file_scope), RUN(dynamic_in_lambda),
        RUN(of_template<int, THREADS>), RUN(dynamic_template<int>), RUN(dynamic_template_bytes),
        RUN(dynamic_template_rows<int>), RUN(dynamic_struct<int>);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(out);
    return 0;
}
