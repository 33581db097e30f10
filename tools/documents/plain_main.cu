// SPDX-License-Identifier: MIT
// The main that `snippet` gives an experiment's kernels: each variant launched once, every element
// compared, then timed. `variants` is the experiment's table, or some lines of it.
#include "../../common/common.h"

struct arrays {
    size_t n;
    float *d_out, *d_a, *d_b;
};

struct variant {
    const char *name;
    void (*launch)(const struct arrays *x, unsigned block, size_t parameter);
    void (*expected)(float *out, const float *a, const float *b, size_t n, size_t parameter);
    unsigned block;
    size_t parameter;
    double bytes, flops; // for each element
    int in_place;        // out is read before it is written
    const char *expect;
};

static struct { struct cudaDeviceProp device; } run;

int main(void) {
    enum { LAUNCHES = 20 }; // timed together
    CUDA_CHECK(cudaGetDeviceProperties(&run.device, 0));
    const int on_gpu = !on_cpu_device(&run.device); // a CPU's times say nothing about a GPU
    size_t n = (on_gpu ? 1 << 26 : 1 << 14) + 3, bytes = n * sizeof(float), wrong = 0;
    float *h_a = (float *)malloc(4 * bytes), *h_b = h_a + n, *h_out = h_b + n, *h_right = h_out + n;
    if (!h_a)
        return fputs("out of host memory\n", stderr), 3;
    struct arrays x = {n, NULL, NULL, NULL};
    float **d[3] = {&x.d_out, &x.d_a, &x.d_b}, ms;
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaMalloc((void **)d[i], bytes));
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (size_t i = 0; i < n; i++)
        h_a[i] = fill_value(i, 1), h_b[i] = fill_value(i, 2);
    CUDA_CHECK(cudaMemcpy(x.d_a, h_a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(x.d_b, h_b, bytes, cudaMemcpyHostToDevice));
    printf("%s, %zu floats\n", run.device.name, n);
    for (const struct variant *v = variants; v < variants + sizeof variants / sizeof *v; v++) {
        for (size_t i = 0; i < n; i++)
            h_out[i] = h_right[i] = fill_value(i, 3);
        CUDA_CHECK(cudaMemcpy(x.d_out, h_out, bytes, cudaMemcpyHostToDevice));
        v->launch(&x, v->block, v->parameter); // this one is checked, and is the warm-up
        CUDA_CHECK(cudaMemcpy(h_out, x.d_out, bytes, cudaMemcpyDeviceToHost)); // waits for it
        v->expected(h_right, h_a, h_b, n, v->parameter);
        for (size_t i = 0; i < n; i++)
            wrong += !(h_out[i] == h_right[i]); // no NaN passes
        CUDA_CHECK(cudaEventRecord(start, 0));
        for (int i = 0; i < LAUNCHES; i++)
            v->launch(&x, v->block, v->parameter);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
        printf(on_gpu ? "%-24s %9.4f ms %8.1f GB/s\n" : "%-24s %9.4f ms\n", v->name, ms / LAUNCHES,
               v->bytes * n * LAUNCHES / ms * 1e-6);
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaFree(*d[i]));
    free(h_a);
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong > 0;
}
