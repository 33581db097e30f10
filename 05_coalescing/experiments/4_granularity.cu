// How much does the memory fetch when a warp reads single elements? Some devices let you choose:
// cudaLimitMaxL2FetchGranularity. The same strided reads at each setting show what a fetch costs;
// the time that reads and writes take beyond them is the price of a write.
//
//     nvcc -O3 4_granularity.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 4_granularity.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

enum { NONE = 0, HALF = 1 << 19, ALL = 1 << 20 }; // that fraction of the elements is below it

// ---- Kernel ------------------------------------------------------------------------------------
// Every element is read once, neighboring lanes s apart, phase after phase, as in stride.cu. With
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

static void launch_below(const struct arrays *x, unsigned block, size_t s, float limit) {
    dim3 grid(blocks((x->n + s - 1) / s, block), (unsigned)s);
    add_below<<<grid, block>>>(x->d_out, x->n, s, limit);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_read(const struct arrays *x, unsigned block, size_t s) {
    launch_below(x, block, s, NONE);
}

static void launch_write_half(const struct arrays *x, unsigned block, size_t s) {
    launch_below(x, block, s, HALF);
}

static void launch_read_write(const struct arrays *x, unsigned block, size_t s) {
    launch_below(x, block, s, ALL);
}

// ---- References --------------------------------------------------------------------------------
static void read_reference(float *, const float *, const float *, size_t, size_t) {}

static void half_reference(float *out, const float *, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] += out[i] < HALF;
}

static void read_write_reference(float *out, const float *, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] += 1;
}

// Some of the sweep, against the host; main() takes all of it.
enum { VARIANTS = 6 };
static const struct variant variants[VARIANTS] = {
    {"read 1", launch_read, read_reference, BLOCK, 1, 4, 1, 1, "bytes in flight limit it"},
    {"read 16", launch_read, read_reference, BLOCK, 16, 4, 1, 1, "faster with fetches of 32 bytes"},
    {"read 32", launch_read, read_reference, BLOCK, 32, 4, 1, 1, "slower with 128 bytes"},
    {"write half, 12", launch_write_half, half_reference, BLOCK, 12, 8, 1, 1, "not measured"},
    {"read + write 1", launch_read_write, read_write_reference, BLOCK, 1, 8, 1, 1, "as stride 1"},
    {"read + write 32", launch_read_write, read_write_reference, BLOCK, 32, 8, 1, 1, "the slowest"},
};

// ---- Measure -----------------------------------------------------------------------------------
static const size_t strides[] = {1, 2, 4, 8, 12, 16, 24, 32}, settings[] = {32, 64, 128};
enum { STRIDES = 8, SETTINGS = 3, STRIDE_8 = 3, STRIDE_32 = 7 };
enum { READ, READ_WRITE, KINDS };

// How many bytes the memory moves for a useful one, if a read costs a fetch and a write a line.
static double bytes_moved(int kind, size_t s, size_t fetch) {
    double read = fmin(4.0 * (double)s, (double)fetch) / 4;
    double write = fmin(4.0 * (double)s, LINE) / 4;
    return kind == READ ? read : (read + write) / 2;
}

// Two rows for each stride; ps[][] takes picoseconds for an element. fetch 0: it cannot be set.
static void measure_setting(const struct buffers *buffers, size_t fetch, int right,
                            double ps[KINDS][STRIDES]) {
    struct point points[KINDS * STRIDES] = {};
    char parameter[32];
    double most = 0;
    snprintf(parameter, sizeof parameter, "fetch %zu: moved GB/s", fetch);
    for (int i = 0; i < KINDS * STRIDES; i++) {
        struct point *point = &points[i];
        point->read_only = i / STRIDES == READ;
        point->launch = point->read_only ? launch_read : launch_read_write;
        point->buffers = buffers;
        point->s = strides[i % STRIDES];
        point->step = 1;
        point->count = buffers->total;
        snprintf(point->name, sizeof point->name,
                 point->read_only ? "read, stride %zu" : "read + write, stride %zu", point->s);
    }
    sweep_measure(points, KINDS * STRIDES, right);
    for (int i = 0; i < KINDS * STRIDES; i++)
        most = fmax(most, points[i].row.gb_per_s);
    for (int i = 0; i < KINDS * STRIDES; i++) {
        struct row *row = &points[i].row;
        row->parameter = fetch ? parameter : NULL;
        if (fetch)
            row->value = round(row->gb_per_s * bytes_moved(i / STRIDES, points[i].s, fetch));
        row->bar = row->gb_per_s / most;
        print_row(row);
        ps[i / STRIDES][i % STRIDES] = row->median_ms / (double)row->n * 1e9;
    }
}

// ---- Findings ----------------------------------------------------------------------------------
// The price of a write is what reading + writing takes more than reading.
static void conclude(double ps[SETTINGS][KINDS][STRIDES]) {
    double write[SETTINGS][STRIDES], slower[SETTINGS], apart = 0;
    say("Picoseconds for an element, by bytes in a fetch:\n%-8s %8s %8s %8s   %9s %8s %8s",
        "stride", "read, 32", "64", "128", "write, 32", "64", "128");
    for (int i = 0; i < STRIDES; i++) {
        for (int k = 0; k < SETTINGS; k++) {
            write[k][i] = ps[k][READ_WRITE][i] - ps[k][READ][i];
            if (i >= STRIDE_8)
                apart = fmax(apart, 100 * fabs(write[k][i] / write[0][i] - 1));
        }
        say("%-8zu %8.2f %8.2f %8.2f   %9.2f %8.2f %8.2f", strides[i], ps[0][READ][i],
            ps[1][READ][i], ps[2][READ][i], write[0][i], write[1][i], write[2][i]);
    }
    for (int k = 0; k < SETTINGS; k++)
        slower[k] = ps[k][READ][STRIDE_32] / ps[k][READ][STRIDE_8];
    double dearer = write[1][STRIDE_32] / write[1][STRIDE_8];
    finding("read_8_to_32", slower[1],
            "From stride 8 to 32 a read takes %.2f, %.2f and %.2f times as long with fetches of "
            "32, 64 and 128 bytes; if only fetches counted, it would be 1, 2 and 4.",
            slower[0], slower[1], slower[2]);
    finding("write_8_to_32", dearer,
            "From stride 8 to 32 a write takes %.2f times as long; if whole lines of 128 bytes "
            "were written, it would be 4.",
            dearer);
    finding("write_change_percent", apart,
            "From stride 8 on, the size of a fetch changes the price of a write by %.1f %% at "
            "most.",
            apart);
}

// ---- Main --------------------------------------------------------------------------------------
// 1 if the device now has the setting.
static int set_granularity(size_t bytes) {
    size_t now = 0;
    cudaError_t error = cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes);
    if (error == cudaSuccess)
        CUDA_CHECK(cudaDeviceGetLimit(&now, cudaLimitMaxL2FetchGranularity));
    else
        cudaGetLastError(); // not here; forget the error
    say("Fetches of %zu bytes: %s", bytes,
        error != cudaSuccess ? cudaGetErrorName(error)
        : now == bytes       ? "accepted"
                             : "accepted without effect");
    return error == cudaSuccess && now == bytes;
}

int main(int argc, char **argv) {
    double ps[SETTINGS][KINDS][STRIDES];
    size_t before = 0, accepted = 0;
    run_begin(
        argc, argv, "05_coalescing/granularity",
        "What the memory fetches for a single element can be set on some devices, and seen in "
        "the time.",
        "variant parameter value median_ms gb_per_s flag check", "elements", NO_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    struct buffers buffers = buffers_create<float>(sweep_size());
    int right = variants_right(variants, VARIANTS);
    if (cudaDeviceGetLimit(&before, cudaLimitMaxL2FetchGranularity) != cudaSuccess)
        cudaGetLastError();
    if (run.on_cpu)
        say("The CPU device keeps this limit as a number: it has no L2. One set of rows.");
    else
        say("Fetches were of %zu bytes when the program started.", before);
    for (int k = 0; k < SETTINGS && !run.on_cpu; k++)
        if (set_granularity(settings[k])) {
            measure_setting(&buffers, settings[k], right, ps[k]);
            accepted++;
        }
    if (!accepted)
        measure_setting(&buffers, 0, right, ps[0]);
    else if (before)
        CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before));
    if (accepted == SETTINGS && run.samples)
        conclude(ps);
    buffers_free(&buffers);
    return run_end();
}
