// How much does the memory fetch when a warp reads single elements? L2 takes a hint about it on
// some devices: cudaLimitMaxL2FetchGranularity, the most that it fetches for one sector. The same
// strided reads at each setting show what a fetch costs.
//
//     nvcc -O3 -arch=native 5_granularity.cu && ./a.out
//     ../../cudacc/cudacc -O2 5_granularity.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// The kernel is read_strided, of sweep.h. Expect a read to cost 4 s bytes, but no more than a
// fetch. Some of the sweep, against the host; main() takes all of it.
enum { VARIANTS = 4 };
static const struct variant variants[VARIANTS] = {
    {"read 1", launch_read, nothing_reference, BLOCK, 1, 4, 1, 1, "bytes in flight limit it"},
    {"read 3", launch_read, nothing_reference, BLOCK, 3, 4, 1, 1, "not measured"},
    {"read 16", launch_read, nothing_reference, BLOCK, 16, 4, 1, 1,
     "faster with fetches of 32 bytes"},
    {"read 32", launch_read, nothing_reference, BLOCK, 32, 4, 1, 1, "slower with 128 bytes"},
};

// ---- Measure -----------------------------------------------------------------------------------
static const size_t strides[] = {1, 2, 4, 8, 12, 16, 24, 32}, settings[] = {32, 64, 128};
enum { STRIDES = 8, SETTINGS = 3, STRIDE_8 = 3, STRIDE_16 = 5, STRIDE_32 = 7 };

// A row for each stride; ms[] takes the times. fetch 0: it cannot be set.
static void measure_setting(const struct buffers *buffers, size_t fetch, int right,
                            double ms[STRIDES]) {
    struct point points[STRIDES] = {};
    for (int i = 0; i < STRIDES; i++) {
        struct point *point = &points[i];
        point->launch = launch_read;
        point->buffers = buffers;
        point->s = strides[i];
        point->step = 1;
        point->count = buffers->total;
        point->reads = 1;
        snprintf(point->name, sizeof point->name, "read, stride %zu", point->s);
    }
    points_measure(points, STRIDES, right, measure_hot);
    for (int i = 0; i < STRIDES; i++) {
        struct row *row = &points[i].row;
        double bytes = bytes_read(strides[i], fetch);
        snprintf(points[i].parameter, sizeof points[i].parameter, "fetch %zu: moved %s", fetch,
                 run.on_cpu ? "B" : "GB/s");
        row->parameter = fetch ? points[i].parameter : NULL;
        row->value = run.on_cpu ? bytes : fetch ? round(row->gb_per_s * bytes / 4) : NAN;
        ms[i] = row->median_ms;
    }
    points_print(points, STRIDES);
}

// 1 if the device now has the setting.
static int set_granularity(size_t bytes) {
    size_t now = 0;
    cudaError_t error = cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes);
    if (error == cudaSuccess)
        CUDA_CHECK(cudaDeviceGetLimit(&now, cudaLimitMaxL2FetchGranularity));
    else
        cudaGetLastError(); // not here; forget the error
    say("Fetches of up to %zu bytes: %s", bytes,
        error != cudaSuccess ? cudaGetErrorName(error)
        : now == bytes       ? "accepted"
                             : "accepted without effect");
    return error == cudaSuccess && now == bytes;
}

// ---- Findings ----------------------------------------------------------------------------------
static void conclude(double ms[SETTINGS][STRIDES]) {
    double longer[SETTINGS], gain = ms[1][STRIDE_16] / ms[0][STRIDE_16];
    for (int k = 0; k < SETTINGS; k++)
        longer[k] = ms[k][STRIDE_32] / ms[k][STRIDE_8];
    finding("read_8_to_32", longer[1],
            "From stride 8 to 32 a read takes %.2f, %.2f and %.2f times as long with fetches of "
            "32, 64 and 128 bytes; if only fetches counted, it would be 1, 2 and 4.",
            longer[0], longer[1], longer[2]);
    finding(
        "fetch_gain", gain,
        "At stride 16 a read with fetches of 32 bytes is %.2f times as fast as with 64; if only "
        "fetches counted, it would be 2.",
        gain);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double ms[SETTINGS][STRIDES];
    size_t before = 0, accepted = 0;
    run_begin(argc, argv, "05_coalescing/granularity",
              "What L2 fetches for a single element can be set on some devices, and seen in the "
              "time.",
              "variant parameter value median_ms spread_pct gb_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t n = run_size(beyond_l2(SWEEP_N, sizeof(float)), SWEEP_CPU_N, 4 * sizeof(float));
    struct buffers buffers = buffers_create<float>(n);
    int right = variants_right(variants, VARIANTS);
    if (cudaDeviceGetLimit(&before, cudaLimitMaxL2FetchGranularity) != cudaSuccess)
        cudaGetLastError();
    if (run.on_cpu)
        say("The CPU device has no L2. By arithmetic: for a float come the bytes up to the float\n"
            "of the next lane, but no more than a fetch.");
    else
        say("Fetches were of up to %zu bytes when the program started.", before);
    for (int k = 0; k < SETTINGS; k++)
        if (run.on_cpu || set_granularity(settings[k])) {
            measure_setting(&buffers, settings[k], right, ms[k]);
            accepted++;
        }
    if (!accepted)
        measure_setting(&buffers, 0, right, ms[0]);
    else if (before && !run.on_cpu)
        CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before));
    if (accepted == SETTINGS && run.samples)
        conclude(ms);
    buffers_free(&buffers);
    return run_end();
}
