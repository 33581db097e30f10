// Numbers: vectors, particles, functions, equations.
// EXPECT saxpy4: 8 128 4 64
// EXPECT reverse_in_place: 4 16 4 16
// SPDX-License-Identifier: MIT
#include "samples.h"

#include <cuComplex.h>
#include <cuda_fp16.h>

enum { THREADS = 64, BLOCKS = 2 };

// ---- Vectors -----------------------------------------------------------------------------------
__global__ void saxpy4(float4 *y, const float4 *x, float a) {
    unsigned i = thread_number();
    float4 u = x[i], v = y[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
}

__global__ void axpy_half2(__half2 *y, const __half2 *x, float a, int n2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 aa = __float2half2_rn(a);
    if (i < n2)
        y[i] = __hfma2(aa, x[i], y[i]);
}

__global__ void multiply_spectra(cuFloatComplex *signal, const cuFloatComplex *filter, int n,
                                 float scale) {
    const int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        cuFloatComplex p = cuCmulf(signal[i], filter[i]);
        signal[i] = make_cuFloatComplex(cuCrealf(p) * scale, cuCimagf(p) * scale);
    }
}

__global__ void reverse_in_place(int *data, int n) {
    int i = (int)thread_number();
    if (i < n / 2) {
        int t = data[i];
        data[i] = data[n - 1 - i];
        data[n - 1 - i] = t;
    }
}

// ---- Particles ---------------------------------------------------------------------------------
typedef struct {
    float x, y, z;
    float vx, vy, vz;
    float life;
} particle;

__global__ void update_particles(particle *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || p[i].life <= 0.0f)
        return;
    p[i].vy -= 8.0f * dt;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
    if (p[i].y < 0.0f) {
        p[i].y = -p[i].y;
        p[i].vy *= -0.5f;
    }
    p[i].life -= dt;
}

struct body {
    float4 position;
    float3 velocity;
    int id;
};

__global__ void move_bodies(struct body *b, float dt) {
    unsigned i = thread_number();
    struct body me = b[i];
    me.position.x += dt * me.velocity.x;
    me.position.y += dt * me.velocity.y;
    me.position.z += dt * me.velocity.z;
    b[i] = me;
}

__global__ void all_pairs(float *out, const float4 *body) {
    __shared__ float4 s[THREADS];
    unsigned t = threadIdx.x, i = thread_number();
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

struct sample {
    double time;
    float value;
    short channel, flags;
};

__global__ void sort_pairs(struct sample *s) {
    unsigned i = 2 * thread_number();
    if (s[i].time > s[i + 1].time) {
        struct sample t = s[i];
        s[i] = s[i + 1];
        s[i + 1] = t;
    }
}

// ---- Functions ---------------------------------------------------------------------------------
__global__ void horner(double *out, const double *x, const double *c) {
    unsigned i = thread_number();
    double v = x[i], r = c[5];
#pragma unroll
    for (int k = 4; k >= 0; k--)
        r = r * v + c[k];
    out[i] = r;
}

__global__ void scale_with_table(float *out, const float *in, const int *kind) {
    const float table[4] = {0.5f, 1, 2, 4};
    unsigned i = thread_number();
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

__global__ void interpolate(const float *xs, const float *ys, int m, const float *at, float *out,
                            int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = at[i];
    if (x <= xs[0]) {
        out[i] = ys[0];
    } else if (x >= xs[m - 1]) {
        out[i] = ys[m - 1];
    } else {
        int lo = 0, hi = m - 1;
        while (hi - lo > 1) {
            int mid = (lo + hi) / 2;
            if (xs[mid] <= x)
                lo = mid;
            else
                hi = mid;
        }
        out[i] = ys[lo] + (ys[hi] - ys[lo]) * (x - xs[lo]) / (xs[hi] - xs[lo]);
    }
}

struct quadratic {
    float a, b, c;
    float x1, x2;
    int roots;
};

__global__ void solve_structs(quadratic *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float d = q[i].b * q[i].b - 4 * q[i].a * q[i].c;
    if (d < 0) {
        q[i].roots = 0;
    } else if (d == 0) {
        q[i].roots = 1;
        q[i].x1 = -q[i].b / (2 * q[i].a);
    } else {
        q[i].roots = 2;
        q[i].x1 = (-q[i].b + sqrtf(d)) / (2 * q[i].a);
        q[i].x2 = (-q[i].b - sqrtf(d)) / (2 * q[i].a);
    }
}

#define MAX_QUEENS 8

__global__ void queens_check(unsigned char *valid, int n, int total) {
    int board = blockIdx.x * blockDim.x + threadIdx.x;
    if (board >= total)
        return;
    int queen[MAX_QUEENS];
    int code = board;
    for (int r = 0; r < n; r++) {
        queen[r] = code % n;
        code /= n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (queen[i] == queen[j] || abs(queen[i] - queen[j]) == j - i) {
                valid[board] = 0;
                return;
            }
        }
    }
    valid[board] = 1;
}

int main() {
    begin();
    float *in = make<float>(4000, number), *out = zeros<float>(600);
    int *ints = make<int>(128, whole);

    float *y = make<float>(512, number);
    saxpy4<<<2, 64>>>((float4 *)y, (const float4 *)in, 2);
    expect("saxpy4", y, 512, 6080.25);
    __half *halves = make<__half>(1800, [](int i) { return __float2half(number(i)); });
    __half2 *sums = (__half2 *)zeros<__half>(1700);
    axpy_half2<<<7, 128>>>(sums, (const __half2 *)halves + 10, 0.5f, 850);
    expect("axpy_half2", (unsigned short *)sums, 1700, 2824513856);
    cuFloatComplex *signal = (cuFloatComplex *)make<float>(2000, number);
    multiply_spectra<<<3, 128>>>(signal, (const cuFloatComplex *)in + 1000, 901, 0.25f);
    expect("multiply_spectra", (float *)signal, 1802, 8769.890625);
    reverse_in_place<<<2, 64>>>(ints, 128);
    expect("reverse_in_place", ints, 128, -786);

    particle *particles = make<particle>(300, [](int i) {
        float height = i % 3 ? 9.0f : 0.5f, fall = -4 - (float)(i % 29) / 4;
        return particle{number(6 * i),     height, number(6 * i + 2),
                        number(6 * i + 3), fall,   number(6 * i + 5),
                        number(6 * i + 1)};
    });
    update_particles<<<3, 128>>>(particles, 300, 0.125f);
    expect("update_particles", (float *)particles, 300 * 7, -15103.9375);
    body *bodies = make<body>(128, [](int i) {
        return body{{number(i), number(2 * i), number(3 * i), 1}, {number(5 * i), 1, 2}, i};
    });
    move_bodies<<<2, 64>>>(bodies, 2);
    expect("move_bodies", (unsigned char *)bodies, 128 * sizeof(body), 9114842);
    all_pairs<<<2, 64>>>(out, (const float4 *)in);
    expect("all_pairs", out, 128, 3465.72135724);
    sample *samples = make<sample>(256, [](int i) {
        return sample{number(i), number(i + 300), (short)i, (short)(i % 3)};
    });
    sort_pairs<<<2, 64>>>(samples);
    expect("sort_pairs", (unsigned char *)samples, 256 * sizeof(sample), 7677749);

    double *doubles = make<double>(200, number), *d_out = zeros<double>(128);
    horner<<<2, 64>>>(d_out, doubles, doubles + 130);
    expect("horner", d_out, 128, 41753144.5625);
    scale_with_table<<<2, 64>>>(out, in, ints);
    expect("scale_with_table", out, 128, 5960.25);
    float *places = make<float>(50, [](int i) { return i * 0.5f - 12.0f; });
    interpolate<<<3, 128>>>(places, in + 3000, 50, in, out, 350);
    expect("interpolate", out, 350, 18614.5);
    quadratic *equations = make<quadratic>(200, [](int i) {
        return quadratic{1, i % 5 ? number(i) : 4, i % 5 ? number(i + 500) : 4, 0, 0, 0};
    });
    solve_structs<<<2, 128>>>(equations, 200);
    expect("solve_structs", (float *)equations, 200 * 6, 14502.6438545);

    unsigned char *valid = zeros<unsigned char>(3125);
    queens_check<<<25, 128>>>(valid, 5, 3125);
    expect("queens_check", valid, 3125, 634);
    return end();
}
