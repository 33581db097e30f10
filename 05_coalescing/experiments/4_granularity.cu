// How much does the memory fetch when a warp asks for single elements? Some devices let you choose:
// cudaLimitMaxL2FetchGranularity. The same strided reads at each setting tell what a fetch costs,
// and with reads and writes beside them, what is left is the price of a write.
//
//     nvcc -O3 4_granularity.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 4_granularity.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

enum { NONE = 0, HALF = 1 << 19, ALL = 1 << 20 }; // as many of the elements are below it

// ---- Reference ---------------------------------------------------------------------------------
template <int LIMIT> static void reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] += out[i] < LIMIT;
}

// ---- Kernel ------------------------------------------------------------------------------------
// Every element is read once, neighbouring lanes s apart, phase after phase, as in stride.cu. With
// ALL as the limit each is written back, too; with NONE this is a kernel that only reads. Expect a
// read to cost 4 s bytes, but no more than one fetch, and a write the same at each setting.
__global__ void add_below(float *a, size_t n, size_t s, float limit) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n) {
        float x = a[i];
        if (x < limit)
            a[i] = x + 1;
    }
}

static void launch_on(float *a, size_t n, size_t s, float limit) {
    dim3 grid((unsigned)(((n + s - 1) / s + BLOCK - 1) / BLOCK), (unsigned)s);
    if (n > 0)
        add_below<<<grid, BLOCK>>>(a, n, s, limit);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_point(void *context) {
    const struct point *point = (const struct point *)context;
    launch_on((float *)point->buffers->d_a, point->n, point->s, point->read_only ? NONE : ALL);
}

template <int S, int LIMIT> static void launch(float *out, const float *, const float *, size_t n) {
    launch_on(out, n, S, LIMIT);
}

// Some of the sweep, for the tests; main() takes all of it.
static const struct variant variants[] = {
    {"read 1", launch<1, NONE>, reference<NONE>, 4, 1, 1, "bytes in flight limit it"},
    {"read 16", launch<16, NONE>, reference<NONE>, 4, 1, 1, "faster with fetches of 32 bytes"},
    {"read 32", launch<32, NONE>, reference<NONE>, 4, 1, 1, "slower with fetches of 128 bytes"},
    {"write half, 12", launch<12, HALF>, reference<HALF>, 8, 1, 1, "not measured, for the test"},
    {"read + write 1", launch<1, ALL>, reference<ALL>, 8, 1, 1, "as stride 1 of stride.cu"},
    {"read + write 32", launch<32, ALL>, reference<ALL>, 8, 1, 1, "the slowest"},
};

// ---- Measure -----------------------------------------------------------------------------------
static const size_t strides[] = {1, 2, 4, 8, 12, 16, 24, 32};
static const size_t settings[] = {32, 64, 128};
enum { STRIDES = 8, SETTINGS = 3, STRIDE_8 = 3, STRIDE_32 = 7 };
enum { READ, READ_WRITE, KINDS };

// How many bytes the memory moves for a useful one, if a read costs a fetch and a write a line.
static double bytes_moved(int kind, size_t s, size_t fetch) {
    double read = fmin(4.0 * (double)s, (double)fetch) / 4;
    double write = fmin(4.0 * (double)s, LINE) / 4;
    return kind == READ ? read : (read + write) / 2;
}

// Two rows for each stride; ps[][] takes picoseconds for an element. fetch 0: it cannot be set.
static void measure_setting(struct run *run, const struct buffers *buffers, size_t fetch, int right,
                            double ps[KINDS][STRIDES]) {
    struct point points[KINDS * STRIDES];
    struct task tasks[KINDS * STRIDES];
    char parameter[32];
    double most = 0;
    snprintf(parameter, sizeof parameter, "fetch %zu: moved GB/s", fetch);
    for (int i = 0; i < KINDS * STRIDES; i++) {
        int kind = i / STRIDES;
        struct point point = {
            strides[i % STRIDES], buffers->total, 0, 1, buffers, kind == READ, 0, "", {}};
        points[i] = point;
        snprintf(points[i].name, sizeof point.name, "%s, stride %zu",
                 kind == READ ? "read" : "read + write", point.s);
    }
    sweep_measure(run, points, tasks, KINDS * STRIDES, launch_point, right);
    for (int i = 0; i < KINDS * STRIDES; i++)
        most = fmax(most, points[i].row.gb_per_s);
    for (int i = 0; i < KINDS * STRIDES; i++) {
        struct row *row = &points[i].row;
        row->parameter = fetch ? parameter : NULL;
        row->value = round(row->gb_per_s * bytes_moved(i / STRIDES, points[i].s, fetch));
        row->value = fetch ? row->value : NAN;
        row->bar = row->gb_per_s / most;
        run_print(run, row);
        ps[i / STRIDES][i % STRIDES] = row->median_ms / (double)row->n * 1e9;
    }
    measure_free(tasks, run->quick ? 0 : KINDS * STRIDES);
}

// What the times say: they may be any. The price of a write is what reading + writing takes more.
static void conclude(struct run *run, double ps[SETTINGS][KINDS][STRIDES]) {
    double write[SETTINGS][STRIDES], slower[SETTINGS], apart = 0;
    run_say(run, "Picoseconds for an element, by bytes in a fetch:\n%-8s %8s %8s %8s   %9s %8s %8s",
            "stride", "read, 32", "64", "128", "write, 32", "64", "128");
    for (int i = 0; i < STRIDES; i++) {
        for (int k = 0; k < SETTINGS; k++) {
            write[k][i] = ps[k][READ_WRITE][i] - ps[k][READ][i];
            if (i >= STRIDE_8)
                apart = fmax(apart, fabs(write[k][i] / write[0][i] - 1));
        }
        run_say(run, "%-8zu %8.2f %8.2f %8.2f   %9.2f %8.2f %8.2f", strides[i], ps[0][READ][i],
                ps[1][READ][i], ps[2][READ][i], write[0][i], write[1][i], write[2][i]);
    }
    for (int k = 0; k < SETTINGS; k++)
        slower[k] = ps[k][READ][STRIDE_32] / ps[k][READ][STRIDE_8];
    double dearer = write[1][STRIDE_32] / write[1][STRIDE_8];
    run_say(run,
            "From stride 8 to 32 a read takes %.2f, %.2f and %.2f times as long with fetches of "
            "32, 64 and 128 bytes.\nIf only fetches counted, it would be 1, 2 and 4.\nA write "
            "takes %.2f times as long, %s.\nFrom stride 8 on the three "
            "settings change its price by %.1f %% at most.",
            slower[0], slower[1], slower[2], dearer,
            dearer > 3 ? "as if its whole line of 128 bytes were written"
                       : "less than if whole lines of 128 bytes were written",
            100 * apart);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "05_coalescing",
    "granularity",
    "What the memory fetches for a single element can be set on some devices, and seen in the "
    "time.",
    "variant parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

// 1 if the device has taken the setting over.
static int set_granularity(const struct run *run, size_t bytes) {
    size_t now = 0;
    cudaError_t error = cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes);
    if (error == cudaSuccess)
        CUDA_CHECK(cudaDeviceGetLimit(&now, cudaLimitMaxL2FetchGranularity));
    else
        cudaGetLastError(); // not here; forget the error
    run_say(run, "Fetches of %zu bytes: %s", bytes,
            error != cudaSuccess ? cudaGetErrorName(error)
            : now == bytes       ? "accepted"
                                 : "accepted without effect");
    return error == cudaSuccess && now == bytes;
}

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    struct buffers buffers = buffers_create(sweep_size(&run), sizeof(float));
    int right = variants_right(variants, sizeof variants / sizeof variants[0]), accepted = 0;
    double ps[SETTINGS][KINDS][STRIDES];
    size_t before = 0;
    if (cudaDeviceGetLimit(&before, cudaLimitMaxL2FetchGranularity) != cudaSuccess)
        cudaGetLastError();
    if (run.on_cpu)
        run_say(&run,
                "The CPU device keeps this limit as a number: it has no L2. One set of rows.");
    else
        run_say(&run, "Fetches were of %zu bytes when the program started.", before);
    for (int k = 0; k < SETTINGS && !run.on_cpu; k++)
        if (set_granularity(&run, settings[k])) {
            measure_setting(&run, &buffers, settings[k], right, ps[k]);
            accepted++;
        }
    if (!accepted)
        measure_setting(&run, &buffers, 0, right, ps[0]);
    else if (before)
        CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before));
    if (accepted == SETTINGS && !run.quick)
        conclude(&run, ps);
    buffers_free(&buffers);
    return run_end(&run);
}
