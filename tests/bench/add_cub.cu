// The kernels of chapter 06's limit.cu beside cub::DeviceTransform on the same arrays, in
// the same run. It needs CUB of CUDA 12.8 or later; elsewhere exit code 77.
//
//     nvcc -O3 -std=c++17 -arch=native tests/bench/add_cub.cu -o add_cub && ./add_cub
//
// SPDX-License-Identifier: MIT
#define main limit_main
#include "../../06_vectorized/limit.cu"
#undef main

#if defined(__CUDACC_CPU__) || __cplusplus < 201703L
#elif __has_include(<cub/device/device_transform.cuh>)
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#define HAVE_CUB 1
#endif

#ifdef HAVE_CUB
struct plus {
    __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

static void launch_cub(float *out, const float *a, const float *b, size_t n) {
    CUDA_CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(a, b), out, n, plus{}));
}

static const struct variant from_cub = {
    "cub::DeviceTransform", launch_cub, add_reference, 12, 1, 0, ""};
#endif

static const struct program cub_program = {
    "06_vectorized",
    "add_cub",
    "The kernels of limit.cu against cub::DeviceTransform.",
    "variant n block parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
#ifndef HAVE_CUB
    (void)limit_main, (void)cub_program, (void)argc, (void)argv;
    fprintf(stderr,
            "add_cub: skipped, no cub::DeviceTransform here (CUDA 12.8 has it, with C++17)\n");
    return 77;
#else
    struct run run = run_begin(&cub_program, argc, argv);
    (void)limit_main;
    struct data data = data_create(run_size(&run, GPU_N, CPU_N, 5 * sizeof(float)));
    struct work works[ROWS + 1];
    struct task tasks[ROWS + 1];
    double best = 0;
    memset(works, 0, sizeof works);
    for (int i = 0; i <= ROWS; i++) {
        works[i].variant = i < ROWS ? &variants[rows[i].variant] : &from_cub;
        works[i].shape = i < ROWS ? &shapes[rows[i].variant] : NULL;
        works[i].data = &data;
        works[i].block = i < ROWS ? rows[i].block : 256;
        works[i].shared =
            i < ROWS ? shared_for(rows[i].variant, rows[i].block, rows[i].resident) : 0;
    }
    measure_works(&run, works, tasks, ROWS + 1);
    works[ROWS].row.block = 0; // CUB does not say
    print_works(&run, works, ROWS + 1);
    for (int i = 0; i < ROWS && !run.quick; i++)
        best = fmax(best, works[i].row.gb_per_s);
    if (!run.quick)
        run_say(&run, "The best of these reaches %.4f of CUB's rate.",
                best / works[ROWS].row.gb_per_s);
    measure_free(tasks, ROWS + 1);
    data_free(&data);
    return run_end(&run);
#endif
}
