/*
 * openmp.c: the kernels of this folder as one writes them in C with OpenMP, KERNEL the one to run.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include "speed.h"

static void saxpy(const float *a, const float *b, float *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        out[i] = 2 * a[i] + b[i];
}

static void stencil(const float *a, const float *b, float *out, int n) {
    enum { RADIUS = 3 };
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = i - RADIUS; k <= i + RADIUS; k++)
            sum += k >= 0 && k < n ? a[k] : 0;
        out[i] = sum;
    }
}

static void histogram(const float *a, const float *b, float *out, int n) {
    enum { BINS = 256 };
    unsigned bins[BINS] = {0};
#pragma omp parallel for reduction(+ : bins)
    for (int i = 0; i < n; i++)
        bins[(int)(64 * a[i] + b[i])]++;
    for (int i = 0; i < BINS; i++)
        out[i] = (float)bins[i];
}

static void reduction_tree(const float *a, const float *b, float *out, int n) {
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    out[0] = sum;
}

static void prefix_sum(const float *a, const float *b, float *out, int n) {
#pragma omp parallel for
    for (int begin = 0; begin < n; begin += BLOCK) {
        float sum = 0;
        for (int i = begin; i < begin + BLOCK && i < n; i++)
            out[i] = sum += a[i];
    }
}

static void product_tiled(const float *a, const float *b, float *out, int n) {
#pragma omp parallel for
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++)
            out[row * n + column] = 0;
        for (int k = 0; k < n; k++)
            for (int column = 0; column < n; column++)
                out[row * n + column] += a[row * n + k] * b[k * n + column];
    }
}

static void product_naive(const float *a, const float *b, float *out, int n) {
#pragma omp parallel for
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[row * n + k] * b[k * n + column];
            out[row * n + column] = sum;
        }
}

static void n_body(const float *a, const float *b, float *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float pull = 0;
        for (int k = 0; k < n; k++) {
            float x = a[k] - a[i], y = b[k] - b[i], square = x * x + y * y + 1;
            pull += x / (square * sqrtf(square));
        }
        out[i] = pull;
    }
}

static void mandelbrot(const float *a, const float *b, float *out, int n) {
    enum { MOST_STEPS = 256 };
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float x0 = 3.0f * column / n - 2.25f, y0 = 3.0f * row / n - 1.5f, x = 0, y = 0;
            int steps = 0;
            while (steps < MOST_STEPS && x * x + y * y < 4) {
                float next = x * x - y * y + x0;
                y = 2 * x * y + y0;
                x = next;
                steps++;
            }
            out[row * n + column] = steps;
        }
}

static void run(const float *a, const float *b, float *out, int n) { KERNEL(a, b, out, n); }
