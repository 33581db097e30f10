// The accesses by which `cudacc --trace` checks itself, once for each compiler: a line says how
// many
// loads and stores of how many bytes nvcc makes of a kernel (seen in its machine code for compute
// capability 9.0). A compiler that splits or joins them differently is named by trace_probe.
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
//
// SPDX-License-Identifier: MIT
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
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize();
}
