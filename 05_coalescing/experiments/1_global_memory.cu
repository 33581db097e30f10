// Two ways to global memory, the device's DRAM: a __device__ variable, which every kernel of the
// file can name and which is there from start to end, and cudaMalloc, which gives a pointer to be
// handed on and is there until cudaFree.
//
//     nvcc -O3 1_global_memory.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 1_global_memory.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"

enum { TABLE = 256, N = 10007 };

// Scope: this file, like any C variable that is not in a function. No host code may touch it by
// name, except in the cudaMemcpyToSymbol family.
__device__ int globalArray[TABLE];

// The second kind can be reached like the first: with its address in a __device__ variable.
__device__ int *globalPointer;

// ---- Reference ---------------------------------------------------------------------------------
__host__ __device__ static int table_value(size_t i) { return (int)(i * i % 1009); }

static void add_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + (float)table_value(i % TABLE);
}

// ---- Kernels -----------------------------------------------------------------------------------
// All do the same; they differ in how they come by the table. Expect the same result.
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

// Nobody hands it anything. Expect what the launch before has left, and one more.
__global__ void count_up(void) { globalArray[threadIdx.x]++; }

static void launch_named(float *out, const float *a, const float *, size_t n) {
    fill_named<<<1, TABLE>>>();
    if (n > 0)
        add_named<<<blocks(n, 256), 256>>>(out, a, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_handed_on(float *out, const float *a, const float *, size_t n) {
    int *d_table;
    CUDA_CHECK(cudaMalloc((void **)&d_table, TABLE * sizeof(int)));
    fill_handed_on<<<1, TABLE>>>(d_table);
    if (n > 0)
        add_handed_on<<<blocks(n, 256), 256>>>(out, a, d_table, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFree(d_table)); // waits for the kernel: from here on the pointer is void
}

static void launch_pointed_to(float *out, const float *a, const float *, size_t n) {
    int *d_table;
    CUDA_CHECK(cudaMalloc((void **)&d_table, TABLE * sizeof(int)));
    CUDA_CHECK(cudaMemcpyToSymbol(globalPointer, &d_table, sizeof d_table));
    fill_handed_on<<<1, TABLE>>>(d_table);
    if (n > 0)
        add_pointed_to<<<blocks(n, 256), 256>>>(out, a, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFree(d_table));
}

static const struct variant variants[] = {
    {"__device__ array", launch_named, add_reference, 8, 1, 0, "no parameter for the table"},
    {"cudaMalloc", launch_handed_on, add_reference, 8, 1, 0, "a parameter"},
    {"__device__ pointer", launch_pointed_to, add_reference, 8, 1, 0, "found by its name"},
};
enum { VARIANTS = (int)(sizeof variants / sizeof variants[0]) };

// ---- Scope and lifetime ------------------------------------------------------------------------
static void print_row(struct run *run, const char *variant, const char *what, double value,
                      int right) {
    struct row row = run_row(run, variant);
    row.parameter = what;
    row.value = value;
    row.check = right ? "ok" : "FAIL";
    run_print(run, &row);
}

// Row of what all elements of globalArray should now be.
static void check_array(struct run *run, const char *when, int expected) {
    int h_array[TABLE], right = 1;
    CUDA_CHECK(cudaMemcpyFromSymbol(h_array, globalArray, sizeof h_array));
    for (int i = 0; i < TABLE; i++)
        right &= h_array[i] == expected;
    print_row(run, "globalArray", when, h_array[TABLE - 1], right);
}

static void launch_count_up(void) {
    count_up<<<1, TABLE>>>();
    CUDA_CHECK(cudaGetLastError());
}

static void show_lifetime(struct run *run) {
    int h_array[TABLE], *d_array;
    size_t bytes;
    CUDA_CHECK(cudaGetSymbolSize(&bytes, globalArray));
    print_row(run, "globalArray", "bytes", (double)bytes, bytes == TABLE * sizeof(int));
    check_array(run, "at the start", 0); // as C promises for its own
    launch_count_up();
    check_array(run, "after a launch", 1);
    launch_count_up();
    launch_count_up();
    check_array(run, "after two more", 3);
    for (int i = 0; i < TABLE; i++)
        h_array[i] = 40;
    CUDA_CHECK(cudaMemcpyToSymbol(globalArray, h_array, sizeof h_array));
    launch_count_up();
    check_array(run, "written by the host", 41);
    // Asked for its address, it is memory like any other.
    CUDA_CHECK(cudaGetSymbolAddress((void **)&d_array, globalArray));
    CUDA_CHECK(cudaMemset(d_array, 0, sizeof h_array));
    launch_count_up();
    check_array(run, "cleared by address", 1);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "05_coalescing",
    "global_memory",
    "A __device__ variable and cudaMalloc are two ways to the same memory, with other lifetimes.",
    "variant parameter value check",
    NULL,
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    show_lifetime(&run); // first: afterwards the array is not new any more
    struct arrays arrays = arrays_create(N);
    for (int i = 0; i < VARIANTS; i++)
        print_row(&run, variants[i].name, "elements added", N, variant_try(&variants[i], &arrays));
    arrays_free(&arrays);
    if (!run.failed_rows)
        run_say(&run,
                "globalArray was there before the first launch and kept its values from one launch "
                "to the next.\nWhat cudaMalloc gave was there until cudaFree, for whoever had the "
                "address.");
    return run_end(&run);
}
