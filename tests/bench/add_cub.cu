// The kernels of chapter 06's limit beside cub::DeviceTransform, on the same arrays, in one run.
// It needs CUB of CUDA 12.8 or later; elsewhere exit code 77.
//
//     nvcc -O3 -std=c++17 -arch=native tests/bench/add_cub.cu -o add_cub && ./add_cub
//
// SPDX-License-Identifier: MIT
#define main limit_main
#include "../../06_vectorized/experiments/6_limit.cu"
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

static void launch_cub(const struct arrays *x, unsigned, size_t) {
    CUDA_CHECK(cub::DeviceTransform::Transform(
        cuda::std::make_tuple((const float *)x->d_a, (const float *)x->d_b), x->d_out, x->n,
        plus{}));
}

static const struct variant from_cub = {
    "cub::DeviceTransform", launch_cub, add_reference, 0, 0, 12, 1, 0, ""}; // it chooses its block
#endif

int main(int argc, char **argv) {
    (void)limit_main;
#ifndef HAVE_CUB
    (void)argc, (void)argv;
    fprintf(stderr,
            "add_cub: skipped, no cub::DeviceTransform here (CUDA 12.8 has it, with C++17)\n");
    return 77;
#else
    static struct variant table[ROWS + 1];
    static struct work works[ROWS + 1];
    double best = 0;
    run_begin(
        argc, argv, "06_vectorized/add_cub", "The kernels of limit against cub::DeviceTransform.",
        "variant n block parameter value median_ms gb_per_s flag check", "elements", NO_ERRORS);
    fill_table(table);
    table[ROWS] = from_cub;
    if (check_sizes(table, ROWS + 1))
        return run_end();
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    x.same_for_all = 1;
    measure_table(works, table, ROWS + 1, &x);
    for (int i = 0; i < ROWS; i++) {
        describe(&works[i], &in_flight[rows[i].variant]);
        best = fmax(best, works[i].row.gb_per_s);
    }
    print_works(works, ROWS + 1);
    if (run.samples)
        finding("share_of_cub", best / works[ROWS].row.gb_per_s,
                "The fastest of limit's kernels reaches %.4f of CUB's rate.",
                best / works[ROWS].row.gb_per_s);
    arrays_free(&x);
    return run_end();
#endif
}
