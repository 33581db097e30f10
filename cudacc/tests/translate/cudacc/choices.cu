// Choices between loads, copies from memory to memory, and stores in both branches of an `if`, in
// all the forms in which a program can write them: a traced build gives what a plain one does.
// SPDX-License-Identifier: MIT
#include <cuda_fp16.h>
#include <stdio.h>

enum { THREADS = 64, EACH = 64, COUNT = THREADS * EACH };
enum color { RED, GREEN };

struct reference { // as std::vector<bool>'s
    float *p;
    __device__ operator float() const { return *p; }
    __device__ reference &operator=(float x) { return *p = x, *this; }
};
struct proxies {
    float *p;
    __device__ reference operator[](int i) const { return reference{p + i}; }
};
struct values {
    float *p;
    __device__ float operator[](int i) const { return p[i]; }
};
struct mixed {
    unsigned a : 3, b : 5;
    bool flags[4];
    color colors[2];
    const float *pointers[2];
};

template <int A, int B> __device__ static bool every(int i) { return i % A < B; }
__device__ static void add_one(float &x) { x += 1; }

// o and w: of this thread, EACH each; r: of all.
template <typename T> __device__ void choices(T *o, T *w, const T *r, const double *d, int t) {
    __shared__ float rows[4][16];
    if (t < 64)
        rows[t / 16][t % 16] = (float)t;
    __syncthreads();
    float *row = t & 1 ? rows[0] : rows[1];
    const float *two[2];
    two[0] = rows[2], two[1] = rows[3];
    o[0] = every<3, 1>(t) ? r[t] : w[0];
    o[1] = (t > 3 && r[t] > 2) || t << 2 > 5 ? r[(int)d[t]] : w[1];
    o[2] = (T)((t ? r[t + 1] : d[t + 1]) + (t == 1 ? w[2] : w[3]));
    o[3] = row[3] + two[t & 1][2];
    o[4] = t % 3 == 0 ? r[t + 2] : t % 3 == 1 ? w[4] : r[t + 5];
    o[5] = (T)(t % 3 == 0 ? r[t + 3] : t % 3 == 1 ? d[t + 3] : w[5]);
    add_one(t & 2 ? o[6] : w[6]);
    (t & 4 ? o[7] : w[7]) = 3;
    (t & 4 ? w[8] : o[8]) = 5;
    T list[4] = {t & 1 ? r[1] : w[9], r[2], 0, 1};
    list[t & 3] = list[(t + 1) & 3];
    o[9] = list[0] + list[t & 1] * 2;
    auto f = [=](int j) { return j & 1 ? r[j] : w[10]; };
    o[10] = f(t) + max(r[t + 3], t & 1 ? r[t + 9] : w[11]);
    volatile T *v = w;
    v[12] = t & 8 ? v[13] : v[14];
    const T *from = t & 1 ? &r[4] : &w[15];
    o[11] = *from;
    values by_value{w};
    proxies by_proxy{w};
    o[12] = t & 1 ? by_value[16] : r[t + 4];
    by_proxy[17] = by_value[18];
    o[13] = t & 1 ? by_proxy[19] : by_proxy[20];
}

__device__ static void copies(float *o, const float *r, mixed *m, __half *h, float4 *v, int t) {
    m[t].flags[0] = m[t].flags[t & 3];
    m[t].colors[1] = m[t].colors[0];
    m[t].pointers[1] = m[t].pointers[0];
    m[t].b = m[t].flags[0];
    h[2 * t] = t & 1 ? h[2 * t + 1] : h[2 * t];
    h[2 * t + 1] = h[2 * t];
    v[2 * t] = v[2 * t + 1];
    v[2 * t + 1] = t & 1 ? v[2 * t] : v[2 * t + 1];
    switch (t % 4) {
    case 0:
        o[20] = r[t];
        break;
    case 1:
        if (t & 8)
            o[20] = r[t + 1];
        else
            o[20] = r[t + 2];
        break;
    default:
        o[20] = 0;
    }
    char c[4] = {1, 2, 3, 4};
    c[t & 3] = c[t >> 4];
    o[21] = m[t].pointers[1][3] + m[t].flags[0] + m[t].colors[1] + c[0] + 2 * c[1] +
            __half2float(h[2 * t + 1]) + v[2 * t].y + v[2 * t + 1].z;
}

__device__ static void arms(float *o, const float *r, int t, int n) {
    if (t & 1)
        o[30] = r[t];
    else if (t & 2)
        o[30] = 1;
    else {
        float x = r[t + 1];
        o[30] = x * 2;
    }
    if (t & 4) {
        o[31] = r[t + 1] + r[t];
    } else
        o[31] = r[t];
    for (int k = 0; k < n; k++)
        if ((k ^ t) & 1)
            o[32 + k] = r[k];
        else
            o[32 + k] = 0;
    do {
        if (t % 5 == 2)
            continue;
        if (t % 5 < 2)
            *(o + 40) = 1;
        else
            *(o + 40) = 2;
    } while (n-- > 3);
    if constexpr (sizeof(float) == 4)
        o[41] = 1;
    else
        o[41] = 2;
    if (t & 1) {
    } else
        o[42] += 3;
    if (t & 2)
        o[43] += r[t];
    else
        o[43] -= r[t + 1];
    if (t > 60)
        return;
    if (t > 50) {
        if (t & 1) {
            o[44] = 4;
        } else {
            o[44] = 5;
        }
        return;
    }
    if (int half = t / 2) {
        o[45] = (float)half;
    } else {
        o[45] = -1;
    }
}

__global__ void forms(float *out, float *work, const float *in, const double *wide, mixed *m,
                      __half *h, float4 *v, int n) {
    int t = threadIdx.x;
    float *o = out + t * EACH, *w = work + t * EACH;
    choices(o, w, in, wide, t);
    copies(o, in, m, h, v, t);
    arms(o, in, t, n);
    for (int k = 0; k < EACH; k++)
        o[k] += w[k];
}

int main() {
    float *out, *work, *in;
    double *wide;
    mixed *m;
    __half *h;
    float4 *v;
    for (float **p : {&out, &work, &in})
        cudaMallocManaged(p, COUNT * sizeof(float));
    for (int i = 0; i < COUNT; i++)
        out[i] = 0, work[i] = in[i] = (float)(i * 7 % 61);
    cudaMallocManaged(&wide, 2 * THREADS * sizeof *wide);
    cudaMallocManaged(&m, THREADS * sizeof *m);
    cudaMallocManaged(&h, 2 * THREADS * sizeof *h);
    cudaMallocManaged(&v, 2 * THREADS * sizeof *v);
    for (int i = 0; i < 2 * THREADS; i++) {
        wide[i] = i * 3 % 64;
        h[i] = __float2half((float)(i % 9));
        v[i] = make_float4((float)i, (float)(i + 1), (float)(i + 2), (float)(i + 3));
    }
    for (int i = 0; i < THREADS; i++)
        m[i] = mixed{1, 2, {true, false, true, true}, {GREEN, RED}, {in, nullptr}};
    forms<<<1, THREADS>>>(out, work, in, wide, m, h, v, 6);
    cudaError_t error = cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += out[i] * (i * 37 % 101 + 1);
    printf("%s, %.9g\n", cudaGetErrorString(error), sum);
    cudaFree(out), cudaFree(work), cudaFree(in);
    cudaFree(wide), cudaFree(m), cudaFree(h), cudaFree(v);
    return error != cudaSuccess;
}
