// What does it cost to read, and what to write, elements that lie far from each other? Loads of 4
// bytes, stores of 4 bytes, stores of whole sectors of 32, and both a load and a store of each.
//
//     nvcc -O3 -arch=native 6_scattered.cu && ./a.out
//     ../../cudacc/cudacc -O2 6_scattered.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "sweep.h"

// ---- Kernels -----------------------------------------------------------------------------------
// Element i is to become what it was and one more, which a kernel that reads nothing computes.
static inline __host__ __device__ float added(size_t i) { return fill_value(i, 3) + 1; }

// Lanes s elements apart, phase after phase, as read_strided in sweep.h. Expect that a sector
// written in part costs more than a whole one where L2 must add the rest.
__global__ void write_strided(float *a, size_t n, size_t s) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n)
        a[i] = added(i);
}

// Whole sectors, s elements from one to the next, s a multiple of 8: 8 lanes write a sector, a
// warp 4 at a time. Each thread stores 8 floats, so that a warp writes as many sectors as
// write_strided's. Expect 4 sectors for each request at every s; what differs is where they lie.
__global__ void write_sectors(float *a, size_t n, size_t s) {
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t first = thread / LANES * LANES + thread % LANES / 8; // sectors of 8 floats
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

template <void (*kernel)(float *, size_t, size_t), size_t floats>
static void launch(const struct arrays *x, unsigned block, size_t s) {
    launch_phases(kernel, x, block, s, s / floats);
}

// Some of the sweep, against the host; main() takes all of it.
enum { READ, WRITE, BOTH, SECTORS, KINDS };
static const struct variant variants[KINDS] = {
    {"read", launch_read, nothing_reference, BLOCK, 12, 4, 1, 1, "a fetch for each element"},
    {"write", launch<write_strided, 1>, added_reference, BLOCK, 12, 4, 1, 1, "dear in part"},
    {"read + write", launch<read_write, 1>, added_reference, BLOCK, 12, 8, 1, 1, "above the sum"},
    {"write sectors", launch<write_sectors, 8>, added_reference, BLOCK, 24, 4, 1, 1,
     "dearer far apart"},
};

// ---- Measure -----------------------------------------------------------------------------------
static const size_t strides[] = {1, 2, 4, 8, 16, 24, 32}; // whole sectors have strides from 8 on
enum { STRIDES = 7, POINTS = KINDS * STRIDES };

static struct point points[POINTS];
static double ps[KINDS][MOST + 1]; // picoseconds for an element, or for a whole sector; by stride

static void launch_copy(void *context) {
    const struct buffers *b = (const struct buffers *)context;
    CUDA_CHECK(cudaMemcpyAsync(b->d_a, b->d_start, b->bytes, cudaMemcpyDeviceToDevice, run.stream));
}

// Picoseconds to read and write a byte, as the device's own copy does it.
static double copy_ps(struct buffers *b) {
    struct task task = task_of(launch_copy, b);
    measure(&task, 1, MEASURE_HOT);
    double ms = task_ms(&task);
    measure_free(&task, 1);
    finding("copy_gb_per_s", gb_per_s(2 * b->bytes, ms),
            "The device's own copy reads and writes %.1f GB/s.", gb_per_s(2 * b->bytes, ms));
    return ms / (double)b->bytes * 1e9;
}

static size_t measure_kinds(const struct buffers *buffers, int right) {
    size_t kind[POINTS], count = 0;
    for (size_t k = 0; k < POINTS; k++) {
        struct point *point = &points[count];
        const size_t which = k / STRIDES, s = strides[k % STRIDES];
        kind[count] = which;
        point->launch = variants[which].launch;
        point->buffers = buffers;
        point->s = s;
        point->step = 1;
        point->count = buffers->total;
        point->reads = which == READ || which == BOTH;
        point->writes = which != READ;
        if (run.on_cpu)
            point->request = which == SECTORS ? sectors_request(s) : strided_request(0, s, 4);
        snprintf(point->name, sizeof point->name, "%s, stride %zu", variants[which].name, s);
        count += which != SECTORS || s >= 8;
    }
    points_measure(points, count, right, measure_hot);
    for (size_t i = 0; i < count && run.samples && !run.on_cpu; i++) {
        double elements = (double)points[i].count / (kind[i] == SECTORS ? 8 : 1);
        ps[kind[i]][points[i].s] = points[i].row.median_ms / elements * 1e9;
        points[i].row.parameter = "ps for each";
        points[i].row.value = ps[kind[i]][points[i].s];
    }
    return count;
}

// ---- Findings ----------------------------------------------------------------------------------
// Up to stride 8 sectors follow each other, so the rate should be that of a copy. From there on
// they lie apart.
static void conclude(double copied_ps) {
    const double *sector = ps[SECTORS], *both = ps[BOTH];
    double off = 0, least = INFINITY, most = 0;
    for (size_t s = 2; s <= 8; s *= 2) {
        double ratio = (double)(s * sizeof(float)) * copied_ps / both[s] - 1;
        off = fabs(ratio) > fabs(off) ? ratio : off;
    }
    for (size_t s = 16; s <= MOST; s += 8) {
        least = fmin(least, both[s] / (ps[READ][s] + sector[s]));
        most = fmax(most, both[s] / (ps[READ][s] + sector[s]));
    }
    finding("prediction_off_percent", 100 * off,
            "For strides 2, 4 and 8 a simple model predicts the time of reading and writing: whole "
            "sectors at the rate of a copy. It is %.1f %% too %s at worst.",
            100 * fabs(off), off < 0 ? "short" : "long");
    finding("more_than_the_sum", most,
            "From stride 16, reading and writing takes %.2f to %.2f times the sum of both alone.",
            least, most);
    finding("sector_8_to_32", sector[32] / sector[8],
            "Writing a sector at strides 16, 24, 32 takes %.2f, %.2f, %.2f times as long as at 8.",
            sector[16] / sector[8], sector[24] / sector[8], sector[32] / sector[8]);
    finding("part_of_a_sector", ps[WRITE][8] / sector[8],
            "Writing 4 bytes of a sector takes %.2f times as long as writing all 32 at stride 8, "
            "%.2f times at 16 and %.2f at 32.",
            ps[WRITE][8] / sector[8], ps[WRITE][16] / sector[16], ps[WRITE][32] / sector[32]);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(
        argc, argv, "05_coalescing/scattered",
        "Scattered writes cost more than scattered reads, and both together more than their sum.",
        "variant parameter value median_ms spread_pct gb_per_s flag check", "elements", NO_ERRORS);
    check_sizes(variants, KINDS);
    size_t n = run_size(beyond_l2(SWEEP_N, sizeof(float)), SWEEP_CPU_N, 4 * sizeof(float));
    struct buffers buffers = buffers_create<float>(n);
    size_t count = measure_kinds(&buffers, variants_right(variants, KINDS));
    points_print(points, count);
    if (run.samples)
        conclude(copy_ps(&buffers));
    buffers_free(&buffers);
    return run_end();
}
