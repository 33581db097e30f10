// The first CUDA call of a process sets up the device, the first launch of each kernel loads it,
// and PTX is compiled before that. It takes milliseconds, and none of it is the work.
//
//     nvcc -O3 -arch=native 3_first_call.cu && ./a.out   (-arch=sm_75: with PTX for later GPUs)
//     ../../common/cpu_device/cudacc -O2 3_first_call.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/variants.h"

enum { VARIANTS = 2, N = 4096, LAUNCHES = 9 }; // so little work that the calls are what is timed

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
enum { COPY = 4, DIFFERENCE = 6, FIGURES = 8 };
static const char *const figures[FIGURES][2] = {{"cudaGetDeviceCount", "first call"},
                                                {"cudaSetDevice", "first call"},
                                                {"cudaFree(NULL)", "first call"},
                                                {"cudaFree(NULL)", "once more"},
                                                {"copy", "launch 1"},
                                                {"copy", "launch 3 and later"},
                                                {"difference", "launch 1"},
                                                {"difference", "launch 3 and later"}};

static void print_since(double start) { printf("%.9g\n", wall_ms() - start); }

// A kernel's first launch, and the median from the third one on, each with the wait for its end.
static int print_launches(const struct variant *variant, struct arrays *x) {
    double ms[LAUNCHES];
    int right = 1;
    variant_expect(variant, x);
    for (int i = 0; i < LAUNCHES; i++) {
        variant_reset(variant, x);
        CUDA_CHECK(cudaDeviceSynchronize());
        double start = wall_ms();
        variant_launch(variant, x);
        CUDA_CHECK(cudaDeviceSynchronize());
        ms[i] = wall_ms() - start;
        right &= variant_is_right(variant, x);
    }
    printf("%.9g\n%.9g\n", ms[0], quantile_of(ms + 2, LAUNCHES - 2, 0.5));
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
    struct arrays x = arrays_create(N);
    int right = print_launches(&variants[0], &x);
    return !(print_launches(&variants[1], &x) && right);
}

// ---- Many --------------------------------------------------------------------------------------
// Starts this program afresh for each sample. No child finds code in the driver's cache, and none
// has to wake the device: it is in use. A row for every `step`-th figure from `first` on; medians
// go to median_ms. 0: a child cannot end.
static int measure_children(const char *environment, const char *how, int first, int step,
                            double *median_ms) {
    double *ms = (double *)host_malloc(FIGURES * run.samples * sizeof *ms);
    char command[160], parameter[64];
    int ended = 1, right = 1;
    snprintf(command, sizeof command, "%s exec \"$THIS_PROGRAM\" --child %zu 2>/dev/null",
             environment, run.device_number);
    for (size_t c = 0; c < run.samples && ended; c++) {
        FILE *pipe = popen(command, "r");
        for (int i = 0; i < FIGURES && ended; i++)
            ended = pipe && fscanf(pipe, "%lf", &ms[i * run.samples + c]) == 1;
        right &= pipe && pclose(pipe) == 0;
    }
    for (int i = first; i < FIGURES && ended; i += step) {
        struct row row = row_of(figures[i][0]);
        snprintf(parameter, sizeof parameter, "%s%s", figures[i][1], how);
        row.parameter = parameter;
        row.check = right ? "ok" : "FAIL";
        row_times(&row, ms + i * run.samples, run.samples);
        print_row(&row);
        median_ms[i] = row.median_ms;
    }
    free(ms);
    return ended;
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double built[FIGURES], compiled[FIGURES];
    if (argc == 3 && strcmp(argv[1], "--child") == 0)
        return child(atoi(argv[2]));
    run_begin(argc, argv, "01_sync_timing/first_call",
              "The first CUDA call of a process and the first launch of each kernel are slow.",
              "variant parameter samples median_ms min_ms max_ms check", NULL, NO_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    struct arrays x = arrays_create(N);
    for (int i = 0; i < VARIANTS; i++) {
        struct row row = variant_row(&variants[i], &x, variant_try(&variants[i], &x));
        print_row(&row);
    }
    arrays_free(&x);
    setenv("THIS_PROGRAM", argv[0], 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1); // for the children: the driver's, of code compiled before
    if (run.on_cpu)
        say("It loads no kernel and sets up nothing: what first calls cost, a GPU shows.");
    if (!run.samples)
        return run_end();
    if (!measure_children("", "", 0, 1, built))
        return fputs("first_call: a child has failed\n", stderr), 1;
    double setup_ms = built[0] + built[1] + built[2];
    finding("setup_ms", setup_ms,
            "Before its first kernel, a process spends %.1f ms in three calls.", setup_ms);
    double second = built[DIFFERENCE] / built[DIFFERENCE + 1];
    finding("first_launch_ratio", second,
            "The first kernel's first launch takes %.1f times a later one; the second's %.1f.",
            built[COPY] / built[COPY + 1], second);
    if (measure_children("CUDA_FORCE_PTX_JIT=1", ", from PTX", COPY, 2, compiled))
        finding("from_ptx_ms", compiled[COPY],
                "From PTX, which must be compiled, the first launch takes %.1f ms; else %.2f.",
                compiled[COPY], built[COPY]);
    else
        say("There is no PTX in it (-arch=native): -arch=sm_75 shows what compiling takes.");
    return run_end();
}
