// SAXPY of chapter 06, one float and four for each thread, beside cublasSaxpy on the same data in
// the same run. cuBLAS is looked for when the program runs: without it, exit code 77.
//
//     nvcc -O3 tools/measure/bench/saxpy_cublas.cu -o saxpy_cublas && ./saxpy_cublas
//
// SPDX-License-Identifier: MIT
#include <dlfcn.h>

#define main widths_main
#include "../../../06_vectorized/experiments/1_widths.cu"
#undef main

// What cublas_v2.h declares, as far as it is used here. Every function returns 0 if all is well.
static int (*cublas_create)(void **handle);
static int (*cublas_saxpy)(void *handle, int n, const float *alpha, const float *x, int incx,
                           float *y, int incy);
static void *handle;

#ifdef __CUDACC_CPU__
enum { ON_CPU = 1 };
#else
enum { ON_CPU = 0 };
#endif

static int find_cublas(void) {
    static const char *const names[] = {"libcublas.so",
                                        "libcublas.so.13",
                                        "libcublas.so.12",
                                        "libcublas.so.11",
                                        "/usr/local/cuda/lib64/libcublas.so",
                                        "/usr/local/cuda/lib64/libcublas.so.13",
                                        "/usr/local/cuda/lib64/libcublas.so.12"};
    void *cublas = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !cublas && !ON_CPU; i++)
        cublas = dlopen(names[i], RTLD_NOW);
    if (!cublas)
        return 0;
    *(void **)&cublas_create = dlsym(cublas, "cublasCreate_v2");
    *(void **)&cublas_saxpy = dlsym(cublas, "cublasSaxpy_v2");
    return cublas_create && cublas_saxpy;
}

static void launch_cublas(const struct arrays *x, unsigned, size_t) {
    const float two = 2;
    if (cublas_saxpy(handle, (int)x->n, &two, x->d_a, 1, x->d_out, 1) != 0) {
        fprintf(stderr, "cublasSaxpy failed\n");
        exit(3);
    }
}

enum { CUBLAS, ONE_256, FOUR_256, TABLE = 5 };
static const struct variant rows[TABLE] = {
    {"cublasSaxpy", launch_cublas, saxpy_reference, 0, 0, 12, 2, 1, ""}, // it chooses its block
    {"saxpy float", launch_saxpy, saxpy_reference, 256, 0, 12, 2, 1, ""},
    {"saxpy float4", launch_saxpy4, saxpy_reference, 256, 0, 12, 2, 1, ""},
    {"saxpy float4", launch_saxpy4, saxpy_reference, 512, 0, 12, 2, 1, ""},
    {"saxpy float4", launch_saxpy4, saxpy_reference, 1024, 0, 12, 2, 1, ""},
};

int main(int argc, char **argv) {
    static struct work works[TABLE];
    double best4 = 0;
    (void)widths_main;
    if (!find_cublas()) {
        fprintf(stderr, "saxpy_cublas: skipped, no cuBLAS %s\n",
                ON_CPU ? "on the CPU device" : "here (it comes with the CUDA Toolkit)");
        return 77;
    }
    run_begin(argc, argv, "06_vectorized/saxpy_cublas", "SAXPY with float4 against cublasSaxpy.",
              "variant n block median_ms gb_per_s flag check", "elements", NO_ERRORS);
    if (cublas_create(&handle) != 0) {
        fprintf(stderr, "cublasCreate failed\n");
        return 3;
    }
    check_sizes(rows, TABLE);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    for (int i = 0; i < TABLE; i++)
        works[i].footprint = 2 * sizeof(float) * x.n; // y is an input, too
    measure_table(works, rows, TABLE, &x);
    print_works(works, TABLE);
    for (int i = FOUR_256; i < TABLE; i++)
        best4 = fmax(best4, works[i].row.gb_per_s);
    double cublas = works[CUBLAS].row.gb_per_s, same = works[FOUR_256].row.gb_per_s / cublas;
    if (run.samples)
        finding(
            "cublas_ratio", same,
            "SAXPY with float4 is %.3f times as fast as cublasSaxpy, and %.3f in its best block.",
            same, best4 / cublas);
    arrays_free(&x);
    return run_end();
}
