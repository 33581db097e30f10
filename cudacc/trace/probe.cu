// The accesses by which `cudacc --trace` checks itself, once for each compiler: a line says how
// many loads and stores of how many bytes nvcc makes of a kernel (seen in its machine code for
// compute capability 9.0). What a compiler splits, joins, or takes away is named by trace/probe.
//
// EXPECT bytes_1: a char: ld 1 x 1, st 1 x 1
// EXPECT bytes_2: a short: ld 2 x 1, st 2 x 1
// EXPECT bytes_4: a float: ld 4 x 1, st 4 x 1
// EXPECT bytes_8: a double: ld 8 x 1, st 8 x 1
// EXPECT pair: a float2, computed on: ld 8 x 1, st 8 x 1
// EXPECT copied: a float4, copied: ld 16 x 1, st 16 x 1
// EXPECT computed: a float4, computed on: ld 16 x 1, st 16 x 1
// EXPECT bytes_of_4: a uchar4, computed on: ld 4 x 1, st 4 x 1
// EXPECT three: a float3: ld 4 x 3, st 4 x 3
// EXPECT fields: two fields of a struct of floats: ld 4 x 2, st 4 x 1
// EXPECT doubles: a struct of two doubles: ld 8 x 2, st 8 x 2
// EXPECT whole: a struct of floats, copied: ld 4 x 4, st 4 x 4
// EXPECT aligned: a struct with __align__(16): ld 16 x 1, st 16 x 1
// EXPECT by_value: a struct given to a function and returned: ld 4 x 4, st 4 x 4
// EXPECT loop: a loop, then a store in each branch: ld 4 x 3, st 4 x 2
// EXPECT not_a_number: where comparisons of a half that is NaN are right: st 4 x 1
//
// SPDX-License-Identifier: MIT
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct four {
    float x, y, z, w;
};
struct __align__(16) aligned_four {
    float x, y, z, w;
};
struct two {
    double x, y;
};

__global__ void bytes_1(char *out, const char *in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void bytes_2(short *out, const short *in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void bytes_4(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void bytes_8(double *out, const double *in) { out[threadIdx.x] = in[threadIdx.x] + 1; }

__global__ void pair(float2 *out, const float2 *in) {
    float2 v = in[threadIdx.x];
    out[threadIdx.x] = make_float2(v.x + 1, v.y + 2);
}

__global__ void copied(float4 *out, const float4 *in) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void computed(float4 *out, const float4 *in) {
    float4 v = in[threadIdx.x];
    v.x += 1, v.y += 2, v.z += 3, v.w += 4;
    out[threadIdx.x] = v;
}

__global__ void bytes_of_4(uchar4 *out, const uchar4 *in) {
    uchar4 v = in[threadIdx.x];
    out[threadIdx.x] = make_uchar4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

__global__ void three(float3 *out, const float3 *in) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void fields(struct four *out, const struct four *in) {
    out[threadIdx.x].z = in[threadIdx.x].x + in[threadIdx.x].w;
}

__global__ void doubles(struct two *out, const struct two *in) {
    struct two v = in[threadIdx.x];
    v.x += v.y;
    out[threadIdx.x] = v;
}

__global__ void whole(struct four *out, const struct four *in) {
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void aligned(struct aligned_four *out, const struct aligned_four *in) {
    struct aligned_four v = in[threadIdx.x], w = {v.x + 1, v.y + 1, v.z + 1, v.w + 1};
    out[threadIdx.x] = w;
}

__device__ __noinline__ struct four step(struct four v, float dt) {
    v.x += dt * v.w, v.y += dt * v.w, v.z += dt * v.w;
    return v;
}
__global__ void by_value(struct four *out, const struct four *in) {
    out[threadIdx.x] = step(in[threadIdx.x], 2);
}

__global__ void loop(float *out, const float *in, int n) {
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[32 * k + threadIdx.x];
    if (threadIdx.x % 2)
        out[threadIdx.x + 32] = sum;
    else
        out[threadIdx.x] = 2 * sum;
}

__global__ void not_a_number(int *out, unsigned short nan, unsigned short bf_nan) {
    __half h = __ushort_as_half(nan), one = __float2half(1);
    __nv_bfloat16 b = __ushort_as_bfloat16(bf_nan), b_one = __float2bfloat16(1);
    bool right = __hneu(h, one) && __hisnan(h) && !__hisnan(one) && !__heq(h, h) && !__hlt(h, one);
    bool bf_right = __hneu(b, b_one) && __hisnan(b) && !__hisnan(b_one) && !__heq(b, b);
    if (right && bf_right && __hgtu(h, one) && !__hge(b, b_one))
        out[threadIdx.x] = 1;
}

int main() {
    void *in, *out;
    cudaMalloc(&in, 32 * 16);
    cudaMalloc(&out, 32 * 16);
    cudaMemset(in, 0, 32 * 16);
    bytes_1<<<1, 32>>>((char *)out, (char *)in);
    bytes_2<<<1, 32>>>((short *)out, (short *)in);
    bytes_4<<<1, 32>>>((float *)out, (float *)in);
    bytes_8<<<1, 32>>>((double *)out, (double *)in);
    pair<<<1, 32>>>((float2 *)out, (float2 *)in);
    copied<<<1, 32>>>((float4 *)out, (float4 *)in);
    computed<<<1, 32>>>((float4 *)out, (float4 *)in);
    bytes_of_4<<<1, 32>>>((uchar4 *)out, (uchar4 *)in);
    three<<<1, 32>>>((float3 *)out, (float3 *)in);
    fields<<<1, 32>>>((struct four *)out, (struct four *)in);
    doubles<<<1, 32>>>((struct two *)out, (struct two *)in);
    whole<<<1, 32>>>((struct four *)out, (struct four *)in);
    aligned<<<1, 32>>>((struct aligned_four *)out, (struct aligned_four *)in);
    by_value<<<1, 32>>>((struct four *)out, (struct four *)in);
    loop<<<1, 32>>>((float *)out, (float *)in, 3);
    not_a_number<<<1, 32>>>((int *)out, 0x7e00, 0x7fc0);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize();
}
