// A float4 must lie at a multiple of 16. cudaMalloc sees to that for the first element, and for no
// other: one float further on the kernel fails with error 716 (--errors). What a type promises of
// its address decides which instruction the compiler may use.
//
//     nvcc -O3 5_alignment.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 5_alignment.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 18 };

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

// ---- Variants ----------------------------------------------------------------------------------
enum { FLOAT, FLOAT4, STRUCT, ALIGNED_STRUCT, VARIANTS };

static const struct shape shapes[VARIANTS] = {{add_float, 1, 1, 8, 0},
                                              {add_float4, 4, 1, 32, 0},
                                              {add_struct<four>, 4, 1, 32, 0},
                                              {add_struct<aligned_four>, 4, 1, 32, 0}};
LAUNCH(float, add_float, &shapes[FLOAT])
LAUNCH(float4, add_float4, &shapes[FLOAT4])
LAUNCH(struct, add_struct<four>, &shapes[STRUCT])
LAUNCH(aligned_struct, add_struct<aligned_four>, &shapes[ALIGNED_STRUCT])

static const struct variant variants[VARIANTS] = {
    {"float", launch_float, add_reference, 12, 1, 0, "any address"},
    {"float4", launch_float4, add_reference, 12, 1, 0, "multiples of 16"},
    {"struct of four", launch_struct, add_reference, 12, 1, 0, "four accesses of 4 bytes"},
    {"__align__(16) struct", launch_aligned_struct, add_reference, 12, 1, 0, "one access of 16"},
};

static void print_value(struct run *run, const char *what, size_t n, const char *parameter,
                        size_t value, int right) {
    struct row row = run_row(run, what);
    row.n = n;
    row.parameter = parameter;
    row.value = (double)value;
    row.check = right ? "ok" : "FAIL";
    run_print(run, &row);
}

// ---- Addresses ---------------------------------------------------------------------------------
static void addresses_and_types(struct run *run) {
    static const char *const names[] = {"p", "p + 1", "p + 2", "p + 3", "p + 4"};
    float *p;
    CUDA_CHECK(cudaMalloc((void **)&p, sizeof *p));
    print_value(run, "p of cudaMalloc", 0, "address % 256", (uintptr_t)p % 256,
                (uintptr_t)p % 256 == 0);
    for (size_t i = 0; i <= 4; i++)
        print_value(run, names[i], 0, "address % 16", (uintptr_t)(p + i) % 16,
                    (uintptr_t)(p + i) % 16 == 4 * i % 16);
    CUDA_CHECK(cudaFree(p));
    print_value(run, "float4", 0, "alignof", alignof(float4), alignof(float4) == 16);
    print_value(run, "struct of four", 0, "alignof", alignof(four), alignof(four) == 4);
    print_value(run, "__align__(16) struct", 0, "alignof", alignof(aligned_four),
                alignof(aligned_four) == 16);
}

// ---- Rates -------------------------------------------------------------------------------------
static void rates(struct run *run) {
    struct data data = data_create(run_size(run, GPU_N, CPU_N, 5 * sizeof(float)));
    struct work works[VARIANTS];
    struct task tasks[VARIANTS];
    memset(works, 0, sizeof works);
    for (int i = 0; i < VARIANTS; i++) {
        works[i].variant = &variants[i];
        works[i].shape = &shapes[i];
        works[i].data = &data;
        works[i].block = 256;
    }
    measure_works(run, works, tasks, VARIANTS);
    print_works(run, works, VARIANTS);
    if (!run->quick)
        run_say(
            run,
            "Of float4's rate the struct of four reaches %.3f, the one with __align__(16) %.3f.",
            works[STRUCT].row.gb_per_s / works[FLOAT4].row.gb_per_s,
            works[ALIGNED_STRUCT].row.gb_per_s / works[FLOAT4].row.gb_per_s);
    measure_free(tasks, VARIANTS);
    data_free(&data);
}

// ---- Wrong addresses: the error sticks, so each of these has a process of its own ---------------
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
    float *p; // three arrays of 4096
    CUDA_CHECK(cudaMalloc((void **)&p, 3 * 4096 * sizeof *p));
    CUDA_CHECK(cudaMemset(p, 0, 3 * 4096 * sizeof *p));
    p += addresses[i].skip;
    variants[addresses[i].variant].launch(p, p + 4096, p + 8192, 2048);
    int code = cudaDeviceSynchronize();
    (void)cudaFree(p - addresses[i].skip); // fails, too, when all does
    return code;
}

static int child(int i, int device) {
    CUDA_CHECK(cudaSetDevice(device));
    printf("%d\n", try_address(i));
    return 0;
}

static int ask_child(const struct run *run, int i) {
    char command[64];
    int code = -1;
    snprintf(command, sizeof command, "CHILD=%d CHILD_DEVICE=%zu exec \"$THIS_PROGRAM\"", i,
             run->device_number);
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%d", &code) != 1)
        fprintf(stderr, "%s: no answer from a child\n", addresses[i].name);
    if (pipe)
        pclose(pipe);
    return code;
}

static void wrong_addresses(struct run *run, const char *program) {
    setenv("THIS_PROGRAM", program, 1);
    for (int i = 0; i < ADDRESSES; i++) {
        int code = addresses[i].code ? ask_child(run, i) : try_address(i);
        print_value(run, addresses[i].name, 0, "error code", (size_t)code,
                    code == addresses[i].code);
    }
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "06_vectorized",
    "alignment",
    "A float4 must lie at a multiple of 16: cudaMalloc's p does, p + 1 does not.",
    "variant n parameter value median_ms gb_per_s flag check",
    "elements",
    1,
    NULL,
};

int main(int argc, char **argv) {
    const char *mistake = getenv("CHILD"), *device = getenv("CHILD_DEVICE");
    if (mistake && device && (unsigned)atoi(mistake) < ADDRESSES) // started by wrong_addresses()
        return child(atoi(mistake), atoi(device));
    struct run run = run_begin(&program, argc, argv);
    if (run.errors) {
        if (run.on_cpu)
            run_say(&run,
                    "The CPU device tells on stderr which access was wrong. It is meant to be.");
        wrong_addresses(&run, argv[0]);
        run_say(&run, "cudaMalloc makes p a multiple of 256. p + 1 is not even one of 16.");
    } else {
        addresses_and_types(&run);
        rates(&run);
    }
    return run_end(&run);
}
