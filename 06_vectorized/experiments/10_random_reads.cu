// What does a read cost whose place is random, in 1 GiB and in ever more? The caches hold next to
// nothing of it. What grows is the number of pages, and the work of translating addresses.
//
//     nvcc -O3 -arch=native 10_random_reads.cu && ./a.out
//     ../../cudacc/cudacc -O2 10_random_reads.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"

enum { SECTOR = 32, READS = 8, LOADS = 4096, GPU_THREADS = 1 << 21, CPU_THREADS = 1 << 12 };
static const size_t GPU_BYTES[2] = {(size_t)1 << 30, (size_t)64 << 30}; // smallest, largest
static const size_t CPU_BYTES[2] = {(size_t)1 << 20, (size_t)8 << 20};

// ---- Kernels -----------------------------------------------------------------------------------
// The first four bytes of each sector are its number.
__global__ void number_sectors(unsigned *base, size_t sectors) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < sectors)
        base[i * (SECTOR / 4)] = (unsigned)i;
}

// Any number to any other: no two reads of a launch have one argument.
__host__ __device__ static unsigned scatter(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// READS in each thread, none waits for another. mask + 1 sectors are a power of two.
__global__ void read_many(unsigned *sums, const unsigned *base, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll
    for (unsigned k = 0; k < READS; k++)
        sum += base[(size_t)(scatter(i * READS + k) & mask) * (SECTOR / 4)];
    sums[i] = sum;
}

struct walk { // of the one thread: where it is, after how many steps
    unsigned long long place, steps;
};

__host__ __device__ static unsigned next_place(unsigned place, unsigned mask) {
    return (place * 1664525u + 1013904223u) & mask;
}

// One thread, one read after another: the next place is known when the number is there.
__global__ void read_in_turn(struct walk *walk, const unsigned *base, unsigned mask) {
    unsigned place = (unsigned)walk->place;
    for (int k = 0; k < LOADS; k++)
        place = next_place(base[(size_t)place * (SECTOR / 4)], mask);
    walk->place = place;
    walk->steps += LOADS;
}

struct reads {
    unsigned *d_base, *d_sums, mask;
    struct walk *d_walk;
    size_t threads;
    int in_turn;
};

static void launch(void *context) {
    const struct reads *x = (const struct reads *)context;
    if (x->in_turn)
        read_in_turn<<<1, 1, 0, run.stream>>>(x->d_walk, x->d_base, x->mask);
    else
        read_many<<<blocks(x->threads, 256), 256, 0, run.stream>>>(x->d_sums, x->d_base, x->mask);
    CUDA_CHECK(cudaGetLastError());
}

static int sums_are_right(struct reads *x) {
    size_t wrong = 0, bytes = x->threads * sizeof(unsigned);
    unsigned *h_sums = (unsigned *)host_malloc(bytes);
    CUDA_CHECK(cudaMemset(x->d_sums, 0xFF, bytes));
    launch(x);
    CUDA_CHECK(cudaMemcpy(h_sums, x->d_sums, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < x->threads; i++) {
        unsigned sum = 0;
        for (unsigned k = 0; k < READS; k++)
            sum += scatter((unsigned)i * READS + k) & x->mask;
        wrong += h_sums[i] != sum;
    }
    free(h_sums);
    return wrong == 0;
}

static int walk_is_right(struct reads *x) {
    struct walk walk;
    unsigned place = 0;
    launch(x);
    CUDA_CHECK(cudaMemcpy(&walk, x->d_walk, sizeof walk, cudaMemcpyDeviceToHost));
    for (unsigned long long k = 0; k < walk.steps; k++)
        place = next_place(place, x->mask);
    return walk.steps >= LOADS && walk.place == place;
}

// ---- Measure -----------------------------------------------------------------------------------
static void measure_size(struct reads x[2], size_t bytes, struct row rows[2]) {
    struct task tasks[2] = {task_of(launch, &x[0]), task_of(launch, &x[1])};
    size_t sectors = 1; // a power of two
    while (2 * sectors * SECTOR <= bytes)
        sectors *= 2;
    x[0].mask = x[1].mask = (unsigned)(sectors - 1);
    CUDA_CHECK(cudaMemset(x->d_walk, 0, sizeof *x->d_walk)); // from place 0
    rows[0] = row_of("many at a time"), rows[1] = row_of("one after another");
    int right = sums_are_right(x);
    if (run.samples)
        measure(tasks, 2, MEASURE_HOT);
    for (int i = 0; i < 2; i++) {
        double reads = (double)(i ? (size_t)LOADS : x->threads * READS);
        rows[i].n = bytes, rows[i].bytes = (size_t)reads * SECTOR;
        if (run.samples)
            row_measured(&rows[i], &tasks[i], bytes);
        rows[i].parameter = run.samples ? "ns each" : "reads";
        rows[i].value = run.samples ? 1e6 * rows[i].median_ms / reads : reads;
    }
    rows[0].check = right && sums_are_right(x) ? "ok" : "FAIL";
    rows[1].check = walk_is_right(&x[1]) ? "ok" : "FAIL";
    print_row(&rows[0]), print_row(&rows[1]);
    measure_free(tasks, run.samples ? 2 : 0);
}

// ---- Main --------------------------------------------------------------------------------------
// As --size says, or from the smallest on doubled while there is room. Returns how many sizes.
static size_t choose_sizes(size_t sizes[MOST_SIZES]) {
    size_t room, total, count = run.size_count;
    const size_t *range = run.on_cpu || run.quick ? CPU_BYTES : GPU_BYTES;
    memcpy(sizes, run.sizes, sizeof run.sizes);
    CUDA_CHECK(cudaMemGetInfo(&room, &total));
    for (size_t b = range[0]; !run.size_count && b <= range[1] && b < room / 10 * 9; b *= 2)
        sizes[count++] = b;
    return count;
}

int main(int argc, char **argv) {
    static struct row rows[MOST_SIZES][2];
    size_t sizes[MOST_SIZES], largest = SECTOR;
    run_begin(argc, argv, "06_vectorized/random_reads",
              "What does a read cost whose place is random, in ever more memory?",
              "variant n parameter value median_ms spread_pct flag check", "bytes", NO_ERRORS);
    size_t count = choose_sizes(sizes), last = count - 1;
    struct reads x = {NULL, NULL, 0, NULL, (size_t)(run.on_cpu ? CPU_THREADS : GPU_THREADS), 0};
    for (size_t s = 0; s < count; s++)
        largest = sizes[s] > largest ? sizes[s] : largest;
    x.d_base = (unsigned *)guarded_malloc(largest);
    x.d_sums = (unsigned *)guarded_malloc(x.threads * sizeof *x.d_sums);
    x.d_walk = (struct walk *)guarded_malloc(sizeof *x.d_walk);
    number_sectors<<<blocks(largest / SECTOR, 256), 256>>>(x.d_base, largest / SECTOR);
    CUDA_CHECK(cudaGetLastError());
    struct reads both[2] = {x, x};
    both[1].in_turn = 1;
    for (size_t s = 0; s < count; s++)
        measure_size(both, sizes[s], rows[s]);
    if (run.samples)
        finding("slower", rows[last][1].value / rows[0][1].value,
                "A random read takes %.0f ns in %zu GiB and %.0f ns in %zu GiB.", rows[0][1].value,
                sizes[0] >> 30, rows[last][1].value, sizes[last] >> 30);
    guarded_free(x.d_base), guarded_free(x.d_sums), guarded_free(x.d_walk);
    return run_end();
}
