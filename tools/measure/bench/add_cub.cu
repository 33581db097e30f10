// The kernels of chapter 06's limit and order beside cub::DeviceTransform, on the same arrays, in
// one run. It needs CUB of CUDA 12.8 or later; elsewhere exit code 77.
//
//     nvcc -O3 -std=c++17 -arch=native tools/measure/bench/add_cub.cu -o add_cub && ./add_cub
//
// SPDX-License-Identifier: MIT
#if defined(__CUDACC_CPU__) || __cplusplus < 201703L
#elif __has_include(<cub/device/device_transform.cuh>)
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#define HAVE_CUB 1
#endif

#include "../../../06_vectorized/experiments/cache_hints.h"
#include "../../../06_vectorized/experiments/ring.h"

#ifdef HAVE_CUB
// Two programs in one: each in a namespace, its main by another name.
#define main program
namespace limit_program {
#include "../../../06_vectorized/experiments/7_limit.cu"
}
namespace order_program {
#include "../../../06_vectorized/experiments/9_order.cu"
}
#undef main

struct plus {
    __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

static void launch_cub(const struct arrays *x, unsigned, size_t) {
    CUDA_CHECK(cub::DeviceTransform::Transform(
        cuda::std::make_tuple((const float *)x->d_a, (const float *)x->d_b), x->d_out, x->n, plus{},
        run.stream));
}

static const struct variant from_cub = {
    "cub::DeviceTransform", launch_cub, sum_reference, 0, 0, 12, 1, 0, ""}; // it chooses its block

int main(int argc, char **argv) {
    enum { CUB = (int)limit_program::ROWS + (int)order_program::ROWS, ROWS };
    static struct variant table[ROWS];
    static struct work works[ROWS];
    const struct row *best = &works[0].row;
    (void)limit_program::program, (void)order_program::program;
    run_begin(argc, argv, "06_vectorized/add_cub",
              "The kernels of limit and order against cub::DeviceTransform.",
              "variant n block parameter value median_ms spread_pct gb_per_s flag check",
              "elements", NO_ERRORS);
    limit_program::fill_table(table);
    order_program::fill_table(table + limit_program::ROWS);
    table[CUB] = from_cub;
    check_sizes(table, ROWS);
    struct arrays x =
        arrays_create(run_size(limit_program::GPU_N, limit_program::CPU_N, ARRAYS * sizeof(float)));
    x.same_for_all = 1;
    measure_table(works, table, ROWS, &x);
    for (int i = 0; i < limit_program::ROWS; i++)
        describe(&works[i], &limit_program::in_flight[limit_program::rows[i].variant]);
    order_program::describe_all(works + limit_program::ROWS);
    for (int i = 0; i < CUB; i++)
        best = works[i].row.gb_per_s > best->gb_per_s ? &works[i].row : best;
    print_works(works, ROWS);
    if (run.samples)
        finding("share_of_cub", best->gb_per_s / works[CUB].row.gb_per_s,
                "The fastest kernel of limit and order, '%s' in blocks of %zu, reaches %.4f of "
                "CUB's rate.",
                best->variant, best->block, best->gb_per_s / works[CUB].row.gb_per_s);
    arrays_free(&x);
    return run_end();
}
#else
int main(void) {
    fprintf(stderr,
            "add_cub: skipped, no cub::DeviceTransform here (CUDA 12.8 has it, with C++17)\n");
    return 77;
}
#endif
