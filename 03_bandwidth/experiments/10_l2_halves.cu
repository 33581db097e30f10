// L2 is one cache for the program. Is every line of it as far from every multiprocessor? One thread
// on each times its reads of the same lines; threads that find the same lines far are neighbors.
//
//     nvcc -O3 -arch=native 10_l2_halves.cu && ./a.out
//     ../../cudacc/cudacc -O2 10_l2_halves.cu && ./a.out   (no GPU: counts only)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"

// LINES are 33 lines of 128 bytes apart, so that they fall on all parts of L2. The first of two
// passes decides which line is near to whom, the second says by how much: with one pass for both,
// chance alone would make near lines look fast.
enum { LINES = 512, STRIDE = 33 * 128 / 4, READS = 32, PASSES = 2 };

// ---- Kernel ------------------------------------------------------------------------------------
// The first number of line k is k.
__global__ void number_lines(unsigned *base) {
    if (threadIdx.x == 0)
        base[(size_t)blockIdx.x * STRIDE] = blockIdx.x;
}

// One thread a block: the cycles of READS reads of each line, past L1. Each read's place is the
// number read before, so no two overlap. The loop must not ask for place == line: then the compiler
// would know the next place, and need not wait. A wrong number leaves the line without a time.
__global__ void time_lines(float *cycles, const unsigned *base, unsigned lines) {
    for (int pass = -1; pass < PASSES; pass++) // the one before the first brings the lines into L2
        for (unsigned k = 0; k < lines; k++) {
            unsigned line = (k + 37 * blockIdx.x) % lines, place = line; // not all at one line
            long long start = clock64();
            int left = READS;
            while (place < LINES && left-- > 0)
                place = __ldcg(base + (size_t)place * STRIDE);
            long long end = clock64();
            if (place == line && pass >= 0)
                cycles[((size_t)pass * gridDim.x + blockIdx.x) * lines + line] =
                    (float)(end - start) / READS;
        }
}

// ---- Who is near to whom -----------------------------------------------------------------------
static double mean_of(const float *x) {
    double sum = 0;
    for (size_t k = 0; k < LINES; k++)
        sum += x[k];
    return sum / LINES;
}

// -1 to 1: do the same lines take long?
static double correlation(const float *x, const float *y) {
    double mx = mean_of(x), my = mean_of(y), xy = 0, xx = 0, yy = 0;
    for (size_t k = 0; k < LINES; k++) {
        xy += (x[k] - mx) * (y[k] - my);
        xx += (x[k] - mx) * (x[k] - mx);
        yy += (y[k] - my) * (y[k] - my);
    }
    return xy / sqrt(xx * yy);
}

struct halves {
    size_t first;           // those that find the same lines far as thread 0
    double within, across;  // correlation with thread 0: the least of those, the largest of others
    double near_cy, far_cy; // a read's cycles on average, in the second pass
};

// cycles: PASSES times for each thread and line.
static struct halves split(const float *cycles, size_t threads) {
    struct halves h = {0, 1, -1, 0, 0};
    const float *second = cycles + threads * LINES;
    char *in_first = (char *)host_malloc(threads);
    double near_sum = 0, far_sum = 0, near_count = 0, far_count = 0;
    for (size_t t = 0; t < threads; t++) {
        double r = correlation(cycles, cycles + t * LINES);
        h.first += in_first[t] = r > 0;
        h.within = r > 0 && r < h.within ? r : h.within;
        h.across = r <= 0 && r > h.across ? r : h.across;
    }
    for (size_t k = 0; k < LINES && h.first < threads; k++) {
        double sum[2] = {0, 0}; // of the others, of the first
        for (size_t t = 0; t < threads; t++)
            sum[(int)in_first[t]] += cycles[t * LINES + k] - mean_of(cycles + t * LINES);
        int near_first = sum[1] / (double)h.first < sum[0] / (double)(threads - h.first);
        for (size_t t = 0; t < threads; t++) {
            int near = in_first[t] == near_first;
            *(near ? &near_sum : &far_sum) += second[t * LINES + k];
            *(near ? &near_count : &far_count) += 1;
        }
    }
    h.near_cy = near_sum / near_count, h.far_cy = far_sum / far_count;
    free(in_first);
    return h;
}

// ---- Report ------------------------------------------------------------------------------------
static void report(const float *cycles, size_t threads, int right) {
    struct halves h = split(cycles, threads);
    print_value("like the first", 0, "multiprocessors", (double)h.first, right);
    print_value("unlike it", 0, "multiprocessors", (double)(threads - h.first), right);
    if (h.first == threads) {
        finding("alike", (double)threads, "All %zu multiprocessors find the same lines far.",
                threads);
        return;
    }
    print_value("near line", 0, "cycles", h.near_cy, right);
    print_value("far line", 0, "cycles", h.far_cy, right);
    if (h.far_cy > h.near_cy)
        finding(
            "far", h.far_cy - h.near_cy,
            "%zu multiprocessors find those lines far that %zu find near: %.0f cycles, not %.0f.",
            h.first, threads - h.first, h.far_cy, h.near_cy);
    else
        finding("far", 0, "Lines that take long in one pass do not in the other: no halves show.");
    finding("within", h.within, "Among the first, latencies correlate by %.2f or more.", h.within);
    finding("across", h.across, "Between the groups, by %.2f or less.", h.across);
}

// ---- Main --------------------------------------------------------------------------------------
// Leaves the cycles of so many lines in h_cycles; 1 if all were read right.
static int time_all(float *h_cycles, unsigned threads, unsigned lines) {
    size_t count = (size_t)PASSES * threads * lines, bytes = count * sizeof *h_cycles;
    unsigned *d_base = (unsigned *)guarded_malloc((size_t)LINES * STRIDE * sizeof *d_base);
    float *d_cycles = (float *)guarded_malloc(bytes); // poisoned: no time is NaN
    number_lines<<<LINES, 1>>>(d_base);
    CUDA_CHECK(cudaGetLastError());
    time_lines<<<threads, 1>>>(d_cycles, d_base, lines);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_cycles, d_cycles, bytes, cudaMemcpyDeviceToHost));
    int right = count_guard_damage(d_cycles, bytes, "cycles") == 0;
    for (size_t i = 0; i < count; i++)
        right &= h_cycles[i] >= 0;
    guarded_free(d_base), guarded_free(d_cycles);
    return right;
}

int main(int argc, char **argv) {
    run_begin(argc, argv, "03_bandwidth/l2_halves",
              "Is a line of L2 as far from one multiprocessor as from another?",
              "variant parameter value check", NULL, NO_ERRORS);
    unsigned threads = (unsigned)run.device.multiProcessorCount;
    size_t count = (size_t)PASSES * threads * LINES;
    float *h_cycles = (float *)host_malloc(count * sizeof *h_cycles);
    for (size_t s = 0; run.size_count > 1 && s < run.size_count; s++) { // of more, the first LINES
        unsigned lines = run.sizes[s] < LINES ? (unsigned)run.sizes[s] : (unsigned)LINES;
        print_value("time_lines", run.sizes[s], NULL, NAN, time_all(h_cycles, threads, lines));
    }
    int right = run.size_count > 1 || time_all(h_cycles, threads, LINES);
    if (run.samples)
        report(h_cycles, threads, right);
    else if (run.size_count <= 1)
        print_value("all lines", 0, "lines read", (double)count, right);
    free(h_cycles);
    return run_end();
}
