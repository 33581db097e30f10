// A kernel that goes wrong is reported later, by whatever call comes next; from then on every call
// that uses the device fails, and only a new process has it again: the error sticks.
//
//     nvcc -O3 -arch=native 8_crashes.cu && ./a.out --errors
//     ../../cudacc/cudacc -O2 8_crashes.cu && ./a.out --errors   (no GPU)
//
// Without --errors nothing is done wrong: the kernels' right use is checked.
// SPDX-License-Identifier: MIT
#undef NDEBUG // with it the kernel's assert would be gone
#include <assert.h>
#include <unistd.h>
#include "../../common/experiment/variants.h"

// ---- Kernels -----------------------------------------------------------------------------------
// Nothing is wrong with either. Give this one NULL, and expect 700; a negative element, 710.
__global__ void copy(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(a[i] >= 0);
        out[i] = a[i];
    }
}

// And this one a pointer that no float4 may have, one float further on: 716.
__global__ void copy_by_four(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        ((float4 *)out)[i] = ((const float4 *)a)[i];
    if (i < n % 4) // up to three elements are left at the end
        out[n - 1 - i] = a[n - 1 - i];
}

static void launch_copy(const struct arrays *x, unsigned block, size_t) {
    copy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_copy_by_four(const struct arrays *x, unsigned block, size_t) {
    copy_by_four<<<blocks((x->n + 3) / 4, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

enum { VARIANTS = 2 };
static const struct variant variants[VARIANTS] = {
    {"copy", launch_copy, copy_reference, 256, 0, 8, 0, 0, "right, if used rightly"},
    {"copy_by_four", launch_copy_by_four, copy_reference, 256, 0, 8, 0, 0, "likewise"},
};

static void print_code(const char *what, const char *call, int code, int expected) {
    print_value(what, 0, call, code, code == expected);
}

// ---- Mistakes ----------------------------------------------------------------------------------
// The error sticks, so each has a process of its own.
static void write_to_null(float *, float *a) { copy<<<1, 1>>>(NULL, a, 1); }
static void misaligned(float *out, float *a) { copy_by_four<<<1, 1>>>(out, a + 1, 4); }
static void nothing_wrong(float *out, float *a) { copy<<<1, 1>>>(out, a, 1); }
static void false_assert(float *out, float *a) {
    CUDA_CHECK(cudaMemset(a, 0xBF, sizeof *a)); // as a float: about -1.5
    copy<<<1, 1>>>(out, a, 1);
}

static const struct {
    const char *name, *environment;
    void (*launch)(float *out, float *a);
    int at_launch, later; // codes
} mistakes[] = {
    {"write to NULL", "", write_to_null, 0, 700},
    {"same, CUDA_LAUNCH_BLOCKING=1", "CUDA_LAUNCH_BLOCKING=1", write_to_null, 700, 700},
    {"float4 from a + 1", "", misaligned, 0, 716},
    {"assert that is false", "", false_assert, 0, 710},
    {"nothing, in a new process", "", nothing_wrong, 0, 0},
};
enum { MISTAKES = (int)(sizeof mistakes / sizeof mistakes[0]) };

// What the child asks after the launch, and prints for its parent.
enum { CALLS = 5 };
static const char *const calls[CALLS] = {"after the launch", "copy of other data",
                                         "cudaGetLastError", "cudaMalloc", "after a right launch"};

static void CUDART_CB busy(void *) { usleep(50000); }

static int child(int mistake, int device) {
    float *d, h; // three times 16 floats
    void *more;
    CUDA_CHECK(cudaSetDevice(device));
    CUDA_CHECK(cudaMalloc((void **)&d, 3 * 64));
    CUDA_CHECK(cudaMemset(d, 0, 3 * 64));
    CUDA_CHECK(cudaLaunchHostFunc(0, busy, NULL)); // 50 ms, so that the kernel has not begun
    mistakes[mistake].launch(d, d + 16);
    printf("%d\n", cudaGetLastError());
    printf("%d\n", cudaMemcpy(&h, d + 32, sizeof h, cudaMemcpyDeviceToHost));
    printf("%d\n", cudaGetLastError());
    printf("%d\n", cudaMalloc(&more, 64));
    copy<<<1, 1>>>(d, d + 16, 1);
    printf("%d\n", cudaGetLastError());
    printf("%d ", cudaDeviceReset());
    printf("%d\n", cudaMalloc(&more, 64));
    return 0;
}

// A forked child could not use CUDA. popen starts this program afresh, with a context of its own.
// Returns 1 if the copy was the first to report an error.
static int in_a_child(int mistake) {
    char command[128];
    int codes[CALLS], reset = -1, after = -1;
    // EAGER: otherwise the first launch loads its kernel, and that might wait for busy().
    snprintf(command, sizeof command,
             "CUDA_MODULE_LOADING=EAGER %s exec \"$THIS_PROGRAM\" --child %d %zu",
             mistakes[mistake].environment, mistake, run.device_number);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        perror("popen"), exit(3);
    for (int call = 0; call < CALLS; call++) {
        int expected = call == 0 ? mistakes[mistake].at_launch : mistakes[mistake].later;
        if (fscanf(pipe, "%d", &codes[call]) != 1)
            codes[call] = -1; // the child did not get there
        print_code(mistakes[mistake].name, calls[call], codes[call], expected);
    }
    if (fscanf(pipe, "%d%d", &reset, &after) == 2)
        say("  cudaDeviceReset returned %d, cudaMalloc after it %d", reset, after);
    pclose(pipe);
    return codes[0] == 0 && codes[1] != 0;
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--child") == 0 && (unsigned)atoi(argv[2]) < MISTAKES)
        return child(atoi(argv[2]), atoi(argv[3]));
    run_begin(argc, argv, "03_bandwidth/crashes",
              "The call that reports an error is not always the call that failed.",
              "variant parameter value check", NULL, HAS_ERRORS);
    check_sizes(variants, VARIANTS);
    int unnoticed = 0;
    struct arrays x = arrays_create(1003);
    for (int i = 0; i < VARIANTS; i++)
        print_code(variants[i].name, "used rightly", 0, variant_try(&variants[i], &x) ? 0 : -1);
    arrays_free(&x);
    setenv("THIS_PROGRAM", argv[0], 1);
    for (int i = 0; i < MISTAKES && run.errors; i++)
        unnoticed += in_a_child(i);
    if (run.errors)
        finding("unnoticed", unnoticed,
                "%d of %d kernels went wrong unnoticed until a copy of other data reported it.",
                unnoticed, MISTAKES - 1);
    else
        say("With --errors it makes these mistakes, and shows which call reports them.");
    return run_end();
}
