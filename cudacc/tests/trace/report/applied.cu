// Each advice where it is right, and applied. A kernel NAME gets the advice after `-> `, at least
// once; NAME_applied computes the same with it, gets none, and takes fewer requests and sectors.
// SPDX-License-Identifier: MIT
#include <stdio.h>

enum { N = 64, T = 32 };
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)

// One thread for four elements, one after another:
// -> stride 4: 16 sectors where 4 would do; let neighboring threads touch neighbors
__global__ void four(const float *in, float *out) {
    for (int k = 0; k < 4; k++)
        out[4 * I + k] = 2 * in[4 * I + k];
}
__global__ void four_applied(const float *in, float *out) {
    for (int k = 0; k < 4; k++)
        out[I + k * gridDim.x * blockDim.x] = 2 * in[I + k * gridDim.x * blockDim.x];
}

// x and y confused, beside an element that all threads of a row read:
// -> stride 64 in x: 32 sectors where 4 would do; swap x and y
__global__ void scaled(const float *a, const float *b, float *c) {
    c[X * N + Y] = a[X * N + Y] * b[Y];
}
__global__ void scaled_applied(const float *a, const float *b, float *c) {
    c[Y * N + X] = a[Y * N + X] * b[X];
}

// A product of matrices, whose B is read by broadcast:
// -> stride 64 in x: 32 sectors where 4 would do; swap x and y
__global__ void product(const float *a, const float *b, float *c) {
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[X * N + k] * b[k * N + Y];
    c[X * N + Y] = sum;
}
__global__ void product_applied(const float *a, const float *b, float *c) {
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[Y * N + k] * b[k * N + X];
    c[Y * N + X] = sum;
}

__device__ static void turned(const float *in, float *out) {
    __shared__ float tile[T][T + 1];
    tile[threadIdx.y][threadIdx.x] = in[Y * N + X];
    __syncthreads();
    out[(blockIdx.x * T + threadIdx.y) * N + blockIdx.y * T + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

// A transpose: -> stride 64 in x: 32 sectors where 4 would do; stage a tile in shared memory
__global__ void transpose(const float *in, float *out) { out[X * N + Y] = in[Y * N + X]; }
__global__ void transpose_applied(const float *in, float *out) { turned(in, out); }

// And with a tile that does not turn it:
// -> stride 64 in x: 32 sectors where 4 would do; go along the rows here, and
__global__ void unturned(const float *in, float *out) {
    __shared__ float tile[T][T + 1];
    tile[threadIdx.y][threadIdx.x] = in[Y * N + X];
    __syncthreads();
    out[X * N + Y] = tile[threadIdx.y][threadIdx.x];
}
__global__ void unturned_applied(const float *in, float *out) { turned(in, out); }

// A border of one element:
// -> 5 sectors where 4 would do: the first address is not a multiple of 32 bytes
__global__ void border(const float *in, float *out) { out[I + 1] = in[I + 1]; }
__global__ void border_applied(const float *in, float *out) { out[I + 8] = in[I + 8]; }

// Rows of 66 floats: -> 4.75 sectors where 4 would do: 48 of 64 requests start off a multiple of 32
__global__ void rows(const float *in, float *out) { out[Y * 66 + X] = in[Y * 66 + X]; }
__global__ void rows_applied(const float *in, float *out) { out[Y * 72 + X] = in[Y * 72 + X]; }

// A narrow block, an odd pitch:
// -> 8 sectors where 4 would do: a row of the block has 4 threads; make the block 32 wide
__global__ void narrow(const float *in, float *out) { out[Y * N + X] = in[Y * N + X]; }
__global__ void narrow_applied(const float *in, float *out) { out[Y * N + X] = in[Y * N + X]; }

// Indices in any order:
// -> gather: 32 sectors where 4 would do; sort the indices, or stage in shared memory
__global__ void gather(const int *index, const float *in, float *out) { out[I] = in[index[I]]; }
__global__ void gather_applied(const int *index, const float *in, float *out) {
    out[I] = in[index[I]];
}
// -> scatter: 32 sectors where 4 would do; sort the indices, or stage in shared memory
__global__ void scatter(const int *index, float *out) { out[index[I]] = 1; }
__global__ void scatter_applied(const int *index, float *out) { out[index[I]] = 1; }
// -> scattered atomics: 32 sectors where 4 would do; sort the indices, or stage in shared memory
__global__ void count(const int *index, int *out) { atomicAdd(&out[index[I]], 1); }
__global__ void count_applied(const int *index, int *out) { atomicAdd(&out[index[I]], 1); }

// One counter for all:
// -> the threads of a warp update one address, one after another; add up in the block first
__global__ void total(int *out) { atomicAdd(out, 1); }
__global__ void total_applied(int *out) {
    int sum = __syncthreads_count(1);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

// -> a request moves only 32 bytes; let each thread take 4 elements at a time (char4)
__global__ void bytes(const char *in, char *out) { out[I] = in[I]; }
__global__ void bytes_applied(const char4 *in, char4 *out) { out[I] = in[I]; }
// -> a request moves only 64 bytes; let each thread take 2 elements at a time (short2)
__global__ void halves(const short *in, short *out) { out[I] = in[I]; }
__global__ void halves_applied(const short2 *in, short2 *out) { out[I] = in[I]; }

#define TILED(name, height, width, down, across)                                                   \
    __global__ void name(float *out) {                                                             \
        __shared__ float tile[height][width];                                                      \
        tile[threadIdx.y][threadIdx.x] = 1;                                                        \
        __syncthreads();                                                                           \
        out[Y * N + X] = tile[threadIdx.down][threadIdx.across];                                   \
    }
// Columns of a tile: -> 32-way bank conflict: pad the rows, tile[32][33]
TILED(column, T, T, x, y)
TILED(column_applied, T, T + 1, x, y)
// Padded rows of 16:
// -> 2-way bank conflict: a row of the block has 16 threads; make the block 32 wide
TILED(padded_16, 16, 17, y, x)
TILED(padded_16_applied, 16, 33, y, x)

#define EVERY(name, step)                                                                          \
    __global__ void name(float *out) {                                                             \
        __shared__ float words[96];                                                                \
        words[threadIdx.x] = words[threadIdx.x + 32] = words[threadIdx.x + 64] = 1;                \
        __syncthreads();                                                                           \
        out[threadIdx.x] = words[step * threadIdx.x];                                              \
    }
// -> 2-way bank conflict: threads are 2 words apart; an odd distance has no conflict
EVERY(even, 2)
EVERY(even_applied, 3)

// -> 8-way bank conflict: threads of a warp use different words of one bank
__global__ void banks(float *out) {
    __shared__ float words[256];
    for (int k = 0; k < 8; k++)
        words[k * 32 + threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x % 8 * 32 + threadIdx.x / 8];
}
__global__ void banks_applied(float *out) {
    __shared__ float words[8 * 36];
    for (int k = 0; k < 8; k++)
        words[k * 36 + threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x % 8 * 36 + threadIdx.x / 8];
}

int main() {
    float *a, *b, *c;
    int *d, *mixed, *sorted;
    static int h_mixed[N * N], h_sorted[N * N];
    for (int i = 0; i < N * N; i++)
        h_mixed[i] = (int)((unsigned)i * 1003 % (N * N)), h_sorted[i] = i;
    for (int i = 0; i < N * N; i += 2)
        h_mixed[i] = (h_mixed[i] + N * N / 2) % (N * N);
    size_t bytes_of = 2 * N * N * sizeof(float);
    cudaMalloc(&a, bytes_of), cudaMalloc(&b, bytes_of), cudaMalloc(&c, bytes_of);
    cudaMalloc(&d, bytes_of), cudaMalloc(&mixed, sizeof h_mixed),
        cudaMalloc(&sorted, sizeof h_mixed);
    cudaMemset(a, 0, bytes_of), cudaMemset(b, 0, bytes_of), cudaMemset(d, 0, bytes_of);
    cudaMemcpy(mixed, h_mixed, sizeof h_mixed, cudaMemcpyHostToDevice);
    cudaMemcpy(sorted, h_sorted, sizeof h_sorted, cudaMemcpyHostToDevice);
    dim3 grid(N / T, N / T), block(T, T);
    four<<<4, 256>>>(a, c), four_applied<<<4, 256>>>(a, c);
    scaled<<<grid, block>>>(a, b, c), scaled_applied<<<grid, block>>>(a, b, c);
    product<<<grid, block>>>(a, b, c), product_applied<<<grid, block>>>(a, b, c);
    transpose<<<grid, block>>>(a, c), transpose_applied<<<grid, block>>>(a, c);
    unturned<<<grid, block>>>(a, c), unturned_applied<<<grid, block>>>(a, c);
    border<<<4, 256>>>(a, c), border_applied<<<4, 256>>>(a, c);
    rows<<<dim3(2, 1), block>>>(a, c), rows_applied<<<dim3(2, 1), block>>>(a, c);
    narrow<<<dim3(16, 8), dim3(4, 8)>>>(a, c), narrow_applied<<<dim3(2, 8), dim3(32, 8)>>>(a, c);
    gather<<<4, 256>>>(mixed, a, c), gather_applied<<<4, 256>>>(sorted, a, c);
    scatter<<<4, 256>>>(mixed, c), scatter_applied<<<4, 256>>>(sorted, c);
    count<<<4, 256>>>(mixed, d), count_applied<<<4, 256>>>(sorted, d);
    total<<<4, 256>>>(d), total_applied<<<4, 256>>>(d);
    bytes<<<4, 256>>>((char *)a, (char *)c), bytes_applied<<<1, 256>>>((char4 *)a, (char4 *)c);
    halves<<<4, 256>>>((short *)a, (short *)c),
        halves_applied<<<2, 256>>>((short2 *)a, (short2 *)c);
    column<<<grid, block>>>(c), column_applied<<<grid, block>>>(c);
    padded_16<<<dim3(4, 4), dim3(16, 16)>>>(c), padded_16_applied<<<dim3(2, 4), dim3(32, 16)>>>(c);
    even<<<1, 32>>>(c), even_applied<<<1, 32>>>(c);
    banks<<<1, 32>>>(c), banks_applied<<<1, 32>>>(c);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d), cudaFree(mixed), cudaFree(sorted);
    return 0;
}
