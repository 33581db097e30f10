// Two ways to global memory, the device's DRAM: a __device__ variable, which every kernel of the
// file can name and which is there from start to end, and cudaMalloc, which gives a pointer to pass
// on and is there until cudaFree.
//
//     nvcc -O3 -arch=native 1_global_memory.cu && ./a.out
//     ../../cudacc/cudacc -O2 1_global_memory.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/variants.h"

enum { TABLE = 256, N = 10007 };

// Scope: this file, like any C variable that is not in a function. No host code may touch it by
// name, except cudaMemcpyToSymbol and related functions.
__device__ int globalArray[TABLE];

// The second kind can be reached like the first: with its address in a __device__ variable.
__device__ int *globalPointer;

// ---- Kernels -----------------------------------------------------------------------------------
__host__ __device__ static int table_value(size_t i) { return (int)(i * i % 1009); }

// All three do the same; they differ in how they find the table. Expect the same result.
__global__ void add_named(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + (float)globalArray[i % TABLE];
}

__global__ void add_handed_on(float *out, const float *a, const int *table, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + (float)table[i % TABLE];
}

__global__ void add_pointed_to(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + (float)globalPointer[i % TABLE];
}

__global__ void fill_named(void) { globalArray[threadIdx.x] = table_value(threadIdx.x); }

__global__ void fill_handed_on(int *table) { table[threadIdx.x] = table_value(threadIdx.x); }

// It has no parameter. Expect what the launch before it left, and one more.
__global__ void count_up(void) { globalArray[threadIdx.x]++; }

static void launch_named(const struct arrays *x, unsigned block, size_t) {
    fill_named<<<1, TABLE>>>();
    add_named<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_handed_on(const struct arrays *x, unsigned block, size_t) {
    int *d_table;
    CUDA_CHECK(cudaMalloc((void **)&d_table, TABLE * sizeof(int)));
    fill_handed_on<<<1, TABLE>>>(d_table);
    add_handed_on<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, d_table, x->n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFree(d_table)); // waits for the kernel: from here on the pointer is void
}

static void launch_pointed_to(const struct arrays *x, unsigned block, size_t) {
    int *d_table;
    CUDA_CHECK(cudaMalloc((void **)&d_table, TABLE * sizeof(int)));
    CUDA_CHECK(cudaMemcpyToSymbol(globalPointer, &d_table, sizeof d_table));
    fill_handed_on<<<1, TABLE>>>(d_table);
    add_pointed_to<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFree(d_table));
}

// ---- Reference ---------------------------------------------------------------------------------
static void add_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + (float)table_value(i % TABLE);
}

enum { VARIANTS = 3 };
static const struct variant variants[VARIANTS] = {
    {"__device__ array", launch_named, add_reference, 256, 0, 8, 1, 0, "named, not passed"},
    {"cudaMalloc", launch_handed_on, add_reference, 256, 0, 8, 1, 0, "a parameter"},
    {"__device__ pointer", launch_pointed_to, add_reference, 256, 0, 8, 1, 0, "found by its name"},
};

// ---- Scope and lifetime ------------------------------------------------------------------------
// Launches count_up so often, then prints a row for what all elements of globalArray should be.
static void check_array(const char *when, int launches, int expected) {
    int h_array[TABLE], right = 1;
    for (int i = 0; i < launches; i++)
        count_up<<<1, TABLE>>>();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyFromSymbol(h_array, globalArray, sizeof h_array));
    for (int i = 0; i < TABLE; i++)
        right &= h_array[i] == expected;
    print_value("globalArray", 0, when, h_array[TABLE - 1], right);
}

static void show_lifetime(void) {
    int h_array[TABLE], *d_array;
    size_t bytes;
    CUDA_CHECK(cudaGetSymbolSize(&bytes, globalArray));
    print_value("globalArray", 0, "bytes", (double)bytes, bytes == TABLE * sizeof(int));
    check_array("at the start", 0, 0); // as C promises for its variables
    check_array("after a launch", 1, 1);
    check_array("after two more", 2, 3);
    for (int i = 0; i < TABLE; i++)
        h_array[i] = 40;
    CUDA_CHECK(cudaMemcpyToSymbol(globalArray, h_array, sizeof h_array));
    check_array("written by the host", 1, 41);
    // Once the host has its address, it is memory like any other.
    CUDA_CHECK(cudaGetSymbolAddress((void **)&d_array, globalArray));
    CUDA_CHECK(cudaMemset(d_array, 0, sizeof h_array));
    check_array("cleared by address", 1, 1);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "05_coalescing/global_memory",
              "A __device__ variable and cudaMalloc are two ways to the same memory, with other "
              "lifetimes.",
              "variant parameter value check", NULL, NO_ERRORS);
    check_sizes(variants, VARIANTS);
    show_lifetime(); // first: afterwards the array is not new any more
    struct arrays x = arrays_create(N);
    for (int i = 0; i < VARIANTS; i++)
        print_value(variants[i].name, 0, "elements added", N, variant_try(&variants[i], &x));
    arrays_free(&x);
    if (!run.failed_rows)
        say("globalArray was there before the first launch and kept its values from one launch to "
            "the next.\nWhat cudaMalloc gave was there until cudaFree, for any kernel that had the "
            "address.");
    return run_end();
}
