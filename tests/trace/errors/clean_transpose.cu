// A tiled transpose with padding, a matrix product with tiles, both with ragged edges and no early
// return; pitched memory.
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
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_c);
    return e != cudaSuccess;
}
