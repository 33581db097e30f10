// What does an offset cost, and whom: the loads, the stores, or only a kernel that writes what it
// reads? Here each of them starts late alone. With four floats for each thread more is in flight,
// and a load that takes longer is waited for less.
//
//     nvcc -O3 -arch=native 3_misalignment.cu && ./a.out
//     ../../cudacc/cudacc -O2 3_misalignment.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// ---- Kernel ------------------------------------------------------------------------------------
// Expect 4 sectors for each request where a pointer is a multiple of 32 bytes, else 5; and one line
// where it is a multiple of 128, else two, which are two requests to L2. A store that covers a
// sector in part leaves the rest of it to another warp.
template <int EACH> __global__ void shifted(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x * EACH + threadIdx.x;
    float x[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (i + k * blockDim.x < n)
            x[k] = in[i + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (i + k * blockDim.x < n)
            out[i + k * blockDim.x] = x[k] + 1;
}

enum { READ, WRITE, BOTH, IN_PLACE, KINDS, VARIANTS = 2 * KINDS }; // what starts s elements late
#define WRITTEN_FROM(kind, s) ((kind) == READ ? 0 : (s))
#define READ_FROM(kind, s) ((kind) == WRITE ? 0 : (s))

template <int KIND, int EACH> static void launch(const struct arrays *x, unsigned block, size_t s) {
    const float *in = KIND == IN_PLACE ? x->d_out : x->d_a;
    if (x->n > s)
        shifted<EACH><<<blocks(x->n - s, block * EACH), block, 0, run.stream>>>(
            x->d_out + WRITTEN_FROM(KIND, s), in + READ_FROM(KIND, s), x->n - s);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Reference ---------------------------------------------------------------------------------
// What is not written stays.
template <int KIND>
static void expected(float *out, const float *a, const float *, size_t n, size_t s) {
    const float *in = KIND == IN_PLACE ? out : a;
    for (size_t i = 0; i + s < n; i++)
        out[i + WRITTEN_FROM(KIND, s)] = in[i + READ_FROM(KIND, s)] + 1;
}

// Each at one offset, against the host; main() takes all of them.
static const struct variant variants[VARIANTS] = {
    {"read at", launch<READ, 1>, expected<READ>, BLOCK, 1, 8, 1, 1, "a second line to wait for"},
    {"write at", launch<WRITE, 1>, expected<WRITE>, BLOCK, 31, 8, 1, 1, "sectors in part"},
    {"both at", launch<BOTH, 1>, expected<BOTH>, BLOCK, 8, 8, 1, 1, "whole sectors, two lines"},
    {"in place at", launch<IN_PLACE, 1>, expected<IN_PLACE>, BLOCK, 16, 8, 1, 1, "shared lines"},
    {"4 each, read at", launch<READ, 4>, expected<READ>, BLOCK, 31, 8, 1, 1, "hardly slower"},
    {"4 each, write at", launch<WRITE, 4>, expected<WRITE>, BLOCK, 1, 8, 1, 1, "as with one"},
    {"4 each, both at", launch<BOTH, 4>, expected<BOTH>, BLOCK, 16, 8, 1, 1, "as writes alone"},
    {"4 each, in place at", launch<IN_PLACE, 4>, expected<IN_PLACE>, BLOCK, 8, 8, 1, 1, "so, too"},
};

// ---- Measure -----------------------------------------------------------------------------------
static const size_t offsets[] = {0, 1, 8, 16, 32};
enum { AT_1 = 1, AT_16 = 3, AT_32, OFFSETS };

// Each is compared with its own kind at offset 0, by samples of the same rounds.
static void measure_offsets(const struct buffers *buffers, int right,
                            struct point points[VARIANTS][OFFSETS]) {
    for (int v = 0; v < VARIANTS; v++)
        for (int k = 0; k < OFFSETS; k++) {
            struct point *point = &points[v][k];
            point->launch = variants[v].launch;
            point->buffers = buffers;
            point->s = offsets[k];
            point->from = READ_FROM(v % KINDS, offsets[k]);
            point->first = WRITTEN_FROM(v % KINDS, offsets[k]);
            point->step = 1;
            point->count = buffers->total - offsets[AT_32];
            point->reads = point->writes = 1;
            point->base = (size_t)v * OFFSETS;
            point->request = strided_request(offsets[k], 1, sizeof(float));
            snprintf(point->name, sizeof point->name, "%s %zu", variants[v].name, offsets[k]);
        }
    if (run.on_cpu)
        say("(Each row has the requests of what starts late: of the loads, the stores, or both.)");
    points_measure(points[0], VARIANTS * OFFSETS, right, measure_hot);
    points_print(points[0], VARIANTS * OFFSETS);
}

// ---- Findings ----------------------------------------------------------------------------------
static const struct {
    const char *name, *what;
    int kind, at;
} questions[] = {
    {"read_lines", "Loads of whole sectors in two lines, offset 16", READ, AT_16},
    {"read_sectors", "Loads of a fifth sector, offset 1", READ, AT_1},
    {"write_lines", "Stores of whole sectors in two lines, offset 16", WRITE, AT_16},
    {"write_parts", "Stores of sectors in part, offset 1", WRITE, AT_1},
    {"both_lines", "Loads and stores in two arrays, offset 16", BOTH, AT_16},
    {"in_place_lines", "Loads and stores in one array, offset 16", IN_PLACE, AT_16},
};

static void conclude(struct point points[VARIANTS][OFFSETS]) {
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const struct interval one = points[questions[i].kind][questions[i].at].percent;
        const struct interval four = points[KINDS + questions[i].kind][questions[i].at].percent;
        finding(questions[i].name, one.median,
                "%s reach %.1f %% of the rate at offset 0 (%.1f to %.1f), and with four floats for "
                "each "
                "thread %.1f %% (%.1f to %.1f).",
                questions[i].what, one.median, one.low, one.high, four.median, four.low, four.high);
    }
    const struct interval two = points[BOTH][AT_16].percent, one = points[IN_PLACE][AT_16].percent;
    if (one.high < two.low)
        finding("in_place_more", two.median - one.median,
                "Offset 16 costs %.1f points more where a kernel writes the array that it reads.",
                two.median - one.median);
    else
        finding("in_place_more", two.median - one.median,
                "As far as these samples show, offset 16 costs no more where a kernel writes the "
                "array that it reads.");
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct point points[VARIANTS][OFFSETS] = {};
    run_begin(argc, argv, "05_coalescing/misalignment",
              "An offset costs loads and stores differently, and most where a kernel writes what "
              "it reads.",
              "variant parameter value median_ms spread_pct gb_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t n = run_size(beyond_l2(SWEEP_N, sizeof(float)), SWEEP_CPU_N, 4 * sizeof(float));
    struct buffers buffers = buffers_create<float>(n + offsets[AT_32]);
    measure_offsets(&buffers, variants_right(variants, VARIANTS), points);
    if (run.samples)
        conclude(points);
    buffers_free(&buffers);
    return run_end();
}
