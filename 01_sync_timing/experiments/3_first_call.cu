// The first CUDA call of a process sets up the device, the first launch of each kernel loads it,
// and PTX is compiled then, too. It takes milliseconds, and none of it is the work.
//
//     nvcc -O3 -arch=native 3_first_call.cu && ./a.out   (-arch=sm_75: with PTX for later GPUs)
//     ../../cudacc/cudacc -O2 3_first_call.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "allocate.h"
#include "children.h"

enum { VARIANTS = 2, N = 4096, CALLS = 9 }; // so little work that the calls are what is timed

// Two that are alike: what the second one pays at its first launch, the first did not pay for it.
__global__ void copy(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i];
}

__global__ void difference(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] - b[i];
}

static void launch(const struct arrays *x, unsigned block, size_t minus_b) {
    if (minus_b)
        difference<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->d_b, x->n);
    else
        copy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void expected(float *out, const float *a, const float *b, size_t n, size_t minus_b) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] - (minus_b ? b[i] : 0);
}

static const struct variant variants[VARIANTS] = {
    {"copy", launch, expected, 256, 0, 8, 0, 0, "the first launch is slow"},
    {"difference", launch, expected, 256, 1, 12, 1, 0, "slow again"},
};

// ---- One process -------------------------------------------------------------------------------
enum { MALLOC = 4, ASYNC = 6, COPY = 8, DIFFERENCE = 10, FIGURES = 12 };
static const char *const figures[FIGURES][2] = {{"cudaGetDeviceCount", "first call"},
                                                {"cudaSetDevice", "first call"},
                                                {"cudaFree(NULL)", "first call"},
                                                {"cudaFree(NULL)", "once more"},
                                                {"cudaMalloc", "call 1"},
                                                {"cudaMalloc", "call 3 and later"},
                                                {"cudaMallocAsync", "call 1"},
                                                {"cudaMallocAsync", "call 3 and later"},
                                                {"copy", "launch 1"},
                                                {"copy", "launch 3 and later"},
                                                {"difference", "launch 1"},
                                                {"difference", "launch 3 and later"}};

// 1 MiB each time, freed at once. Where there is no pool, nan.
static void print_allocations(int device, enum source source) {
    double ms[CALLS];
    void *p;
    for (int i = 0; i < CALLS; i++) {
        ms[i] = NAN;
        if (!has_source(device, source))
            continue;
        double start = wall_ms();
        CUDA_CHECK(allocate(&p, 1 << 20, source));
        ms[i] = wall_ms() - start;
        CUDA_CHECK(release(p, source));
    }
    print_first_and_later(ms, CALLS);
}

// A kernel's first launch, and the median from the third one on, each with the wait for its end.
static int print_launches(const struct variant *variant, struct arrays *x) {
    double ms[CALLS];
    int right = 1;
    variant_expect(variant, x);
    for (int i = 0; i < CALLS; i++) {
        variant_reset(variant, x);
        CUDA_CHECK(cudaDeviceSynchronize());
        double start = wall_ms();
        variant_launch(variant, x);
        CUDA_CHECK(cudaDeviceSynchronize());
        ms[i] = wall_ms() - start;
        right &= variant_is_right(variant, x);
    }
    print_first_and_later(ms, CALLS);
    return right;
}

// What a child does: writes all figures to stdout. An error of a first call comes back later.
static int child(int device) {
    int count;
    double start = wall_ms();
    (void)cudaGetDeviceCount(&count);
    print_since(start), start = wall_ms();
    (void)cudaSetDevice(device);
    print_since(start);
    for (int i = 0; i < 2; i++) {
        start = wall_ms();
        (void)cudaFree(NULL);
        print_since(start);
    }
    print_allocations(device, DRIVER);
    print_allocations(device, POOL);
    struct arrays x = arrays_create(N);
    int right = print_launches(&variants[0], &x);
    return !(print_launches(&variants[1], &x) && right);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double built[FIGURES], compiled[FIGURES];
    if (argc == 3 && strcmp(argv[1], "--child") == 0)
        return child(atoi(argv[2]));
    run_begin(argc, argv, "01_sync_timing/first_call",
              "The first CUDA call of a process and the first launch of each kernel are slow.",
              "variant parameter samples median_ms min_ms max_ms check", NULL, NO_ERRORS);
    check_sizes(variants, VARIANTS);
    struct arrays x = arrays_create(N);
    for (int i = 0; i < VARIANTS; i++) {
        struct row row = variant_row(&variants[i], &x, variant_try(&variants[i], &x));
        print_row(&row);
    }
    arrays_free(&x);
    children_begin(argv[0]);
    if (run.on_cpu)
        say("It loads no kernel and sets up nothing: what first calls cost, a GPU shows.");
    if (!run.samples)
        return run_end();
    if (!measure_children(figures, FIGURES, "", "", 0, 1, built))
        return fputs("first_call: a child has failed\n", stderr), 1;
    double setup_ms = built[0] + built[1] + built[2];
    finding("setup_ms", setup_ms,
            "Before its first kernel, a process spends %.1f ms in three calls.", setup_ms);
    double second = built[DIFFERENCE] / built[DIFFERENCE + 1];
    finding("first_launch_ratio", second,
            "The first kernel's first launch takes %.1f times a later one; the second's %.1f.",
            built[COPY] / built[COPY + 1], second);
    if (!isnan(built[ASYNC]))
        finding("allocation_us", 1e3 * built[ASYNC + 1],
                "1 MiB takes %.1f us from cudaMalloc and %.1f from cudaMallocAsync; the first call "
                "%.0f and %.0f.",
                1e3 * built[MALLOC + 1], 1e3 * built[ASYNC + 1], 1e3 * built[MALLOC],
                1e3 * built[ASYNC]);
    run.samples = (run.samples + 2) / 3; // of a time that is so much longer, a third will do
    if (measure_children(figures, FIGURES, "CUDA_FORCE_PTX_JIT=1", ", from PTX", COPY, 2, compiled))
        finding("from_ptx_ms", compiled[COPY],
                "From PTX, which must be compiled, the first launch takes %.1f ms; else %.2f.",
                compiled[COPY], built[COPY]);
    else
        say("There is no PTX in it (-arch=native): -arch=sm_75 shows what compiling takes.");
    return run_end();
}
