/*
 * speed.h: the frame of each program here: what its .cu and openmp.c have in common.
 *
 *     PROGRAM N INPUTS OUTPUTS REPEATS
 *
 * runs once, then REPEATS times, and prints the CPU seconds of these REPEATS, user and system of
 * all threads, and two sums over the results of all of them. What comes before, the start of the
 * process, its memory and the first run, does not count.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SPEED_H
#define SPEED_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { BLOCK = 256 };

/* One run: from n, or from a and b, which have INPUTS elements, to OUTPUTS elements of out. */
static void run(const float *a, const float *b, float *out, int n);
#define RUNS(kernel, ...)                                                                          \
    static void run(const float *a, const float *b, float *out, int n) {                           \
        kernel<<<__VA_ARGS__>>>(a, b, out, n);                                                     \
    }

static double cpu_s(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* Whole numbers from 0 to 3: sums of them are exact in every order. */
static void fill(float *a, int count, unsigned seed) {
    for (int i = 0; i < count; i++)
        a[i] = (float)((((unsigned)i + seed) * 2654435761u >> 13) % 4);
}

static void print_row(double seconds, const float *out, int outputs) {
    double sum = 0, by_place = 0;
    for (int i = 0; i < outputs; i++) {
        sum += out[i];
        by_place += out[i] * (i % 256);
    }
    printf("%.6f %.9g %.9g\n", seconds, sum, by_place);
}

#ifndef SPEED_OPENCL
#ifdef __CUDACC__
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
static float *device_array(const float *from, size_t bytes) {
    float *p;
    CHECK(cudaMalloc((void **)&p, bytes));
    CHECK(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    return p;
}
#else
#define CHECK(call) (void)0
#endif

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    int n = atoi(argv[1]), inputs = atoi(argv[2]), outputs = atoi(argv[3]), repeats = atoi(argv[4]);
    size_t bytes = (size_t)inputs * sizeof(float), out_bytes = (size_t)outputs * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes);
    float *out = (float *)calloc((size_t)outputs, sizeof *out);
    if (!a || !b || !out)
        return 1;
    fill(a, inputs, 1);
    fill(b, inputs, 77);
    float *d_a = a, *d_b = b, *d_out = out;
#ifdef __CUDACC__
    d_a = device_array(a, bytes), d_b = device_array(b, bytes),
    d_out = device_array(out, out_bytes);
#endif
    run(d_a, d_b, d_out, n);
    CHECK(cudaDeviceSynchronize());
    double begin_s = cpu_s();
    for (int i = 0; i < repeats; i++)
        run(d_a, d_b, d_out, n);
    CHECK(cudaDeviceSynchronize());
    double seconds = cpu_s() - begin_s;
    CHECK(cudaMemcpy(out, d_out, out_bytes, cudaMemcpyDeviceToHost));
    print_row(seconds, out, outputs);
    (void)out_bytes;
    return 0;
}
#endif

#endif
