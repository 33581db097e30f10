// What the report advises, beside applied.cu. `-> TEXT` at an access's line: the advice must begin
// so. A line without it must get none.
// SPDX-License-Identifier: MIT
#include <stdio.h>

enum { N = 1 << 12 };
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void fine(const float *in, float *out, const float4 *in4, float4 *out4) {
    out[I] = in[I];
    out4[I] = in4[I];
    out[2 * N - 1 - I] = in[0]; // the last address first is as good; a broadcast is one sector
    if (threadIdx.x < 5)
        out[2 * N + I] = in[I];
}
__global__ void stride(const float *in, float *out) {
    out[I] = in[4 * I]; // -> stride 4: 16 sectors where 4 would do; let neighboring threads
    out[N + 3 * I] = 1; // -> stride 3: 12 sectors where 4 would do
}
struct point {
    float x, y, z;
};
__global__ void fields(const struct point *in, float *out) {
    out[I] = in[I].x; // -> stride 3: 12 sectors where 4 would do
}
__global__ void offset(const float *in, float *out) {
    out[I] = in[I + 1]; // -> 5 sectors where 4 would do: the first address is not a multiple of 32
    out[N + 8 + I] = 1;
    out[4 * N - I] = 2; // -> 5 sectors where 4 would do: the first address is not a multiple of 32
}
// Blocks of several rows: along a row of the matrix, down a column, and in between.
__global__ void along(const float *in, float *out) { // rows of 1024 floats
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * 1024 + x] = in[y * 1024 + x];
}
__global__ void down(const float *in, float *out) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * 64 + y] = in[y * 64 + x]; // -> stride 64 in x: 32 sectors where 4 would do; stage
}
__global__ void down_16(const float *in, float *out) { // 16 wide: two columns in a warp
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * 64 + y] = in[y * 64 + x]; // -> stride 64 in x: 16 sectors where 4 would do; stage
}
__global__ void product_16(const float *a, const float *b, float *c) { // each row reads one of a
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += a[y * 64 + k] * b[k * 64 + x];
    c[y * 64 + x] = sum;
}
__global__ void fields_16(const struct point *in, float *out) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * 64 + x] = in[y * 64 + x].x; // -> stride 3: 12 sectors where 4 would do; let
}
__global__ void permuted(const float *in, float *out) {
    out[I] = in[I ^ 5]; // within the same sectors: as good as in order
}
__global__ void counting(int *counters) {
    atomicAdd(counters, 1); // -> the threads of a warp update one address
    atomicAdd(counters + I, 1);
    atomicAdd(counters + 8 * I, 1); // -> stride 8: 32 sectors where 4 would do
    if (threadIdx.x == 0)
        atomicAdd(counters + 1, 1);
}
__global__ void columns(float *out) {
    __shared__ float tile[32][32], padded[32][33];
    __shared__ double wide[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = 1;
    padded[y][x] = 1;
    wide[y][x] = 1;
    __syncthreads();
    float a = tile[x][y]; // -> 32-way bank conflict: pad the rows, tile[32][33]
    float b = padded[x][y];
    float c = (float)wide[x][y]; // -> 16-way bank conflict: pad the rows, wide[32][33]
    float d = tile[0][0] + padded[y][3];
    out[y * 32 + x] = a + b + c + d;
}

int main() {
    float *in, *out;
    size_t bytes = 16 * sizeof(float) * N;
    cudaMalloc(&in, bytes), cudaMalloc(&out, bytes);
    cudaMemset(in, 0, bytes), cudaMemset(out, 0, bytes);
    fine<<<N / 256, 256>>>(in, out, (float4 *)in, (float4 *)(out + 4 * N));
    stride<<<N / 256, 256>>>(in, out);
    fields<<<N / 256, 256>>>((struct point *)in, out);
    offset<<<N / 256, 256>>>(in, out);
    along<<<dim3(2, 8), dim3(32, 8)>>>(in, out);
    along<<<dim3(2, 8), dim3(8, 8)>>>(in, out);
    down<<<dim3(2, 8), dim3(32, 8)>>>(in, out);
    down_16<<<dim3(4, 4), dim3(16, 16)>>>(in, out);
    product_16<<<dim3(4, 4), dim3(16, 16)>>>(in, in, out);
    fields_16<<<dim3(4, 4), dim3(16, 16)>>>((struct point *)in, out);
    permuted<<<N / 256, 256>>>(in, out);
    counting<<<N / 256, 256>>>((int *)out);
    columns<<<1, dim3(32, 32)>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(in), cudaFree(out);
    return 0;
}
