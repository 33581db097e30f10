// SAXPY of chapter 06, one float and four for each thread, beside cublasSaxpy on the same data in
// the same run. cuBLAS is looked for when the program runs: without it, exit code 77.
//
//     nvcc -O3 tests/bench/saxpy_cublas.cu -o saxpy_cublas && ./saxpy_cublas
//
// SPDX-License-Identifier: MIT
#include <dlfcn.h>

#define main widths_main
#include "../../06_vectorized/widths.cu"
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

static void launch_cublas(float *y, const float *x, const float *, size_t n) {
    const float two = 2;
    if (cublas_saxpy(handle, (int)n, &two, x, 1, y, 1) != 0) {
        fprintf(stderr, "cublasSaxpy failed\n");
        exit(3);
    }
}

static const struct variant from_cublas = {
    "cublasSaxpy", launch_cublas, saxpy_reference, 12, 2, 1, ""};

static const struct program cublas_program = {
    "06_vectorized",
    "saxpy_cublas",
    "SAXPY with float4 against cublasSaxpy.",
    "variant n block median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    if (!find_cublas()) {
        fprintf(stderr, "saxpy_cublas: skipped, no cuBLAS %s\n",
                ON_CPU ? "on the CPU device" : "here (it comes with the CUDA Toolkit)");
        return 77;
    }
    struct run run = run_begin(&cublas_program, argc, argv);
    enum { ROWS = 5 };
    struct work works[ROWS];
    struct task tasks[ROWS];
    double best4 = 0;
    if (cublas_create(&handle) != 0) {
        fprintf(stderr, "cublasCreate failed\n");
        return 3;
    }
    (void)widths_main, (void)conclude;
    struct data data = data_create(run_size(&run, GPU_N, CPU_N, 5 * sizeof(float)));
    memset(works, 0, sizeof works);
    for (int i = 0; i < ROWS; i++) {
        works[i].variant = i == 0 ? &from_cublas : &variants[i == 1 ? SAXPY : SAXPY4];
        works[i].data = &data;
        works[i].block = i < 3 ? 256 : i == 3 ? 512 : 1024;
    }
    measure_works(&run, works, tasks, ROWS);
    works[0].row.block = 0; // cuBLAS does not say
    print_works(&run, works, ROWS);
    for (int i = 2; i < ROWS && !run.quick; i++)
        best4 = fmax(best4, works[i].row.gb_per_s);
    if (!run.quick)
        run_say(&run, "SAXPY with float4 is %.3f times as fast as cublasSaxpy (best block %.3f).",
                works[2].row.gb_per_s / works[0].row.gb_per_s, best4 / works[0].row.gb_per_s);
    measure_free(tasks, ROWS);
    data_free(&data);
    return run_end(&run);
}
