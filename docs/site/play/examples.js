// SPDX-License-Identifier: MIT
// The gallery: [name, one sentence, grid, block, parameters, source].
'use strict';
const EXAMPLES = [
['transpose, naive', 'The store goes down a column: each lane touches a sector of its own.', '2,2', '32,32', { out: '4096:zero', in: '4096:index', n: '64' }, `// Out of rows, into columns.
__global__ void transpose(float *out, const float *in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}`],
['transpose, through a tile', 'Rows come in and rows go out; the tile is read by columns, 32 words of one bank.', '2,2', '32,32', { out: '4096:zero', in: '4096:index', n: '64' }, `// Rows come in, columns of the tile go out. Try tile[32][33].
__global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}`],
['coalesced', 'Neighboring lanes touch neighbors: 4 sectors, and every byte is wanted.', '4', '256', { a: '1000:index', n: '1000' }, `__global__ void add_one(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] + 1;
}`],
['a[i] = a[i] + 1, with a stride', 'Lanes are 8 elements apart: of each sector, one word is wanted.', '4', '256', { a: '8192:index', stride: '8', n: '8192' }, `// Try strides 1, 2, 4, 16; or i = ... + stride, an offset.
__global__ void add_one(float *a, size_t stride, size_t n) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n)
        a[i] = a[i] + 1;
}`],
['SAXPY, four at a time', 'One request moves 16 bytes for each lane: a quarter of the requests.', '1', '256', { y: '1003:index', x: '1003:random', a: '2', n: '1003' }, `__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)x)[i], q = ((const float4 *)y)[i];
        ((float4 *)y)[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
    }
    if (i < n % 4)
        y[n - 1 - i] = a * x[n - 1 - i] + y[n - 1 - i];
}`],
['a structure of 8 floats', 'Two members of eight are wanted, and all eight are moved.', '1', '128', { p: '128:index' }, `struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};
__global__ void move(struct particle *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += p[i].vx;
}`],
['sum of a block', 'In later rounds the lanes that work are far apart: bank conflicts.', '2', '128', { in: '256:index', out: '2:unwritten' }, `// Which lanes work in later rounds, and in which banks?
// Try: half = blockDim.x / 2, halved each round.
__global__ void sum(const float *in, float *out) {
    __shared__ float s[128];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned i = 2 * step * t;
        if (i < blockDim.x)
            s[i] += s[i + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}`],
['histogram', 'Each block counts in shared memory, and adds its bins once.', '2', '64', { in: '512:random', bins: '16:zero', n: '512' }, `__global__ void histogram(const int *in, int *bins, int n) {
    __shared__ int mine[16];
    if (threadIdx.x < 16)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}`],
['stencil', 'Three loads of neighbors: two of them begin off a sector.', '4', '256', { out: '1024:zero', in: '1024:index', n: '1024' }, `__global__ void stencil(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}`],
['a mistake: a race', 'Each thread reads what another has just stored, and no barrier lies between.', '1', '64', { in: '64:index', out: '64:unwritten' }, `// A barrier is missing.
__global__ void reverse(const int *in, int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
    out[i] = tile[63 - i];
}`],
['a mistake: a barrier in a branch', 'Half of a warp waits at a barrier that the other half never reaches.', '1', '64', { a: '64:index' }, `__global__ void halves(int *a) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = a[i];
    if (i < 48) {
        __syncthreads();
        a[i] = s[47 - i];
    }
}`],
['a mistake: one too far', 'The last thread stores past the end of its array.', '4', '256', { a: '1000:unwritten', n: '1000' }, `__global__ void fill(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = 1;
}`],
];
