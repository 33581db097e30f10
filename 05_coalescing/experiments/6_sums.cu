// Sums along the rows of a matrix and down its columns, a thread for each. On a CPU it is right to
// walk along a row. Here the lanes of a warp must be neighbours, not the steps of a thread; and if
// rows it must be, shared memory turns one into the other.
//
//     nvcc -O3 6_sums.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 6_sums.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "compare.h"
#include "sectors.h"

enum { SUMMANDS = 16 }; // in each sum: as many of these numbers are exact in a float

// ---- Where things are --------------------------------------------------------------------------
// Summand k of sum i. A matrix lies row by row: `count` rows of SUMMANDS numbers, or SUMMANDS rows
// of `count`, in which the sums are the columns'.
__host__ __device__ static size_t in_row(size_t i, size_t k, size_t) { return i * SUMMANDS + k; }

__host__ __device__ static size_t in_column(size_t i, size_t k, size_t count) {
    return k * count + i;
}

// ---- Reference ---------------------------------------------------------------------------------
static void sum(float *out, const float *a, size_t n, size_t (*at)(size_t, size_t, size_t)) {
    for (size_t i = 0; i < n / SUMMANDS; i++) {
        out[i] = 0;
        for (size_t k = 0; k < SUMMANDS; k++)
            out[i] += a[at(i, k, n / SUMMANDS)];
    }
}

static void rows_reference(float *out, const float *a, const float *, size_t n) {
    sum(out, a, n, in_row);
}

static void columns_reference(float *out, const float *a, const float *, size_t n) {
    sum(out, a, n, in_column);
}

// ---- Kernels -----------------------------------------------------------------------------------
// Each thread walks along its row; the lanes are a row apart. Expect 32 sectors for each request,
// and the other 28 bytes of each lost unless a cache keeps them for the next steps.
__global__ void sum_rows(float *out, const float *a, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    if (i < count) {
        for (size_t k = 0; k < SUMMANDS; k++)
            total += a[in_row(i, k, count)];
        out[i] = total;
    }
}

// Each thread jumps a whole row with every step; the lanes are neighbours. Expect 4 sectors.
__global__ void sum_columns(float *out, const float *a, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    if (i < count) {
        for (size_t k = 0; k < SUMMANDS; k++)
            total += a[in_column(i, k, count)];
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

static void launch_rows(float *out, const float *a, const float *, size_t n) {
    if (n >= SUMMANDS)
        sum_rows<<<blocks(n / SUMMANDS, BLOCK), BLOCK>>>(out, a, n / SUMMANDS);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_columns(float *out, const float *a, const float *, size_t n) {
    if (n >= SUMMANDS)
        sum_columns<<<blocks(n / SUMMANDS, BLOCK), BLOCK>>>(out, a, n / SUMMANDS);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_rows_staged(float *out, const float *a, const float *, size_t n) {
    if (n >= SUMMANDS)
        sum_rows_staged<<<blocks(n / SUMMANDS, BLOCK), BLOCK>>>(out, a, n / SUMMANDS);
    CUDA_CHECK(cudaGetLastError());
}

// Bytes and flops are for one sum. Only the first n / 16 elements of out are written.
static const struct variant variants[] = {
    {"rows", launch_rows, rows_reference, 68, 16, 1, "slow: the cache helps, but not enough"},
    {"columns", launch_columns, columns_reference, 68, 16, 1, "near the memory's limit"},
    {"rows, staged", launch_rows_staged, rows_reference, 68, 16, 1, "nearly as fast as columns"},
};
enum { ROWS, COLUMNS, STAGED, VARIANTS };

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "05_coalescing",
    "sums",
    "Neighbouring lanes must read neighbouring numbers; what a thread reads next does not matter.",
    "variant parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = compare_size(&run, VARIANTS, 1), count = n / SUMMANDS, address[VARIANTS][LANES];
    struct compared compared[VARIANTS];
    double rates[VARIANTS];
    for (size_t lane = 0; lane < LANES; lane++) { // the first request of each
        address[ROWS][lane] = in_row(lane, 0, count) * sizeof(float);
        address[COLUMNS][lane] = in_column(lane, 0, count) * sizeof(float);
        address[STAGED][lane] = lane * sizeof(float);
    }
    for (int i = 0; i < VARIANTS; i++) {
        draw_sectors(&run, variants[i].name, address[i]);
        compared[i].parameter = "sectors per request";
        compared[i].value = count_sectors(address[i], LANES);
        compared[i].units = count;
        compared[i].footprint = count * variants[i].bytes;
    }
    if (compare(&run, variants, VARIANTS, n, compared, rates))
        run_say(&run,
                "Rows take %.2f times as long as columns, on as many numbers; by way of shared "
                "memory %.2f times.%s",
                rates[COLUMNS] / rates[ROWS], rates[COLUMNS] / rates[STAGED],
                run.on_cpu ? "\n(On the CPU device a thread that waits for others costs a switch, "
                             "and shared memory gains nothing.)"
                           : "");
    return run_end(&run);
}
