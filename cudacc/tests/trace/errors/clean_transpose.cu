// A tiled transpose with padding, a matrix product with tiles, both with ragged edges and no early
// return; pitched memory; float4 stores into the second of two __shared__ arrays of floats.
// SPDX-License-Identifier: MIT
enum { TILE = 16 };

__global__ void transpose(const float *in, size_t pitch, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = *(const float *)((const char *)in + y * pitch + 4 * x);
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float s = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[threadIdx.y][threadIdx.x] =
            y < n && t + (int)threadIdx.x < n ? a[y * n + t + threadIdx.x] : 0;
        tb[threadIdx.y][threadIdx.x] =
            x < n && t + (int)threadIdx.y < n ? b[(t + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            s += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = s;
}

__global__ void stage(const float *in, float *out) {
    __shared__ float rows[2][64], tile[8][64], first;
    int i = threadIdx.x;
    rows[i / 64][i % 64] = in[i];
    *(float4 *)&tile[i / 16][i % 16 * 4] = ((const float4 *)in)[i];
    __syncthreads();
    if (i == 0)
        first = rows[1][5];
    __syncthreads();
    out[i] = first + tile[i % 8][i / 2];
}
__global__ void add_first(float *x) {
    __shared__ float first;
    if (threadIdx.x == 0)
        first = x[0];
    __syncthreads();
    x[threadIdx.x] += first;
}

int main(void) {
    static float h_in[50 * 70];
    float *d_in, *d_out, *d_c;
    size_t pitch;
    cudaMallocPitch(&d_in, &pitch, 70 * sizeof(float), 50);
    cudaMalloc(&d_out, sizeof h_in);
    cudaMalloc(&d_c, 50 * 50 * sizeof(float));
    cudaMemcpy2D(d_in, pitch, h_in, 70 * sizeof(float), 70 * sizeof(float), 50,
                 cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid(5, 4), square(4, 4);
    transpose<<<grid, block>>>(d_in, pitch, d_out, 70, 50);
    multiply<<<square, block>>>(d_out, d_out, d_c, 50);
    stage<<<1, 128>>>(d_out, d_c);
    add_first<<<1, 128>>>(d_c);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_c);
    return e != cudaSuccess;
}
