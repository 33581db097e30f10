// The call that reports an error is not always the call that failed. A call that CUDA refuses says
// so itself, and all goes on. A kernel that goes wrong is reported later, by whatever call comes
// next; from then on every call fails, and only a new process has the device again.
//
//     nvcc -O3 4_errors.cu && ./a.out --errors
//     ../../common/cpu_device/cudacc -O2 4_errors.cu && ./a.out --errors   (no GPU)
//
// Without --errors nothing is done wrong: names, texts and the kernels' right use are checked.
// SPDX-License-Identifier: MIT
#undef NDEBUG // with it the kernel's assert would be gone
#include <assert.h>
#include <unistd.h>
#include "../../common/variants.h"

enum { N = 1003, TOO_MANY = 2048 }; // threads: no device allows more than 1024 in a block

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

static void copy_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

enum { VARIANTS = 2 };
static const struct variant variants[VARIANTS] = {
    {"copy", launch_copy, copy_reference, 256, 0, 8, 0, 0, "right, if used rightly"},
    {"copy_by_four", launch_copy_by_four, copy_reference, 256, 0, 8, 0, 0, "likewise"},
};

// ---- Names -------------------------------------------------------------------------------------
static const struct {
    cudaError_t code;
    const char *name, *text, *then; // what becomes of it
} known[] = {
#define KNOWN(code, text, then)                                                                    \
    { code, #code, text, then }
    KNOWN(cudaErrorInvalidValue, "invalid argument", "passes"),
    KNOWN(cudaErrorMemoryAllocation, "out of memory", "passes"),
    KNOWN(cudaErrorInvalidConfiguration, "invalid configuration argument", "passes"),
    KNOWN(cudaErrorIllegalAddress, "an illegal memory access was encountered", "sticks"),
    KNOWN(cudaErrorAssert, "device-side assert triggered", "sticks"),
    KNOWN(cudaErrorMisalignedAddress, "misaligned address", "sticks"),
};

static void print_code(const char *what, const char *call, int code, int expected) {
    struct row row = row_of(what);
    row.parameter = call;
    row.value = code;
    row.check = code == expected ? "ok" : "FAIL";
    print_row(&row);
}

// ---- Calls that are refused: the error passes --------------------------------------------------
static void refused(void) {
    const char *what = "out of memory";
    size_t free_bytes, total_bytes;
    float one = 1, *d = NULL;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    print_code(what, "cudaMalloc", cudaMalloc((void **)&d, 2 * total_bytes), 2);
    say("  %zu bytes asked, %zu free", 2 * total_bytes, free_bytes);
    print_code(what, "a smaller cudaMalloc", cudaMalloc((void **)&d, sizeof one), 0);
    print_code(what, "cudaGetLastError", cudaGetLastError(), 2); // it remembers
    print_code(what, "cudaGetLastError", cudaGetLastError(), 0); // until it is asked
    what = "copy to NULL";
    CUDA_CHECK(cudaMemset(d, 0, sizeof one));
    print_code(what, "cudaMemcpy", cudaMemcpy(NULL, &one, 4, cudaMemcpyHostToDevice), 1);
    print_code(what, "cudaGetLastError", cudaGetLastError(), 1);
    what = "2048 threads in a block";
    copy<<<1, TOO_MANY>>>(d, d, 1);
    print_code(what, "cudaDeviceSynchronize", cudaDeviceSynchronize(), 0); // nothing ran
    copy<<<1, 1>>>(d, d, 1);
    int code = cudaGetLastError(); // CUDA documents 9; CUDA 13.0 on an H200 returned 1
    print_code(what, "after a right launch", code, code == 1 ? 1 : 9);
    print_code(what, "cudaGetLastError", cudaGetLastError(), 0);
    CUDA_CHECK(cudaFree(d));
}

// ---- Kernels that go wrong: the error sticks, so each has a process of its own -----------------
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
static const char *const calls[] = {"after the launch", "copy of other data", "cudaGetLastError",
                                    "cudaMalloc", "after a right launch"};
enum { CALLS = (int)(sizeof calls / sizeof calls[0]) };

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
    run_begin(argc, argv, "03_bandwidth/errors",
              "The call that reports an error is not always the call that failed.",
              "variant parameter value check", NULL, HAS_ERRORS);
    if (check_sizes(variants, VARIANTS))
        return run_end();
    struct arrays x = arrays_create(N);
    int unnoticed = 0;
    for (int i = 0; i < VARIANTS; i++)
        print_code(variants[i].name, "used rightly", 0, variant_try(&variants[i], &x) ? 0 : -1);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int right = strcmp(cudaGetErrorName(known[i].code), known[i].name) == 0 &&
                    strcmp(cudaGetErrorString(known[i].code), known[i].text) == 0;
        print_code(known[i].name, known[i].then, known[i].code, right ? known[i].code : -1);
    }
    arrays_free(&x);
    if (run.errors) {
        refused();
        setenv("THIS_PROGRAM", argv[0], 1);
        for (int i = 0; i < MISTAKES; i++)
            unnoticed += in_a_child(i);
        finding("unnoticed", unnoticed,
                "%d of %d kernels went wrong unnoticed until a copy of other data reported it.",
                unnoticed, MISTAKES - 1);
    } else {
        say("With --errors it makes these mistakes, and shows which call reports them.");
    }
    return run_end();
}
