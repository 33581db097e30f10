// A call that CUDA refuses says so itself, and all goes on: the error passes. A launch has no
// return value, so its refusal waits for the next cudaGetLastError(), wherever that stands.
//
//     nvcc -O3 -arch=native 7_errors.cu && ./a.out --errors
//     ../../cudacc/cudacc -O2 7_errors.cu && ./a.out --errors   (no GPU)
//
// Without --errors nothing is done wrong: names, texts and the kernels' right use are checked.
// SPDX-License-Identifier: MIT
#include "../../common/experiment/variants.h"

enum { N = 1003, TOO_MANY = 2048 }; // threads: no device allows more than 1024 in a block

// ---- Kernel ------------------------------------------------------------------------------------
__global__ void copy(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i];
}

static void launch_copy(const struct arrays *x, unsigned block, size_t) {
    copy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"copy", launch_copy, copy_reference, 256, 0, 8, 0, 0, "right, if used rightly"},
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
    print_value(what, 0, call, code, code == expected);
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

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "03_bandwidth/errors",
              "A call that is refused says so itself; a launch only to cudaGetLastError().",
              "variant parameter value check", NULL, HAS_ERRORS);
    check_sizes(variants, 1);
    struct arrays x = arrays_create(N);
    print_code("copy", "used rightly", 0, variant_try(variants, &x) ? 0 : -1);
    arrays_free(&x);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int right = strcmp(cudaGetErrorName(known[i].code), known[i].name) == 0 &&
                    strcmp(cudaGetErrorString(known[i].code), known[i].text) == 0;
        print_code(known[i].name, known[i].then, known[i].code, right ? known[i].code : -1);
    }
    if (run.errors)
        refused();
    else
        say("With --errors it makes these mistakes, and shows which call reports them.");
    return run_end();
}
