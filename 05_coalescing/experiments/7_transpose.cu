// The remedy where a stride cannot be avoided: fetch a tile the way it lies, keep it in shared
// memory, and stride there. A matrix transpose, beside a plain copy of as many bytes. Shared memory
// has a stride of its own to avoid, and one column too many does it.
//
//     nvcc -O3 7_transpose.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 7_transpose.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "compare.h"
#include "sectors.h"

enum { TILE = 32, ROWS = BLOCK / TILE, BANKS = 32 }; // a block is TILE x ROWS threads

// ---- Reference ---------------------------------------------------------------------------------
// As square a matrix as n elements give, with any height and width; what is left stays as it is.
static size_t height_of(size_t n) {
    size_t height = (size_t)sqrt((double)n);
    return height;
}

static size_t width_of(size_t n) { return n ? n / height_of(n) : 0; }

static void transpose_reference(float *out, const float *a, const float *, size_t n) {
    size_t height = height_of(n), width = width_of(n);
    for (size_t top = 0; top < height; top += 8) // 8 rows at a time: a CPU, too, has lines
        for (size_t x = 0; x < width; x++)
            for (size_t y = top; y < top + 8 && y < height; y++)
                out[x * height + y] = a[y * width + x];
}

static void copy_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < height_of(n) * width_of(n); i++)
        out[i] = a[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
// Each block takes a tile of 32 x 32, each thread 4 elements of it. The other three are measured
// against it. A yardstick, not a bound: it loads and stores in turn, while a tile is loaded before
// anything is stored.
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

// Reads rows into the tile, writes columns of the tile as rows of `out`. STEP is how far
// its rows are apart in shared memory. Expect 4 sectors for both; with a step of 32 each column
// lies in one bank, and the 32 lanes are served one after the other. With 33 each has its own.
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

typedef void (*transposer)(float *out, const float *a, size_t width, size_t height);

static void launch(transposer kernel, float *out, const float *a, size_t n) {
    size_t width = width_of(n), height = height_of(n);
    dim3 grid((unsigned)((width + TILE - 1) / TILE), (unsigned)((height + TILE - 1) / TILE));
    dim3 block(TILE, ROWS);
    if (n > 0)
        kernel<<<grid, block>>>(out, a, width, height);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_copy(float *out, const float *a, const float *, size_t n) {
    launch(copy, out, a, n);
}

static void launch_naive(float *out, const float *a, const float *, size_t n) {
    launch(naive, out, a, n);
}

static void launch_tiled(float *out, const float *a, const float *, size_t n) {
    launch(tiled<TILE>, out, a, n);
}

static void launch_padded(float *out, const float *a, const float *, size_t n) {
    launch(tiled<TILE + 1>, out, a, n);
}

static const struct variant variants[] = {
    {"copy", launch_copy, copy_reference, 8, 0, 1, "the yardstick"},
    {"naive", launch_naive, transpose_reference, 8, 0, 1, "held back by its stores"},
    {"tiled", launch_tiled, transpose_reference, 8, 0, 1, "held back by bank conflicts"},
    {"tiled, padded", launch_padded, transpose_reference, 8, 0, 1, "as fast as a copy, or faster"},
};
enum { COPY, NAIVE, TILED, PADDED, VARIANTS };

// ---- What to expect ----------------------------------------------------------------------------
// How many of a warp's lanes fall on the same bank at worst, when lane k reads row k of a column:
// so many turns it takes. A bank is 4 bytes wide, and banks follow each other.
static int turns(size_t step) {
    int in_bank[BANKS] = {0}, most = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        int *bank = &in_bank[lane * step % BANKS];
        most = ++*bank > most ? *bank : most;
    }
    return most;
}

static int sectors_of_store(size_t step) {
    size_t address[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        address[lane] = lane * step * sizeof(float);
    return count_sectors(address, LANES);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "05_coalescing",
    "transpose",
    "Shared memory takes over the strides: a transpose becomes as fast as a copy.",
    "variant parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = compare_size(&run, VARIANTS, 1), used = height_of(n) * width_of(n);
    struct compared compared[VARIANTS];
    double rates[VARIANTS];
    for (int i = 0; i < VARIANTS; i++) {
        compared[i].parameter =
            i == TILED || i == PADDED ? "turns in shared mem" : "sectors of a store";
        compared[i].value = i == TILED    ? turns(TILE)
                            : i == PADDED ? turns(TILE + 1)
                                          : sectors_of_store(i == NAIVE ? height_of(n) : 1);
        compared[i].units = used;
        compared[i].footprint = 8 * used;
    }
    run_say(&run, "A matrix of %zu x %zu, in tiles of %d x %d.", height_of(n), width_of(n), TILE,
            TILE);
    if (compare(&run, variants, VARIANTS, n, compared, rates))
        run_say(&run,
                "Of the copy's rate the naive transpose has %.1f %%, the tiled %.1f %%, the padded "
                "%.1f %%.%s",
                100 * rates[NAIVE] / rates[COPY], 100 * rates[TILED] / rates[COPY],
                100 * rates[PADDED] / rates[COPY],
                run.on_cpu ? "\n(On the CPU device a thread that waits for others costs a switch, "
                             "and banks do not exist.)"
                           : "");
    return run_end(&run);
}
