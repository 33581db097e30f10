// Ordinary kernels, as samples and first programs have them: images, particles, matrices, tiles,
// reductions, sparse matrices, text.
//
//     nvcc -O3 -lineinfo ordinary.cu -o ordinary && ./ordinary
//
// 2 blocks of 64 threads, 4 warps, or of 16 x 16.
// EXPECT saxpy4: 8 128 4 64
// EXPECT reverse_in_place: 4 16 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64, SIDE = 16, WIDTH = 32 };

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- Vectors and structs -----------------------------------------------------------------------
struct pixel {
    unsigned char b, g, r;
};
struct body {
    float4 position;
    float3 velocity;
    int id;
};
struct sample {
    double time;
    float value;
    short channel, flags;
};
struct complex_float {
    float re, im;
    __device__ complex_float operator*(const complex_float &o) const {
        return {re * o.re - im * o.im, re * o.im + im * o.re};
    }
};
typedef struct {
    float m[9];
} matrix3;
struct header {
    unsigned version : 4, length : 4, service : 8, total : 16;
    unsigned short id;
    unsigned short offset;
};

__global__ void saxpy4(float4 *y, const float4 *x, float a) {
    unsigned i = index_of_thread();
    float4 u = x[i], v = y[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
}

__global__ void gray(unsigned char *out, const struct pixel *in) {
    unsigned i = index_of_thread();
    struct pixel p = in[i];
    out[i] = (unsigned char)((29 * p.b + 150 * p.g + 77 * p.r) >> 8);
}

__global__ void brighten(uchar4 *image, int by) {
    unsigned i = index_of_thread();
    uchar4 p = image[i];
    p.x = (unsigned char)min(p.x + by, 255);
    p.y = (unsigned char)min(p.y + by, 255);
    p.z = (unsigned char)min(p.z + by, 255);
    image[i] = p;
}

__global__ void move_bodies(struct body *b, float dt) {
    unsigned i = index_of_thread();
    struct body me = b[i];
    me.position.x += dt * me.velocity.x;
    me.position.y += dt * me.velocity.y;
    me.position.z += dt * me.velocity.z;
    b[i] = me;
}

__global__ void only_ids(int *out, const struct body *b) {
    unsigned i = index_of_thread();
    out[i] = b[i].id * 2;
}

__device__ static float scaled(struct sample s) { return s.value * (s.flags & 1 ? -1 : 1); }

__global__ void sort_pairs(struct sample *s) {
    unsigned i = 2 * index_of_thread();
    if (s[i].time > s[i + 1].time) {
        struct sample t = s[i];
        s[i] = s[i + 1];
        s[i + 1] = t;
    }
}

__global__ void values(float *out, const struct sample *s) {
    unsigned i = index_of_thread();
    out[i] = scaled(s[i]);
}

__global__ void multiply_complex(struct complex_float *out, const struct complex_float *a,
                                 const struct complex_float *b) {
    unsigned i = index_of_thread();
    out[i] = a[i] * b[i];
}

__global__ void transpose3(matrix3 *out, const matrix3 *in) {
    unsigned i = index_of_thread();
    matrix3 m;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m.m[3 * c + r] = in[i].m[3 * r + c];
    out[i] = m;
}

__global__ void parse(unsigned *out, const struct header *h) {
    unsigned i = index_of_thread();
    out[i] = h[i].version == 4 ? h[i].length * 4u + h[i].total : h[i].id;
}

__global__ void count_hops(struct header *h) {
    unsigned i = index_of_thread();
    h[i].service++;
    h[i].offset = (unsigned short)i;
}

// ---- Matrices, images --------------------------------------------------------------------------
__global__ void matrix_vector(float *y, const float *a, const float *x, int n) {
    unsigned row = index_of_thread();
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * x[k];
    y[row] = sum;
}

__global__ void blur(float *out, const float *in, int width, int height) {
    int x = blockIdx.x * SIDE + threadIdx.x, y = threadIdx.y;
    float sum = 0;
    int count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int u = x + dx, v = y + dy;
            if (u >= 0 && u < width && v >= 0 && v < height) {
                sum += in[v * width + u];
                count++;
            }
        }
    }
    out[y * width + x] = sum / (float)count;
}

__global__ void jacobi(float *out, const float *in, int width) {
    int x = blockIdx.x * SIDE + threadIdx.x, y = threadIdx.y, i = y * width + x;
    if (x > 0 && x < width - 1 && y > 0 && y < SIDE - 1)
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    else
        out[i] = in[i];
}

__global__ void clamp_edges(float *out, const float *in, int width) {
    int x = blockIdx.x * SIDE + threadIdx.x, y = threadIdx.y;
    int left = max(x - 1, 0), right = min(x + 1, width - 1);
    out[y * width + x] = in[y * width + right] - in[y * width + left];
}

__global__ void csr(float *y, const int *start, const int *column, const float *value,
                    const float *x) {
    unsigned row = index_of_thread();
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

__global__ void horner(double *out, const double *x, const double *c) {
    unsigned i = index_of_thread();
    double v = x[i], r = c[5];
#pragma unroll
    for (int k = 4; k >= 0; k--)
        r = r * v + c[k];
    out[i] = r;
}

// ---- Tiles -------------------------------------------------------------------------------------
__global__ void multiply(float *c, const float *a, const float *b) {
    __shared__ float s[SIDE][SIDE], t[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (int k = 0; k < WIDTH; k += SIDE) {
        s[y][x] = a[y * WIDTH + k + x];
        t[y][x] = b[(k + y) * WIDTH + column];
        __syncthreads();
        for (int q = 0; q < SIDE; q++)
            sum += s[y][q] * t[q][x];
        __syncthreads();
    }
    c[y * WIDTH + column] = sum;
}

__global__ void convolve(float *out, const float *in, const float *weight) {
    __shared__ float s[THREADS + 4], w[5];
    int t = threadIdx.x, i = (int)index_of_thread();
    s[t + 2] = in[i];
    if (t < 2)
        s[t] = i >= 2 ? in[i - 2] : 0;
    if (t >= THREADS - 2)
        s[t + 4] = i + 2 < N ? in[i + 2] : 0;
    if (t < 5)
        w[t] = weight[t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += s[t + k] * w[k];
    out[i] = sum;
}

__global__ void sum_block(int *out, const int *in) {
    __shared__ int s[THREADS / 32];
    unsigned t = threadIdx.x;
    int v = in[index_of_thread()];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < THREADS / 32; k++)
            sum += s[k];
        out[blockIdx.x] = sum;
    }
}

__global__ void nearest(int *out, const float *point, const float *center, int centers) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x, i = index_of_thread();
    if ((int)t < centers)
        s[t] = center[t];
    __syncthreads();
    float best = 1e30f;
    int which = 0;
    for (int k = 0; k < centers; k++) {
        float d = fabsf(point[i] - s[k]);
        if (d < best) {
            best = d;
            which = k;
        }
    }
    out[i] = which;
}

__global__ void all_pairs(float *out, const float4 *body) {
    __shared__ float4 s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    float4 me = body[i];
    float sum = 0;
    for (int tile = 0; tile < BLOCKS; tile++) {
        s[t] = body[tile * THREADS + t];
        __syncthreads();
        for (int k = 0; k < THREADS; k++) {
            float dx = s[k].x - me.x, dy = s[k].y - me.y, dz = s[k].z - me.z;
            sum += s[k].w / (dx * dx + dy * dy + dz * dz + 1);
        }
        __syncthreads();
    }
    out[i] = sum;
}

__global__ void prefix(int *out, const int *in) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    for (unsigned d = 1; d < THREADS; d *= 2) {
        __syncthreads();
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
    }
    out[i] = s[t];
}

__global__ void rotate_tile(int *out, const int *in) {
    __shared__ int tile[SIDE][SIDE + 1];
    int x = threadIdx.x, y = threadIdx.y, b = blockIdx.x * SIDE * SIDE;
    tile[y][x] = in[b + y * SIDE + x];
    __syncthreads();
    out[b + y * SIDE + x] = tile[SIDE - 1 - x][y];
}

// ---- Indices, text, bits -----------------------------------------------------------------------
__global__ void reverse_in_place(int *data, int n) {
    int i = (int)index_of_thread();
    if (i < n / 2) {
        int t = data[i];
        data[i] = data[n - 1 - i];
        data[n - 1 - i] = t;
    }
}

__global__ void lower_bound(int *out, const int *sorted, const int *key, int n) {
    unsigned i = index_of_thread();
    int low = 0, high = n, k = key[i];
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < k)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

__global__ void upper_case(char *text, int n) {
    for (int i = (int)index_of_thread(); i < n; i += gridDim.x * blockDim.x)
        if (text[i] >= 'a' && text[i] <= 'z')
            text[i] = (char)(text[i] - 'a' + 'A');
}

__global__ void xor_words(unsigned *out, const unsigned *in, const unsigned *key, int n) {
    unsigned i = index_of_thread();
    out[i] = in[i] ^ key[i % n];
}

__global__ void bits_set(int *out, const unsigned long long *in) {
    unsigned i = index_of_thread();
    out[i] = __popcll(in[i]) + (in[i] & 1 ? 100 : 0);
}

__global__ void interleave(float2 *out, const float *a, const float *b) {
    unsigned i = index_of_thread();
    out[i].x = a[i];
    out[i].y = b[i];
}

__global__ void steps(int *out, const int *in, int limit) {
    unsigned i = index_of_thread();
    int v = in[i], n = 0;
    while (v != 1 && n < limit) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        n++;
    }
    out[i] = n;
}

__global__ void scale_with_table(float *out, const float *in, const int *kind) {
    const float table[4] = {0.5f, 1, 2, 4};
    unsigned i = index_of_thread();
    switch (kind[i] & 7) {
    case 0:
    case 1:
        out[i] = in[i];
        break;
    case 7:
        out[i] = 0;
        break;
    default:
        out[i] = in[i] * table[kind[i] & 3];
    }
}

__global__ void histogram(unsigned *bins, const unsigned char *in, int n) {
    for (int i = (int)index_of_thread(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] >> 3], 1u);
}

#define RUN_AS(kernel, block, dynamic, out, ...)                                                   \
    do {                                                                                           \
        kernel<<<BLOCKS, block, dynamic>>>(__VA_ARGS__);                                           \
        digest(out, 4096);                                                                         \
    } while (0)
#define RUN(kernel, out, ...) RUN_AS(kernel, THREADS, 0, out, __VA_ARGS__)

int main() {
    begin();
    dim3 square(SIDE, SIDE);
    int *in = input<int>(1024), *out = output<int>(2048), *data = input<int>(1024);
    float *f = input<float>(8192), *f_out = output<float>(2048);
    double *d = input<double>(1024), *d_out = output<double>(1024);
    char *bytes = filled<char>(8192);
    int h_start[N + 1], h_column[4 * N], *start, *column;
    for (int i = 0, k = 0; i <= N; k += i++ % 4)
        h_start[i] = k;
    for (int i = 0; i < 4 * N; i++)
        h_column[i] = i * 37 % N;
    CUDA_CHECK(cudaMalloc((void **)&start, sizeof h_start));
    CUDA_CHECK(cudaMalloc((void **)&column, sizeof h_column));
    CUDA_CHECK(cudaMemcpy(start, h_start, sizeof h_start, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(column, h_column, sizeof h_column, cudaMemcpyHostToDevice));

    RUN(gray, out, (unsigned char *)out, (struct pixel *)bytes);
    RUN(only_ids, out, out, (struct body *)f);
    RUN(values, out, (float *)out, (struct sample *)bytes);
    RUN(multiply_complex, out, (struct complex_float *)out, (struct complex_float *)f,
        (struct complex_float *)f + N);
    RUN(transpose3, f_out, (matrix3 *)f_out, (matrix3 *)f);
    RUN(parse, out, (unsigned *)out, (struct header *)bytes);
    RUN(matrix_vector, out, (float *)out, f, f, 24);
    RUN_AS(blur, square, 0, out, (float *)out, f, WIDTH, SIDE);
    RUN_AS(jacobi, square, 0, out, (float *)out, f, WIDTH);
    RUN_AS(clamp_edges, square, 0, out, (float *)out, f, WIDTH);
    RUN(csr, out, (float *)out, start, column, f, f);
    RUN(horner, d_out, d_out, d, d + 7);
    RUN_AS(multiply, square, 0, out, (float *)out, f, f + 512);
    RUN(convolve, out, (float *)out, f, f + 200);
    RUN(sum_block, out, out, in);
    RUN_AS(nearest, THREADS, 12 * sizeof(float), out, out, f, f + 50, 12);
    RUN(all_pairs, out, (float *)out, (float4 *)f);
    RUN(prefix, out, out, in);
    RUN_AS(rotate_tile, square, 0, out, out, in);
    RUN(lower_bound, out, out, start, in, N);
    RUN(xor_words, out, (unsigned *)out, (unsigned *)in, (unsigned *)in + 5, 7);
    RUN(bits_set, out, out, (unsigned long long *)bytes);
    RUN(interleave, out, (float2 *)out, f, f + N);
    RUN(steps, out, out, in, 20);
    RUN(scale_with_table, out, (float *)out, f, in);

    // Those that change what they are given.
    RUN(saxpy4, f, (float4 *)f, (float4 *)f + N, 2);
    f = input<float>(8192);
    RUN(move_bodies, f, (struct body *)f, 2);
    RUN(brighten, data, (uchar4 *)data, 9);
    RUN(sort_pairs, bytes, (struct sample *)bytes);
    bytes = filled<char>(8192);
    RUN(count_hops, bytes, (struct header *)bytes);
    RUN(upper_case, (bytes + 4096), bytes + 4096, 1000);
    RUN(histogram, out, (unsigned *)out, (unsigned char *)in, 4 * N - 3);
    RUN(reverse_in_place, in, in, N);
    check_digest(0xace63caeu);
    return end();
}
