// Kernels whose names mean something else too: in std, as a device function, as a variable.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdio.h>
#include <vector>
using namespace std;

__global__ void copy(float *out, const float *in, int n) {
    if ((int)threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x];
}
__global__ void fill(float *out, float value) { out[threadIdx.x] = value; }
template <typename T> __host__ __device__ T add(T a, T b) { return a + b; }
__global__ void add(float *out, float value) { out[threadIdx.x] = add(out[threadIdx.x], value); }
template <typename F> __global__ void apply(float *out, F f) {
    out[threadIdx.x] = f(out[threadIdx.x]);
}
namespace {
__global__ void swap(float *out) {
    float first = out[0];
    out[0] = out[1];
    out[1] = first;
}
} // namespace
namespace mine {
struct two {
    float a, b;
};
__global__ void count(two p, float *out) { out[0] = p.a + p.b; }
static void go(float *out) { count<<<1, 1>>>(two{1, 2}, out); }
} // namespace mine
__global__ void kernel(float *out) { out[0] = 1; }
__global__ void other(float *out) { out[0] = 2; }
template <typename K> static void run(K kernel, float *out) { kernel<<<1, 1>>>(out); }
static void run_pointer(void (*kernel)(float *), float *out) { (*kernel)<<<1, 1>>>(out); }

static void check(const char *what, const float *value, float expected) {
    cudaDeviceSynchronize();
    printf("%s: %s\n", what, *value == expected ? "ok" : "WRONG");
}

int main() {
    float *a, *b, two = 2;
    cudaMallocManaged(&a, 32 * sizeof *a);
    cudaMallocManaged(&b, 32 * sizeof *b);
    fill<<<1, 32>>>(b, 3.0f);
    check("fill", b + 31, 3);
    copy<<<1, 32>>>(a, (const float *)b, 32);
    check("copy", a + 31, 3);
    add<<<1, 32>>>(a, 1);
    check("add", a + 31, 4);
    apply<<<1, 32>>>(a, [=] __device__(float x) { return x * two; });
    check("a lambda as argument", a + 31, 8);
    fill<<<1, 1>>>(a, 5.0f);
    swap<<<1, 1>>>(a);
    check("swap", a + 1, 5);
    mine::go(a);
    check("count", a, 3);
    mine::count<<<1, 1>>>(mine::two{3, 4}, a);
    check("mine::count", a, 7);
    kernel<<<1, 1>>>(a);
    check("kernel", a, 1);
    run(other, a);
    check("a parameter called kernel", a, 2);
    run(kernel, a);
    check("the kernel in it", a, 1);
    run_pointer(other, a);
    check("a pointer called kernel", a, 2);
    vector<int> v{2, 1};
    sort(v.begin(), v.end());
    printf("std: %s\n", v[0] == 1 ? "ok" : "WRONG");
    cudaFree(a);
    cudaFree(b);
    return 0;
}
