// A float4 must lie at a multiple of 16. cudaMalloc sees to that for the first element, and for no
// other: one float further on the kernel fails with error 716 (--errors). What a type promises of
// its address decides which instruction the compiler may use.
//
//     nvcc -O3 -arch=native 6_alignment.cu && ./a.out
//     ../../cudacc/cudacc -O2 6_alignment.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 26, CPU_N = 1 << 18 };

// ---- Kernels -----------------------------------------------------------------------------------
// Four floats in a struct are no float4: alignof is 4, and the compiler makes four accesses of it.
// With __align__(16), which float4 has as well, it makes one. Expect float4's rate of the second.
struct four {
    float x, y, z, w;
};
struct __align__(16) aligned_four {
    float x, y, z, w;
};

template <typename vector>
__global__ void add_struct(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        vector p = ((const vector *)a)[i], q = ((const vector *)b)[i];
        vector sum = {p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w};
        ((vector *)out)[i] = sum;
    }
    add_rest(out, a, b, n, i);
}

enum { FLOAT, FLOAT4, STRUCT, ALIGNED_STRUCT, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"float", launch<add_float, 1>, sum_reference, 256, 0, 12, 1, 0, "any address"},
    {"float4", launch<add_float4, 4>, sum_reference, 256, 0, 12, 1, 0, "multiples of 16"},
    {"struct of four", launch<add_struct<four>, 4>, sum_reference, 256, 0, 12, 1, 0,
     "four accesses of 4 bytes"},
    {"__align__(16) struct", launch<add_struct<aligned_four>, 4>, sum_reference, 256, 0, 12, 1, 0,
     "one access of 16"},
};

// ---- Addresses ---------------------------------------------------------------------------------
static void check_addresses(void) {
    static const char *const names[] = {"p", "p + 1", "p + 2", "p + 3", "p + 4"};
    float *p;
    CUDA_CHECK(cudaMalloc((void **)&p, sizeof *p));
    print_value("p of cudaMalloc", 0, "address % 256", (double)((uintptr_t)p % 256),
                (uintptr_t)p % 256 == 0);
    for (size_t i = 0; i <= 4; i++)
        print_value(names[i], 0, "address % 16", (double)((uintptr_t)(p + i) % 16),
                    (uintptr_t)(p + i) % 16 == 4 * i % 16);
    CUDA_CHECK(cudaFree(p));
    print_value("float4", 0, "alignof", alignof(float4), alignof(float4) == 16);
    print_value("struct of four", 0, "alignof", alignof(four), alignof(four) == 4);
    print_value("__align__(16) struct", 0, "alignof", alignof(aligned_four),
                alignof(aligned_four) == 16);
}

// ---- Rates -------------------------------------------------------------------------------------
static void measure_rates(void) {
    const struct in_flight in_flight[VARIANTS] = {
        {(const void *)add_float, 8, 0, 4, 4},
        {(const void *)add_float4, 32, 0, 16, 16},
        {(const void *)add_struct<four>, 32, 0, 4, 16},
        {(const void *)add_struct<aligned_four>, 32, 0, 16, 16}};
    static struct work works[VARIANTS];
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    measure_table(works, variants, VARIANTS, &x);
    for (int i = 0; i < VARIANTS; i++)
        describe(&works[i], &in_flight[i]);
    print_works(works, VARIANTS);
    double best = works[FLOAT4].row.gb_per_s;
    if (run.samples)
        finding(
            "struct_share", works[STRUCT].row.gb_per_s / best,
            "Of float4's rate, the struct of four reaches %.3f, the one with __align__(16) %.3f.",
            works[STRUCT].row.gb_per_s / best, works[ALIGNED_STRUCT].row.gb_per_s / best);
    arrays_free(&x);
}

// ---- Wrong addresses: the error sticks, so each of these has a separate process -----------------
static const struct {
    const char *name;
    int variant, skip, code;
} addresses[] = {
    {"float4 from p", FLOAT4, 0, 0},
    {"float4 from p + 1", FLOAT4, 1, 716},
    {"float4 from p + 4", FLOAT4, 4, 0},
    {"float4 in row 1 of 1023", FLOAT4, 1023, 716},
    {"float from p + 1", FLOAT, 1, 0},
    {"struct of four from p + 1", STRUCT, 1, 0},
    {"aligned struct from p + 1", ALIGNED_STRUCT, 1, 716},
};
enum { ADDRESSES = (int)(sizeof addresses / sizeof addresses[0]) };

static int try_address(int i) {
    const struct variant *variant = &variants[addresses[i].variant];
    float *p; // three arrays of 4096
    CUDA_CHECK(cudaMalloc((void **)&p, 3 * 4096 * sizeof *p));
    CUDA_CHECK(cudaMemset(p, 0, 3 * 4096 * sizeof *p));
    struct arrays x;
    memset(&x, 0, sizeof x);
    x.n = 2048, x.d_out = p + addresses[i].skip, x.d_a = x.d_out + 4096, x.d_b = x.d_a + 4096;
    variant_launch(variant, &x);
    int code = cudaDeviceSynchronize();
    (void)cudaFree(p); // fails, too, when all does
    return code;
}

static int ask_child(int i) {
    char command[64];
    int code = -1;
    snprintf(command, sizeof command, "CHILD=%d CHILD_DEVICE=%zu exec \"$THIS_PROGRAM\"", i,
             run.device_number);
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%d", &code) != 1)
        fprintf(stderr, "%s: no answer from a child\n", addresses[i].name);
    if (pipe)
        pclose(pipe);
    return code;
}

static void try_wrong_addresses(const char *program) {
    setenv("THIS_PROGRAM", program, 1);
    for (int i = 0; i < ADDRESSES; i++) {
        int code = addresses[i].code ? ask_child(i) : try_address(i);
        print_value(addresses[i].name, 0, "error code", code, code == addresses[i].code);
    }
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    const char *mistake = getenv("CHILD"), *device = getenv("CHILD_DEVICE");
    if (mistake && device && (unsigned)atoi(mistake) < ADDRESSES) { // started by ask_child()
        CUDA_CHECK(cudaSetDevice(atoi(device)));
        return printf("%d\n", try_address(atoi(mistake))) < 0;
    }
    run_begin(argc, argv, "06_vectorized/alignment",
              "A float4 must lie at a multiple of 16: cudaMalloc's p does, p + 1 does not.",
              "variant n parameter value median_ms spread_pct gb_per_s flag check", "elements",
              HAS_ERRORS);
    check_sizes(variants, VARIANTS);
    if (run.errors) {
        if (run.on_cpu)
            say("The CPU device reports on stderr which access was wrong. It is meant to.");
        try_wrong_addresses(argv[0]);
        finding_if(!run.failed_rows, "misaligned", cudaErrorMisalignedAddress,
                   "float4 fails from p + 1, with error %d: cudaMalloc makes p a multiple of 256; "
                   "p + 1 is not even a multiple of 16.",
                   cudaErrorMisalignedAddress);
    } else {
        check_addresses();
        measure_rates();
    }
    return run_end();
}
