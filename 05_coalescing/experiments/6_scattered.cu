// What does it cost to read, and what to write, elements that lie apart? Measured apart: loads of 4
// bytes, stores of 4 bytes, and stores of whole sectors of 32. Then their sum: does it predict what
// a kernel takes that does both?
//
//     nvcc -O3 -arch=native 6_scattered.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 6_scattered.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// ---- Kernels -----------------------------------------------------------------------------------
// Element i is to become what it was and one more, which a kernel that reads nothing computes.
VERIFY_FUNCTION float added(size_t i) { return fill_value(i, 3) + 1; }

// Lanes s elements apart, phase after phase, as read_strided in sweep.h. Expect that a sector written
// in part costs more than a whole one where L2 must add the rest.
__global__ void write_strided(float *a, size_t n, size_t s) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n)
        a[i] = added(i);
}

// Whole sectors, s elements from one to the next, s a multiple of 8: 8 lanes write a sector, a warp 4
// at a time. Each thread stores 8 floats, so that a warp writes as many sectors as write_strided's.
// Expect 4 sectors for each request at every s; what differs is where they lie.
__global__ void write_sectors(float *a, size_t n, size_t s) {
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t first =
        thread / LANES * LANES + thread % LANES / 8; // sectors of this phase, of 8 floats
    for (size_t sector = first; sector < first + LANES; sector += LANES / 8) {
        size_t i = sector * s + blockIdx.y * 8 + thread % 8;
        if (i < n)
            a[i] = added(i);
    }
}

// Both, the kernel of stride.cu.
__global__ void read_write(float *a, size_t n, size_t s) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n)
        a[i] = a[i] + 1;
}

static void launch_write(const struct arrays *x, unsigned block, size_t s) {
    launch_phases(write_strided, x, block, s, s);
}

static void launch_both(const struct arrays *x, unsigned block, size_t s) {
    launch_phases(read_write, x, block, s, s);
}

static void launch_sectors(const struct arrays *x, unsigned block, size_t s) {
    launch_phases(write_sectors, x, block, s, s / 8);
}

static void added_reference(float *out, const float *, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] += 1;
}

// Some of the sweep, against the host; main() takes all of it.
enum { READ, WRITE, BOTH, SECTORS, KINDS };
static const struct variant variants[KINDS] = {
    {"read", launch_read, read_reference, BLOCK, 12, 4, 1, 1, "a fetch for each element"},
    {"write", launch_write, added_reference, BLOCK, 12, 4, 1, 1, "dearer than whole sectors"},
    {"read + write", launch_both, added_reference, BLOCK, 12, 8, 1, 1, "the sum of the two"},
    {"write sectors", launch_sectors, added_reference, BLOCK, 24, 4, 1, 1, "dearer far apart"},
};

// ---- Measure -----------------------------------------------------------------------------------
static const size_t gaps[] = {8, 16, 24, 32, 64, 128}; // from one whole sector to the next
enum { GAPS = 6, POINTS = SECTORS * MOST + GAPS, FARTHEST = 128 };

// Picoseconds for an element, or for a whole sector; by stride.
static double ps[KINDS][FARTHEST + 1];

// Below stride 8 elements share sectors; above, neighbors are s / 8 sectors apart or one more.
static double sector_ps(size_t s) {
    size_t near = s / 8 * 8, rest = s % 8;
    if (s < 8)
        return ps[SECTORS][8] * (double)s / 8;
    double farther = rest ? ps[SECTORS][near + 8] : 0;
    return ((double)(8 - rest) * ps[SECTORS][near] + (double)rest * farther) / 8;
}

// All strides from 1 to 32, on the CPU device 1, 2, 4 ... 32. The rows of what reads and writes have
// the rate predicted by the sum of reading elements and writing whole sectors.
static void measure_kinds(const struct buffers *buffers, int right) {
    static struct point points[POINTS];
    size_t kind[POINTS], count = 0;
    for (size_t k = 0; k < POINTS; k++) {
        struct point *point = &points[count];
        kind[count] = k / MOST;
        point->launch = variants[k / MOST].launch;
        point->buffers = buffers;
        point->s = k / MOST == SECTORS ? gaps[k % MOST] : k % MOST + 1;
        point->step = 1;
        point->count = buffers->total;
        point->reads = k / MOST == READ || k / MOST == BOTH;
        point->writes = k / MOST != READ;
        snprintf(point->name, sizeof point->name, "%s, stride %zu", variants[k / MOST].name,
                 point->s);
        count += !run.on_cpu || !(point->s & (point->s - 1));
    }
    points_measure(points, count, right, measure_hot);
    for (size_t i = 0; i < count; i++) {
        double elements = (double)points[i].count / (kind[i] == SECTORS ? 8 : 1);
        ps[kind[i]][points[i].s] = points[i].row.median_ms / elements * 1e9;
    }
    for (size_t i = 0; i < count && run.samples && !run.on_cpu; i++) {
        const size_t s = points[i].s;
        points[i].row.parameter = kind[i] == BOTH ? "predicted GB/s" : "ps for each";
        points[i].row.value = kind[i] == BOTH ? 8e3 / (ps[READ][s] + sector_ps(s)) : ps[kind[i]][s];
    }
    points_print(points, count);
}

// ---- Findings ----------------------------------------------------------------------------------
// How far off three ways are to predict what reading and writing takes from what each takes apart:
// the sum with whole sectors; with 4 bytes of each; bytes at the rates of stride 8.
enum { WHOLE, PARTS, BYTES, WAYS };
static const struct {
    const char *name, *what;
} ways[WAYS] = {
    {"prediction_off_percent", "Reading elements and writing whole sectors, added up"},
    {"parts_off_percent", "Reading elements and writing them, added up"},
    {"bytes_off_percent", "The bytes of a fetch and of a sector, at the rates of stride 8"},
};

static double predicted_ps(int way, size_t s, size_t fetch) {
    double fetches = bytes_read(s, fetch) / SECTOR * ps[READ][8];
    return way == BYTES ? fetches + fmin(1, (double)s / 8) * ps[SECTORS][8]
                        : ps[READ][s] + (way == WHOLE ? sector_ps(s) : ps[WRITE][s]);
}

static void conclude_prediction(int way, size_t fetch) {
    double worst = 0, most = 0;
    size_t where = 1;
    for (size_t s = 1; s <= MOST; s++) {
        double off = 100 * (predicted_ps(way, s, fetch) / ps[BOTH][s] - 1);
        where = fabs(off) > fabs(worst) ? s : where;
        worst = fabs(off) > fabs(worst) ? off : worst;
        most = s >= 8 ? fmax(most, fabs(off)) : most;
    }
    finding(ways[way].name, worst,
            "%s: the time of both together is predicted %+.1f %% off at worst, at stride %zu, and "
            "%.1f %% from stride 8 on.",
            ways[way].what, worst, where, most);
}

static void conclude(void) {
    const double *sector = ps[SECTORS];
    size_t fetch = 0;
    finding("sector_8_to_32", sector[32] / sector[8],
            "From stride 8 to 16, 32, 64 and 128, writing a whole sector takes %.2f, %.2f, %.2f "
            "and %.2f times as long.",
            sector[16] / sector[8], sector[32] / sector[8], sector[64] / sector[8],
            sector[128] / sector[8]);
    finding("part_of_a_sector", ps[WRITE][8] / sector[8],
            "Writing 4 bytes of a sector takes %.2f times as long as writing all 32 at stride 8, "
            "%.2f times at 16 and %.2f at 32.",
            ps[WRITE][8] / sector[8], ps[WRITE][16] / sector[16], ps[WRITE][32] / sector[32]);
    conclude_prediction(WHOLE, 0);
    conclude_prediction(PARTS, 0);
    if (cudaDeviceGetLimit(&fetch, cudaLimitMaxL2FetchGranularity) == cudaSuccess)
        conclude_prediction(BYTES, fetch);
    else
        cudaGetLastError(); // not a device that knows; forget the error
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "05_coalescing/scattered",
              "Scattered reads and writes cost what they cost apart, and both together the sum.",
              "variant parameter value median_ms spread_pct gb_per_s flag check", "elements",
              NO_ERRORS);
    if (check_sizes(variants, KINDS))
        return run_end();
    size_t n = run_size(beyond_l2(SWEEP_N, sizeof(float)), SWEEP_CPU_N, 4 * sizeof(float));
    struct buffers buffers = buffers_create<float>(n);
    measure_kinds(&buffers, variants_right(variants, KINDS));
    if (run.samples && !run.on_cpu)
        conclude();
    buffers_free(&buffers);
    return run_end();
}
