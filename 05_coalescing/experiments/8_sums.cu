// Sums along the rows of a matrix and down its columns, a thread for each. On a CPU it is right to
// walk along a row. Here the lanes of a warp must be neighbors, not the steps of a thread; and if
// rows it must be, shared memory turns one into the other.
//
//     nvcc -O3 -arch=native 8_sums.cu && ./a.out
//     ../../cudacc/cudacc -O2 8_sums.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "sectors.h"

enum { BLOCK = 256, GPU_N = 1 << 26, CPU_N = 1 << 18 };
enum { SUMMANDS = 16 }; // in each sum: as many of these numbers are exact in a float

// A matrix lies row by row: `count` rows of SUMMANDS numbers, or SUMMANDS rows of `count`, in which
// the sums are the columns'.

// ---- Kernels -----------------------------------------------------------------------------------
// Each thread walks along its row; the lanes are a row apart. Expect 32 sectors for each request,
// and the other 28 bytes of each lost unless a cache keeps them for the next steps.
__global__ void sum_rows(float *out, const float *a, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    if (i < count) {
        for (size_t k = 0; k < SUMMANDS; k++)
            total += a[i * SUMMANDS + k];
        out[i] = total;
    }
}

// Each thread jumps a whole row with every step; the lanes are neighbors. Expect 4 sectors.
__global__ void sum_columns(float *out, const float *a, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    if (i < count) {
        for (size_t k = 0; k < SUMMANDS; k++)
            total += a[k * count + i];
        out[i] = total;
    }
}

// Rows again. The block fetches all its rows as they lie, lane beside lane, into shared memory, and
// walks along them there. Expect 4 sectors, and nearly the columns' time. (Why a row has one
// element too many, transpose.cu explains.)
__global__ void sum_rows_staged(float *out, const float *a, size_t count) {
    __shared__ float rows[BLOCK][SUMMANDS + 1];
    size_t first = (size_t)blockIdx.x * BLOCK, i = first + threadIdx.x;
    for (size_t k = threadIdx.x; k < BLOCK * SUMMANDS; k += BLOCK)
        if (first * SUMMANDS + k < count * SUMMANDS)
            rows[k / SUMMANDS][k % SUMMANDS] = a[first * SUMMANDS + k];
    __syncthreads();
    float total = 0;
    if (i < count) {
        for (int k = 0; k < SUMMANDS; k++)
            total += rows[threadIdx.x][k];
        out[i] = total;
    }
}

static void launch_sums(void (*kernel)(float *, const float *, size_t), const struct arrays *x,
                        unsigned block) {
    size_t count = x->n / SUMMANDS;
    if (count > 0)
        kernel<<<blocks(count, block), block, 0, run.stream>>>(x->d_out, x->d_a, count);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_rows(const struct arrays *x, unsigned block, size_t) {
    launch_sums(sum_rows, x, block);
}

static void launch_columns(const struct arrays *x, unsigned block, size_t) {
    launch_sums(sum_columns, x, block);
}

static void launch_rows_staged(const struct arrays *x, unsigned block, size_t) {
    launch_sums(sum_rows_staged, x, block);
}

// ---- References --------------------------------------------------------------------------------
static void rows_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n / SUMMANDS; i++) {
        out[i] = 0;
        for (size_t k = 0; k < SUMMANDS; k++)
            out[i] += a[i * SUMMANDS + k];
    }
}

static void columns_reference(float *out, const float *a, const float *, size_t n, size_t) {
    size_t count = n / SUMMANDS;
    for (size_t i = 0; i < count; i++)
        out[i] = 0;
    for (size_t k = 0; k < SUMMANDS; k++)
        for (size_t i = 0; i < count; i++)
            out[i] += a[k * count + i];
}

// 68 bytes for the 16 floats of a sum. Only the first n / 16 elements of out are written.
enum { ROWS, COLUMNS, STAGED, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"rows", launch_rows, rows_reference, BLOCK, 0, 68 / 16., 1, 1, "slow, even with a cache"},
    {"columns", launch_columns, columns_reference, BLOCK, 0, 68 / 16., 1, 1, "the memory's limit"},
    {"rows, staged", launch_rows_staged, rows_reference, BLOCK, 0, 68 / 16., 1, 1, "as columns"},
};

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "05_coalescing/sums",
              "Neighboring lanes must read neighboring numbers; what a thread reads next does not "
              "matter.",
              "variant parameter value median_ms spread_pct gb_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t n = run_size(beyond_l2(GPU_N, sizeof(float)), CPU_N, ARRAYS * sizeof(float));
    struct arrays x = arrays_create(n / SUMMANDS * SUMMANDS);
    struct work works[VARIANTS];
    size_t address[VARIANTS][LANES]; // of the first request
    for (int i = 0; i < VARIANTS; i++) {
        for (size_t lane = 0; lane < LANES; lane++)
            address[i][lane] = (i == ROWS ? lane * SUMMANDS : lane) * sizeof(float);
        draw_sectors(variants[i].name, address[i], sizeof(float));
        works[i] = {&variants[i], &x, 0, {}};
    }
    measure_works(works, VARIANTS, MEASURE_HOT);
    for (int i = 0; i < VARIANTS; i++) {
        works[i].row.parameter = "sectors per request";
        works[i].row.value = count_pieces(address[i], SECTOR);
    }
    print_works(works, VARIANTS);
    double rows = works[ROWS].row.median_ms / works[COLUMNS].row.median_ms;
    double staged = works[STAGED].row.median_ms / works[COLUMNS].row.median_ms;
    if (run.samples && x.n) {
        finding("rows", rows, "Rows take %.2f times as long as columns, on as many numbers.", rows);
        finding("staged", staged,
                "By way of shared memory, rows take %.2f times as long as columns.", staged);
    }
    arrays_free(&x);
    return run_end();
}
