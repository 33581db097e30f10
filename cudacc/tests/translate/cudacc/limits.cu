// 48 KiB: the __shared__ variables of a kernel, of what it calls, and its dynamic shared memory.
// SPDX-License-Identifier: MIT
#include "limits.h"

#define USE(s) (s[threadIdx.x] = 1, __syncthreads(), s[0])

__global__ void own(int *out) {
    __shared__ int s[10240];
    *out = USE(s);
}
__global__ void several(int *out) {
    __shared__ int a, s[5120], *p;
    if (threadIdx.x < 32) {
        __shared__ int s[5108];
        *out = USE(s);
    }
    p = &a, *p = 1;
    *out = USE(s) + a;
}
static __global__ void same_name(int *out) {
    __shared__ int s[10240];
    *out = USE(s);
}
__global__ void with_default(int *out, int value = 1) {
    __shared__ int s[10240];
    *out = USE(s) + value;
}

__device__ int sum(int x) {
    __shared__ int partial[8192];
    return USE(partial) + x;
}
template <typename T> __device__ T sum_of(T x) {
    __shared__ T partial[2048];
    return USE(partial) + x;
}
__device__ int sum_twice(int x) { return x > 9 ? sum_twice(x - 9) : sum(sum(x)) + sum_of<int>(x); }
struct summer {
    int x;
    __device__ int twice() { return sum_twice(x); }
};
__global__ void through_others(int *out) { *out = summer{*out}.twice(); }
__global__ void none(int *out) {
    int sum = *out;
    *out = sum;
}

template <int N, typename T> __global__ void of_number(T *out) {
    __shared__ T s[N];
    *out = USE(s);
}
template <typename T> __global__ void deduced(T *out) {
    __shared__ T s[10240];
    *out = USE(s);
}
template <typename T> __global__ void special(T *out) {
    __shared__ T s[10240];
    *out = USE(s);
}
template <> __global__ void special<int>(int *out) { *out = 1; }
template <typename T> __global__ void calling(T *out) { *out = sum((int)*out); }
namespace {
template <typename T> __global__ void in_namespace(T *out) {
    __shared__ T s[10240];
    auto use = [&](int i) {
        __shared__ T t[1];
        t[0] = i;
        return t[0];
    };
    *out = USE(s) + use(1);
}
} // namespace

int main() {
    int *out, value = 1;
    cudaMalloc(&out, 16);
    FITS(own<<<1, 1, 8192>>>(out));
    REFUSED(own<<<1, 1, 8193>>>(out));
    FITS(several<<<1, 1, 8192>>>(out));
    REFUSED(several<<<1, 1, 8240>>>(out));
    REFUSED(same_name<<<1, 1, 8193>>>(out));
    REFUSED(with_default<<<1, 1, 8193>>>(out));
    FITS(through_others<<<1, 1, 8192>>>(out));
    REFUSED(through_others<<<1, 1, 8193>>>(out));
    FITS(none<<<1, 1, 49152>>>(out));

    FITS(of_number<1024><<<1, 1, 40960>>>(out));
    FITS((of_number<10240, int><<<1, 1, 8192>>>(out)));
    REFUSED((of_number<10240, int><<<1, 1, 8193>>>(out)));
    REFUSED(deduced<<<1, 1, 8193>>>(out));
    FITS(special<<<1, 1, 49152>>>(out));
    FITS(special<int><<<1, 1, 49152>>>(out));
    REFUSED(special<float><<<1, 1, 8193>>>((float *)out));
    REFUSED(calling<<<1, 1, 16385>>>(out));
    REFUSED(in_namespace<int><<<1, 1, 8192>>>(out));
    FITS(in_namespace<int><<<1, 1, 8176>>>(out));
    REFUSED(of_header<int><<<1, 1, 45057>>>(out));
    FITS(of_header<int><<<1, 1, 45056>>>(out));

    void (*table[])(int *) = {own, deduced<int>};
    REFUSED(table[0]<<<1, 1, 8193>>>(out));
    REFUSED(table[1]<<<1, 1, 8193>>>(out));
    void *arguments[] = {&out, &value};
    REFUSED(cudaLaunchKernel((const void *)deduced<int>, 1, 1, arguments, 8193, 0));
    FITS(cudaLaunchKernel((const void *)deduced<int>, 1, 1, arguments, 8192, 0));
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, deduced<int>);
    printf("of an instance: %s\n", a.sharedSizeBytes == 40960 ? "ok" : "WRONG");

    other_file(out);
    cudaFree(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
