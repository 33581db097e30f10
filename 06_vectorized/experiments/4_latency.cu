// How long does a load take? One thread follows pointers, each load needing the one before it: in
// 4 KiB, which L1 holds, to 8 GiB, which nothing holds. Little's law makes bytes in flight of it.
//
//     nvcc -O3 -arch=native 4_latency.cu && ./a.out
//     ../../cudacc/cudacc -O2 4_latency.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"

static const size_t LINE = 128, SMALLEST = 4096, LOADS = 8192;
static const size_t SPREAD_LINES = 8192, IN_L1 = 4096, MOST_WARM = 1 << 19;
static const size_t BRIEF_BYTES = (size_t)1 << 30;
static const size_t GPU_BYTES = (size_t)8 << 30, CPU_BYTES = (size_t)4 << 20;

// ---- Kernels -----------------------------------------------------------------------------------
// The line after line i. Of a power of two, each comes once before one comes again.
__host__ __device__ static size_t next_line(size_t i, size_t lines) {
    return (i * 1664525 + 1013904223) % lines;
}

// Lines lie `step` bytes apart, and each one line further on: not all in the same few sets of a
// cache.
__host__ __device__ static char *line_at(char *base, size_t i, size_t step) {
    return base + i * step + i % (step / LINE) * LINE;
}

__global__ void link_lines(char *base, size_t lines, size_t step) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines)
        *(char **)line_at(base, i, step) = line_at(base, next_line(i, lines), step);
}

// Where the thread is, and what its last `loads` loads took.
struct chase {
    char *place;
    long long cycles, ns;
};

// A pointer from global memory. (By *p alone, the load would first have to find out which memory.)
static __device__ char *load(const char *p) {
    return (char *)(uintptr_t)__ldg((const unsigned long long *)p);
}

// L1 is empty when a kernel starts: `warm` loads fill it.
__global__ void follow(struct chase *chase, size_t warm, size_t loads) {
    char *p = chase->place;
    for (size_t i = 0; i < warm; i++)
        p = load(p);
    long long ns = device_ns(), cycles = clock64();
    for (size_t i = 0; i < loads; i++)
        p = load(p);
    chase->place = p; // waits for the last load
    chase->cycles = clock64() - cycles, chase->ns = device_ns() - ns;
}

// ---- The chase ---------------------------------------------------------------------------------
// Lines that lie `step` bytes apart, followed from launch to launch; the row's value is ns a load,
// or on the CPU device how many lines.
static struct row chase_row(const char *name, char *base, size_t bytes, size_t lines, size_t step) {
    static char cycles[32];
    struct chase chase = {base, 0, 0}, *d_chase;
    size_t at = 0, warm = lines <= IN_L1 ? lines : 0, most = MOST_WARM;
    if (run.samples < 21 && lines * step >= BRIEF_BYTES) // by hand: L2 has few of them anyway
        most /= 8;
    double *ms = (double *)host_malloc((run.samples + 1) * sizeof *ms);
    struct row row = row_of(name);
    CUDA_CHECK(cudaMalloc((void **)&d_chase, sizeof chase));
    CUDA_CHECK(cudaMemcpy(d_chase, &chase, sizeof chase, cudaMemcpyHostToDevice));
    link_lines<<<blocks(lines + 1, 256), 256>>>(base, lines, step);
    CUDA_CHECK(cudaGetLastError());
    for (size_t k = 0; lines && k <= run.samples; k++) { // the first fills L2 and the TLBs
        size_t loads = k ? LOADS : lines < most ? lines : most;
        follow<<<1, 1>>>(d_chase, warm, loads);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(&chase, d_chase, sizeof chase, cudaMemcpyDeviceToHost));
        ms[k] = (double)chase.ns * 1e-6;
        for (size_t i = 0; i < warm + loads; i++)
            at = next_line(at, lines);
    }
    row_times(&row, ms + 1, lines ? run.samples : 0);
    row.n = bytes;
    row.value = run.on_cpu ? (double)lines : row.median_ms * 1e6 / LOADS;
    snprintf(cycles, sizeof cycles, "%.0f cycles, ns", (double)chase.cycles / LOADS);
    row.parameter = run.on_cpu ? "lines, one by one" : run.samples ? cycles : NULL;
    row.check = chase.place == line_at(base, at, step) ? "ok" : "FAIL";
    print_row(&row);
    CUDA_CHECK(cudaFree(d_chase));
    free(ms);
    return row;
}

// All lines of so many bytes, and 8192 lines spread over them, which L2 holds: on ever more pages.
static void measure_size(char *base, size_t bytes, struct row rows[2]) {
    size_t lines = bytes >= LINE;
    while (lines && 2 * lines <= bytes / LINE)
        lines *= 2;
    size_t few = lines < SPREAD_LINES ? lines : SPREAD_LINES,
           step = few ? lines / few * LINE : LINE;
    rows[0] = chase_row("next to each other", base, bytes, lines, LINE);
    if (lines > few || run.size_count > 1) // else the same again
        rows[1] = chase_row("spread", base, bytes, few, step);
}

// ---- Findings ----------------------------------------------------------------------------------
static void say_findings(struct row rows[][2], int sizes) {
    char formula[128];
    double l2 = run.device.l2CacheSize, peak = peak_gb_per_s((int)run.device_number, formula, 128);
    const struct row *in_l2 = rows[0], *memory = NULL, *last = rows[sizes - 1];
    for (int i = sizes; i-- > 0;) {
        in_l2 = (double)rows[i]->n <= l2 / 8 && in_l2 == rows[0] ? rows[i] : in_l2;
        memory = (double)rows[i]->n >= 4 * l2 ? rows[i] : memory;
    }
    if (!memory)
        return;
    double kib = memory->value * peak * 2 / 3 / run.device.multiProcessorCount / 1024;
    if (rows[0]->value < in_l2->value) // not on devices that keep such loads out of L1
        finding_if(
            in_l2->value < memory->value, "memory_ns", memory->value,
            "A load takes %.0f ns from L1, %.0f ns from L2, %.0f ns from the memory and %.0f ns "
            "in %zu MiB of it.",
            rows[0]->value, in_l2->value, memory->value, last->value, last->n >> 20);
    if (in_l2[1].n && (double)SPREAD_LINES * LINE <= l2 / 2) // measured, and in L2
        finding("translation_ns", last[1].value - in_l2[1].value,
                "%zu lines, all in L2, take %.0f ns each within %zu MiB and %.0f ns within %zu "
                "MiB: the translation of addresses costs %.0f ns.",
                SPREAD_LINES, in_l2[1].value, in_l2->n >> 20, last[1].value, last->n >> 20,
                last[1].value - in_l2[1].value);
    if (peak > 0)
        finding("needed_kib", kib,
                "Little's law: at %.0f ns a load, loads at 2/3 of the peak need %.1f KiB in flight "
                "on each multiprocessor; float has up to %.0f, float4 %.0f.",
                memory->value, kib, run.device.maxThreadsPerMultiProcessor / 128.0,
                run.device.maxThreadsPerMultiProcessor / 32.0);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct row rows[64][2];
    int sizes = 0;
    run_begin(argc, argv, "06_vectorized/latency",
              "How long does a load take, from L1, from L2, from the memory?",
              "variant n parameter value median_ms spread_pct check", "bytes", NO_ERRORS);
    int list = run.size_count > 1;
    size_t largest = list ? 0 : run_size(GPU_BYTES, CPU_BYTES, 1);
    for (size_t s = 0; s < run.size_count; s++)
        largest = run.sizes[s] > largest ? run.sizes[s] : largest;
    char *base = (char *)guarded_malloc(largest);
    for (size_t s = 0; list && s < run.size_count; s++)
        measure_size(base, run.sizes[s], rows[0]);
    size_t bytes = SMALLEST < largest ? SMALLEST : largest;
    for (; !list && bytes <= largest; bytes *= 2)
        measure_size(base, bytes, rows[sizes++]);
    guarded_free(base);
    if (run.samples)
        say_findings(rows, sizes);
    return run_end();
}
