// The remedy where a stride cannot be avoided: fetch a tile the way it lies, keep it in shared
// memory, and stride there. A matrix transpose, beside a plain copy of as many bytes. Shared memory
// has a stride to avoid, too, and one column too many avoids it.
//
//     nvcc -O3 -arch=native 9_transpose.cu && ./a.out
//     ../../cudacc/cudacc -O2 9_transpose.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "banks.h"

enum { GPU_N = 1 << 26, CPU_N = 1 << 18 };
enum { TILE = 32, ROWS = 8, BLOCK = TILE * ROWS }; // a block is TILE x ROWS threads
enum { PADDED_STEP = TILE + 1 };                   // of a tile's rows in shared memory

// ---- Kernels -----------------------------------------------------------------------------------
// Each block takes a tile of 32 x 32, each thread 4 elements of it. A yardstick, not a bound: it
// loads and stores in turn, while a tile is loaded before anything is stored.
__global__ void copy(float *out, const float *a, size_t width, size_t height) {
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x, y = (size_t)blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height)
            out[(y + k) * width + x] = a[(y + k) * width + x];
}

// Reads rows, writes columns: the lanes write `height` elements apart. Expect 4 sectors for each
// load and 32 for each store.
__global__ void naive(float *out, const float *a, size_t width, size_t height) {
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x, y = (size_t)blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height)
            out[x * height + y + k] = a[(y + k) * width + x];
}

// Reads rows into the tile, writes columns of the tile as rows of `out`. STEP is how far its rows
// are apart in shared memory. Expect 4 sectors for both; with a step of 32 each column lies in one
// bank, and the 32 lanes are served one after the other. With 33 each lane has a separate bank.
template <int STEP> __global__ void tiled(float *out, const float *a, size_t width, size_t height) {
    __shared__ float tile[TILE][STEP];
    size_t left = (size_t)blockIdx.x * TILE, top = (size_t)blockIdx.y * TILE;
    size_t x = left + threadIdx.x, y = top + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = a[(y + k) * width + x];
    __syncthreads();
    x = top + threadIdx.x; // now in `out`, whose rows are `height` long
    y = left + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < height && y + k < width)
            out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

// As square a matrix as n elements give, with any height and width; what is left stays as it is.
static size_t height_of(size_t n) { return (size_t)sqrt((double)n); }

static size_t width_of(size_t n) { return n ? n / height_of(n) : 0; }

static void launch(void (*kernel)(float *, const float *, size_t, size_t), const struct arrays *x,
                   unsigned block) {
    size_t width = width_of(x->n), height = height_of(x->n);
    dim3 tiles(blocks(width, TILE), blocks(height, TILE));
    kernel<<<tiles, dim3(TILE, block / TILE), 0, run.stream>>>(x->d_out, x->d_a, width, height);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_copy(const struct arrays *x, unsigned block, size_t) { launch(copy, x, block); }

static void launch_naive(const struct arrays *x, unsigned block, size_t) {
    launch(naive, x, block);
}

static void launch_tiled(const struct arrays *x, unsigned block, size_t step) {
    launch(step == PADDED_STEP ? tiled<PADDED_STEP> : tiled<TILE>, x, block);
}

// ---- References --------------------------------------------------------------------------------
static void transpose_reference(float *out, const float *a, const float *, size_t n, size_t) {
    size_t height = height_of(n), width = width_of(n);
    for (size_t top = 0; top < height; top += 8) // 8 rows at a time: a CPU, too, has lines
        for (size_t x = 0; x < width; x++)
            for (size_t y = top; y < top + 8 && y < height; y++)
                out[x * height + y] = a[y * width + x];
}

static void whole_rows_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < height_of(n) * width_of(n); i++)
        out[i] = a[i];
}

// The parameter is the step of a tile's rows.
enum { COPY, NAIVE, TILED, PADDED, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"copy", launch_copy, whole_rows_reference, BLOCK, 0, 8, 0, 1, "the yardstick"},
    {"naive", launch_naive, transpose_reference, BLOCK, 0, 8, 0, 1, "held back by its stores"},
    {"tiled", launch_tiled, transpose_reference, BLOCK, TILE, 8, 0, 1, "by bank conflicts"},
    {"tiled, padded", launch_tiled, transpose_reference, BLOCK, PADDED_STEP, 8, 0, 1,
     "as fast as a copy, or faster"},
};

// ---- What to expect ----------------------------------------------------------------------------
static void draw_requests(size_t height) {
    draw_strided("a row, all loads", 0, 1, sizeof(float));
    draw_strided("a column, naive's store", 0, height, sizeof(float));
    draw_banks("a column of tile[32]", TILE);
    draw_banks("a column of tile[32]", PADDED_STEP);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "05_coalescing/transpose",
              "Shared memory takes over the strides: a transpose becomes as fast as a copy.",
              "variant parameter value median_ms spread_pct gb_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t n = run_size(beyond_l2(GPU_N, sizeof(float)), CPU_N, ARRAYS * sizeof(float));
    size_t height = height_of(n), width = width_of(n);
    say("A matrix of %zu x %zu, in tiles of %d x %d.", height, width, TILE, TILE);
    if (run.on_cpu)
        draw_requests(height);
    struct arrays x = arrays_create(height * width);
    x.same_for_all = 1;
    struct work works[VARIANTS];
    for (int i = 0; i < VARIANTS; i++)
        works[i] = {&variants[i], &x, 0, {}};
    measure_works(works, VARIANTS, MEASURE_HOT);
    for (int i = COPY; i < VARIANTS; i++) {
        works[i].row.parameter = i < TILED ? "sectors of a store" : "turns in shared mem";
        works[i].row.value =
            i < TILED ? strided_request(0, i == NAIVE ? height : 1, sizeof(float)).sectors
                      : turns(variants[i].parameter);
    }
    print_works(works, VARIANTS);
    double percent[VARIANTS];
    for (int i = 0; i < VARIANTS; i++)
        percent[i] = 100 * works[i].row.gb_per_s / works[COPY].row.gb_per_s;
    if (run.samples) {
        finding("naive_percent", percent[NAIVE],
                "The naive transpose has %.1f %% of the copy's rate.", percent[NAIVE]);
        finding("tiled_percent", percent[TILED],
                "By way of a tile in shared memory it has %.1f %%.", percent[TILED]);
        finding("padded_percent", percent[PADDED],
                "Without bank conflicts, in a padded tile, it has %.1f %%.", percent[PADDED]);
    }
    arrays_free(&x);
    return run_end();
}
