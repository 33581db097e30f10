// Structs: one field of many, several, whole ones copied; what their alignment allows decides how
// wide an access can be.
//
//     nvcc -O3 -lineinfo structs.cu -o structs && ./structs
//
// 2 blocks of 64 threads, 4 warps. A field of 4 bytes in every 16 touches 16 sectors, in every 32
// (and more) 32; of 8 bytes in every 16, 16.
// EXPECT one_field: 4 64 4 16
// EXPECT some_fields: 8 128 4 64
// EXPECT wide_field: 4 128 4 16
// EXPECT second_double: 4 64 4 32
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

struct four {
    float x, y, z, w;
};
struct __align__(16) aligned_four {
    float x, y, z, w;
};
struct eight {
    float f[8];
};
struct two_doubles {
    double x, y;
};
struct mixed { // 16 bytes, aligned to 8
    char c;
    short s;
    int i;
    double d;
};
struct nested {
    struct two_doubles position;
    struct four colour;
};
struct bytes3 {
    unsigned char r, g, b;
};

__global__ void one_field(float *out, const struct four *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].y;
}

__global__ void some_fields(struct four *out, const struct four *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].z = in[i].x + in[i].w;
}

__global__ void all_fields(struct four *out, const struct four *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    struct four v = in[i], sum = {v.x + 1, v.y + 2, v.z + 3, v.w + 4};
    out[i] = sum;
}

__global__ void wide_field(float *out, const struct eight *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].f[5];
}

__global__ void second_double(double *out, const struct two_doubles *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].y;
}

__global__ void both_doubles(struct two_doubles *out, const struct two_doubles *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    struct two_doubles v = in[i];
    v.x += v.y;
    out[i] = v;
}

// Whole structs, from memory to memory.
template <typename T> __global__ void copy(T *out, const T *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void mixed_fields(double *out, const struct mixed *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].c + in[i].s + in[i].i + in[i].d;
}

__global__ void nested_fields(double *out, const struct nested *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].position.y + in[i].colour.z;
}

__global__ void grey(unsigned char *out, const struct bytes3 *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned char)((in[i].r + in[i].g + in[i].b) / 3);
}

// The sum of two structs that a function made.
__device__ static struct four sum(struct four a, struct four b) {
    struct four s = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    return s;
}

__global__ void sums(struct four *out, const struct four *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sum(in[i], in[i]);
}

__global__ void aligned_sums(struct aligned_four *out, const struct aligned_four *in, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    struct aligned_four a = in[i], b = in[n - 1 - i];
    struct aligned_four s = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    out[i] = s;
}

// A struct that is a kernel's argument is in no global memory.
__global__ void argument(float *out, struct eight weights) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = weights.f[2] + weights.f[7];
}

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(8 * N);
    double *in_double = input<double>(4 * N), *out_double = output<double>(4 * N);
    unsigned char *in_char = input<unsigned char>(3 * N), *out_char = output<unsigned char>(3 * N);
    struct mixed h_mixed[N], *in_mixed;
    struct nested h_nested[N], *in_nested;
    struct eight weights = {{1, 2, 3, 4, 5, 6, 7, 8}};
    memset(h_mixed, 0, sizeof h_mixed);
    memset(h_nested, 0, sizeof h_nested);
    for (int i = 0; i < N; i++) {
        struct mixed m = {(char)element(i), (short)(i + 1), i * 3, i * 0.5};
        struct nested n = {{i * 1.0, i * 2.0}, {0, 1, i * 3.0f, 2}};
        h_mixed[i] = m;
        h_nested[i] = n;
    }
    CUDA_CHECK(cudaMalloc((void **)&in_mixed, sizeof h_mixed));
    CUDA_CHECK(cudaMalloc((void **)&in_nested, sizeof h_nested));
    CUDA_CHECK(cudaMemcpy(in_mixed, h_mixed, sizeof h_mixed, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(in_nested, h_nested, sizeof h_nested, cudaMemcpyHostToDevice));

    one_field<<<BLOCKS, THREADS>>>(out, (struct four *)in);
    CHECK("one_field", out, N, (float)element(4 * i + 1));
    some_fields<<<BLOCKS, THREADS>>>((struct four *)out, (struct four *)in);
    CHECK("some_fields", out, 4 * N,
          i % 4 == 2 ? (float)(element(i - 2) + element(i + 1)) : clear_[i]);
    all_fields<<<BLOCKS, THREADS>>>((struct four *)out, (struct four *)in);
    CHECK("all_fields", out, 4 * N, (float)(element(i) + (int)(i % 4) + 1));
    wide_field<<<BLOCKS, THREADS>>>(out, (struct eight *)in);
    CHECK("wide_field", out, N, (float)element(8 * i + 5));
    second_double<<<BLOCKS, THREADS>>>(out_double, (struct two_doubles *)in_double);
    CHECK("second_double", out_double, N, (double)element(2 * i + 1));
    both_doubles<<<BLOCKS, THREADS>>>((struct two_doubles *)out_double,
                                      (struct two_doubles *)in_double);
    CHECK("both_doubles", out_double, 2 * N, (double)(element(i) + (i % 2 ? 0 : element(i + 1))));
    copy<<<BLOCKS, THREADS>>>((struct four *)out, (struct four *)in);
    CHECK("copy of four", out, 4 * N, (float)element(i));
    copy<<<BLOCKS, THREADS>>>((struct aligned_four *)out, (struct aligned_four *)in);
    CHECK("copy of aligned four", out, 4 * N, (float)element(i));
    copy<<<BLOCKS, THREADS>>>((struct eight *)out, (struct eight *)in);
    CHECK("copy of eight", out, 8 * N, (float)element(i));
    copy<<<BLOCKS, THREADS>>>((struct two_doubles *)out_double, (struct two_doubles *)in_double);
    CHECK("copy of two doubles", out_double, 2 * N, (double)element(i));
    copy<<<BLOCKS, THREADS>>>((struct bytes3 *)out_char, (struct bytes3 *)in_char);
    CHECK("copy of three bytes", out_char, 3 * N, (unsigned char)element(i));
    mixed_fields<<<BLOCKS, THREADS>>>(out_double, in_mixed);
    CHECK("mixed_fields", out_double, N, h_mixed[i].c + h_mixed[i].s + h_mixed[i].i + h_mixed[i].d);
    nested_fields<<<BLOCKS, THREADS>>>(out_double, in_nested);
    CHECK("nested_fields", out_double, N, (double)i * 2 + (double)i * 3);
    grey<<<BLOCKS, THREADS>>>(out_char, (struct bytes3 *)in_char);
    CHECK("grey", out_char, N,
          (unsigned char)((element(3 * i) + element(3 * i + 1) + element(3 * i + 2)) / 3));
    sums<<<BLOCKS, THREADS>>>((struct four *)out, (struct four *)in);
    CHECK("sums", out, 4 * N, 2 * (float)element(i));
    aligned_sums<<<BLOCKS, THREADS>>>((struct aligned_four *)out, (struct aligned_four *)in, N);
    CHECK("aligned_sums", out, 4 * N, (float)(element(i) + element(4 * (N - 1 - i / 4) + i % 4)));
    argument<<<BLOCKS, THREADS>>>(out, weights);
    CHECK("argument", out, N, 11.0f);

    void *all[] = {in, out, in_double, out_double, in_char, out_char, in_mixed, in_nested};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
