// SPDX-License-Identifier: MIT
// Kernels: calls that launch, built-in variables, shared memory and barriers, function queries.
// The same file passes on a GPU and on the CPU device.
#include "../../../tests/lib/device.h"

static int *d_cells, h_cells[4096];
static const cudaFuncAttribute dynamic = cudaFuncAttributeMaxDynamicSharedMemorySize,
                               carveout = cudaFuncAttributePreferredSharedMemoryCarveout;

static const int *results(void) {
    works(cudaGetLastError(), "launched");
    works(cudaDeviceSynchronize(), "done");
    must(cudaMemcpy(h_cells, d_cells, sizeof h_cells, TO_HOST));
    must(cudaMemset(d_cells, 0, sizeof h_cells));
    return h_cells;
}

// ---- Forms of a launch ----

struct pair {
    int first;
    double second;
};

__global__ void store(int *cells, int value) {
    cells[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
void __global__ store_pair(int *cells, struct pair p) { *cells = p.first + (int)p.second; }
template <typename T> __global__ void store_as(int *cells, T value) { *cells = (int)(value * 2); }
extern "C" __global__ void store_c(int *cells) { *cells = 77; }
static __global__ void store_static(int *cells, int value = 5) { *cells = value; }

TEST(launches) {
    STREAM(stream);

    store<<<2, 3>>>(d_cells, 1);
    ok(results()[0] == 1 && h_cells[5] == 1 && h_cells[6] == 0, "<<<2, 3>>>");
    store<<<dim3(2), dim3(3, 1, 1), 0, stream>>>(d_cells, 2);
    ok(results()[5] == 2 && h_cells[6] == 0, "<<<dim3, dim3, 0, stream>>>");
    store_pair<<<1, 1>>>(d_cells, (struct pair){4, 5.5});
    ok(results()[0] == 9, "a struct as argument");
    store_c<<<1, 1>>>(d_cells);
    ok(results()[0] == 77, "extern \"C\"");
    store_static<<<1, 1>>>(d_cells);
    ok(results()[0] == 5, "a default argument");
    int value = 11;
    void *arguments[] = {&d_cells, &value};
    works(cudaLaunchKernel((const void *)store, 2, 2, arguments, 0, stream), "cudaLaunchKernel");
    ok(results()[3] == 11 && h_cells[4] == 0, "does the same");
#if CUDART_VERSION >= 11080
    cudaLaunchAttribute wish = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = 2, config.blockDim = 2, config.stream = stream;
    works(cudaLaunchKernelExC(&config, (const void *)store, arguments), "cudaLaunchKernelExC");
    ok(results()[3] == 11 && h_cells[4] == 0, "as well");
    wish.id = cudaLaunchAttributePriority, wish.val.priority = -1;
    config.attrs = &wish, config.numAttrs = 1;
    works(cudaLaunchKernelEx(&config, store_as<short>, d_cells, 12L), "cudaLaunchKernelEx");
    ok(results()[0] == 24 && h_cells[1] == 0, "arguments get the types of a template's parameters");
    config.blockDim = 2048;
    fails(cudaLaunchKernelEx(&config, store, d_cells, value), "2048 threads");
#else
    skip("cudaLaunchKernelEx is of CUDA 11.8");
#endif

    value = 12;
    store<<<1, 1>>>(d_cells, value);
    value = 13;
    ok(results()[0] == 12, "arguments are copied at the launch");
}

// ---- Built-in variables ----

__global__ void record_indices(int *cells) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    cells[block * (blockDim.x * blockDim.y * blockDim.z) + thread] +=
        100000 * threadIdx.x + 10000 * threadIdx.y + 1000 * threadIdx.z + 100 * blockIdx.x +
        10 * blockIdx.y + blockIdx.z;
}

__global__ void count_threads(unsigned long long *total) {
    atomicAdd(total, (unsigned long long)blockDim.x * (warpSize == 32));
}

TEST(built_in_variables) {
    dim3 grid(2, 3, 4), block(4, 3, 2);
    int wrong = 0;
    record_indices<<<grid, block>>>(d_cells);
    const int *h = results();
    for (int i = 0; i < 24 * 24; i++) {
        int x = i % 4, y = i / 4 % 3, z = i / 12 % 2, b = i / 24;
        wrong += h[i] != 100000 * x + 10000 * y + 1000 * z + b % 2 * 100 + b / 2 % 3 * 10 + b / 6;
    }
    ok(wrong == 0, "every thread of a 3-D grid ran once, with its own indices");

    MEMORY(unsigned long long, d_total, sizeof *d_total);
    must(cudaMemset(d_total, 0, sizeof *d_total));
    count_threads<<<100000, 1>>>(d_total);
    count_threads<<<1, 1024>>>(d_total);
    must(cudaGetLastError());
    const unsigned long long total = value_at(d_total);
    ok(total == 100000 + 1024ull * 1024, "100000 blocks, and blocks of 1024: %llu", total);
}

// ---- Shared memory ----

__global__ void reverse_static(int *cells) {
    __shared__ int buffer[256];
    int *mine = cells + blockIdx.x * blockDim.x;
    buffer[threadIdx.x] = mine[threadIdx.x] + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    __syncthreads();
    mine[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void sum_dynamic(int *cells, int n) {
    extern __shared__ int partial[];
    partial[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        partial[threadIdx.x] += i;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        cells[blockIdx.x] = partial[0] + (int)blockIdx.x;
}

// Of each kernel, whatever others of the file have: the first __shared__ variable fits an int4, and
// one behind as many bytes as that takes.
__global__ void keep_one_each(int *cells) {
    __shared__ char odd[3];
    if (threadIdx.x == 0)
        odd[2] = (char)cells[0];
    __syncthreads();
    cells[threadIdx.x] = odd[2];
}

__global__ void move_fours(int *cells) {
    __shared__ int in[2][32], out[64], more[3];
    int4 *mine = (int4 *)&in[threadIdx.x / 8][threadIdx.x % 8 * 4];
    *mine = make_int4(cells[threadIdx.x], 2, 3, (int)threadIdx.x);
    more[threadIdx.x % 3] = 1;
    ((int4 *)out)[15 - threadIdx.x] = *mine;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        cells[4 * threadIdx.x + i] = out[4 * threadIdx.x + i] + more[i % 3];
}

template <typename T> __global__ void move_rows(T *cells) {
    __shared__ T in[64], out[64];
    __shared__ char last;
    ((int4 *)in)[threadIdx.x] = make_int4(1, 2, (int)threadIdx.x, 4);
    last = 1;
    ((int4 *)out)[threadIdx.x] = ((int4 *)in)[threadIdx.x];
    for (int i = 0; i < 4; i++)
        cells[4 * threadIdx.x + i] = out[4 * threadIdx.x + i] + last;
}

TEST(shared_memory) {
    int wrong = 0;
    keep_one_each<<<1, 16>>>(d_cells);
    move_fours<<<1, 16>>>(d_cells);
    ok(results()[63] == 1 && h_cells[1] == 3, "16 bytes at once into arrays of 4 bytes each");
    move_rows<<<1, 16>>>(d_cells);
    ok(results()[62] == 16 && h_cells[0] == 2, "and of a template");
    reverse_static<<<4, 256>>>(d_cells);
    const int *h = results();
    for (int i = 0; i < 1024; i++)
        wrong += h[i] != i / 256 * 256 + 255 - i % 256;
    ok(wrong == 0, "a block reverses its elements through static shared memory");

    sum_dynamic<<<3, 128, 128 * sizeof(int)>>>(d_cells, 1000);
    ok(results()[0] == 499500 && h_cells[2] == 499502 && h_cells[3] == 0, "dynamic: a tree sum");
}

// ---- Questions about a kernel ----

template <int a, int b> struct larger {
    enum { value = a > b ? a : b };
};

__global__ void __launch_bounds__(larger<64, 128>::value, 2) bounded(int *cells) {
    __shared__ int buffer[256];
    buffer[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    cells[threadIdx.x] = buffer[127 - threadIdx.x];
}

TEST(queries) {
    cudaFuncAttributes attributes;
    works(cudaFuncGetAttributes(&attributes, bounded), "cudaFuncGetAttributes");
    equals(128, attributes.maxThreadsPerBlock, "threads as __launch_bounds__ says");
    equals(1024, attributes.sharedSizeBytes, "bytes of static shared memory");
    works(cudaFuncGetAttributes(&attributes, (const void *)store), "also through a plain pointer");
    equals(1024, attributes.maxThreadsPerBlock, "threads");
#ifdef __CUDACC_CPU__
    skip("the CPU device takes every function for a kernel: it cannot list a template's");
#else
    fails(cudaFuncGetAttributes(&attributes, (const void *)results), "what is no kernel has none");
#endif
    no_handle(cudaFuncGetAttributes(&attributes, (const void *)&attributes), "nor has data");
    (void)cudaGetLastError();
    bounded<<<1, 128>>>(d_cells);
    ok(results()[0] == 127 && h_cells[127] == 0, "the kernel itself");
}

// ---- Static and dynamic shared memory of one kernel: 48 KiB together, unless it is set ----

__device__ int sum_of_two(int value) {
    __shared__ int pair[4];
    if (threadIdx.x < 4)
        pair[threadIdx.x] = value;
    __syncthreads();
    return pair[0] + pair[1];
}

template <typename T> __global__ void fill_both(int *cells) {
    __shared__ T fixed[2048];
    extern __shared__ int further[];
    fixed[threadIdx.x] = (T)threadIdx.x;
    further[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    cells[threadIdx.x] =
        (int)fixed[31 - threadIdx.x] + further[31 - threadIdx.x] + sum_of_two((int)threadIdx.x / 2);
}

template <typename T> static void fills(size_t bytes, cudaError_t expected) {
    fill_both<T><<<1, 32, bytes>>>(d_cells);
    gives(expected, cudaGetLastError(), "%zu bytes", bytes);
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(h_cells, d_cells, sizeof h_cells, TO_HOST));
    ok(expected ? h_cells[0] == 0 : h_cells[0] > 60, expected ? "it did not run" : "it ran");
    must(cudaMemset(d_cells, 0, sizeof h_cells));
}

TEST(limits) {
    enum { ALL = 48 << 10, FLOATS = 8192 + 16, DOUBLES = 16384 + 16 };
    cudaFuncAttributes attributes;
    const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    must(cudaFuncGetAttributes(&attributes, fill_both<double>));
    equals(DOUBLES, attributes.sharedSizeBytes, "bytes that a kernel and its function have");
    equals(ALL - DOUBLES, attributes.maxDynamicSharedSizeBytes, "the launch may have the others");
    fills<float>(ALL - FLOATS, cudaSuccess);
    fills<float>(ALL - FLOATS + 1, cudaErrorInvalidValue);
    fills<double>(ALL - DOUBLES, cudaSuccess);
    fills<double>(ALL - DOUBLES + 1, cudaErrorInvalidValue);

    invalid(cudaFuncSetAttribute(fill_both<double>, dynamic, most),
            "all that a block may have is too much beside what the kernel has");
    works(cudaFuncSetAttribute(fill_both<double>, dynamic, most - DOUBLES), "the rest is not");
    fills<double>((size_t)most - DOUBLES, cudaSuccess);
    works(cudaFuncSetAttribute(fill_both<double>, dynamic, 1000), "less than by default");
    must(cudaFuncGetAttributes(&attributes, fill_both<double>));
    ok(attributes.maxDynamicSharedSizeBytes == 1000, "is what it may then have");
    fills<double>(1000, cudaSuccess);
    fills<double>(1001, cudaErrorInvalidValue);
}

// ---- Settings of a kernel ----

template <typename T> __global__ void reverse_at_end(T *cells, int bytes) {
    extern __shared__ int room[];
    T *last = (T *)room + bytes / sizeof(T) - blockDim.x;
    last[threadIdx.x] = (T)threadIdx.x;
    __syncthreads();
    cells[threadIdx.x] = last[blockDim.x - 1 - threadIdx.x];
}

// A launch that deduces which of the templates it means, before and after one has been set.
static void much(int most) {
    reverse_at_end<<<1, 64, most>>>(d_cells, most);
    invalid(cudaGetLastError(), "%d bytes without asking", most);
    works(cudaFuncSetAttribute(reverse_at_end<int>, dynamic, most), "a template's instance may");
    reverse_at_end<<<1, 64, most>>>(d_cells, most);
    ok(results()[0] == 63 && h_cells[63] == 0, "to their last byte");
    reverse_at_end<<<1, 64, most + 1>>>(d_cells, most);
    invalid(cudaGetLastError(), "and no more");
}

static const void *const no_kernel = NULL;
static const cudaError_t no_function = cudaErrorInvalidDeviceFunction;

TEST(settings) {
    cudaFuncAttributes attributes;
    const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    works(cudaFuncSetAttribute(sum_dynamic, dynamic, most), "all that a block may have");
    must(cudaFuncGetAttributes(&attributes, sum_dynamic));
    ok(attributes.maxDynamicSharedSizeBytes == most, "is remembered");
    sum_dynamic<<<2, 128, most>>>(d_cells, 1000);
    ok(results()[0] == 499500 && h_cells[1] == 499501, "and can be had");
    invalid(cudaFuncSetAttribute(sum_dynamic, dynamic, most + 1), "a byte more cannot");
    much(most);
    invalid(cudaFuncSetAttribute(sum_dynamic, dynamic, -1), "nor less than nothing");

    static const int shares[] = {0, 50, 100, cudaSharedmemCarveoutDefault};
    for (int i = 0; i < 4; i++) {
        works(cudaFuncSetAttribute(store, carveout, shares[i]), "%d %% of the cache", shares[i]);
        must(cudaFuncGetAttributes(&attributes, store));
        ok(attributes.preferredShmemCarveout == shares[i], "are preferred");
    }
    invalid(cudaFuncSetAttribute(store, carveout, 101), "more than all of it");
    invalid(cudaFuncSetAttribute(store, carveout, -2), "or less than the default");
    invalid(cudaFuncSetAttribute(store, (cudaFuncAttribute)99, 1), "no such attribute");
    gives(no_function, cudaFuncSetAttribute(no_kernel, carveout, 50), "no kernel to set it for");
    no_handle(cudaFuncSetAttribute((const void *)&attributes, dynamic, 1024), "nor for data");
    (void)cudaGetLastError();
}

TEST(preferences) {
    for (int i = cudaFuncCachePreferNone; i <= cudaFuncCachePreferEqual; i++)
        works(cudaFuncSetCacheConfig(store, (cudaFuncCache)i), "cudaFuncSetCacheConfig(%d)", i);
    for (int i = cudaSharedMemBankSizeDefault; i <= cudaSharedMemBankSizeEightByte; i++)
        works(cudaFuncSetSharedMemConfig(store, (cudaSharedMemConfig)i), "size of banks: %d", i);
    invalid(cudaFuncSetCacheConfig(store, (cudaFuncCache)99), "no such preference");
    invalid(cudaFuncSetSharedMemConfig(store, (cudaSharedMemConfig)99), "no such size of banks");
    gives(no_function, cudaFuncSetCacheConfig(no_kernel, cudaFuncCachePreferNone), "no kernel");
    gives(no_function, cudaFuncSetSharedMemConfig(no_kernel, (cudaSharedMemConfig)0), "nor banks");
    store<<<1, 1>>>(d_cells, 8);
    ok(results()[0] == 8, "whatever is preferred, the kernel runs");
}

// ---- Occupancy ----

static size_t a_word_for_each(int threads) { return threads * sizeof(int); }

static int blocks_that_fit(int threads, size_t bytes, unsigned flags) {
    int blocks = -1;
    works(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, store, threads, bytes,
                                                                 flags),
          "occupancy with flags");
    return blocks;
}

TEST(occupancy) {
    int blocks = 0, same = -1, grid = 0, block = 0, grid_again = -1, block_again = -1;
    size_t few = 0, many = 0;
    works(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store, 256, 0), "occupancy");
    equals(blocks, blocks_that_fit(256, 0, cudaOccupancyDefault), "that change nothing");
    ok(blocks_that_fit(256, 0, cudaOccupancyDisableCachingOverride) >= 1, "no caching override");
    equals(0, blocks_that_fit(2048, 0, 0), "a block that is too large fits nowhere");
    equals(0, blocks_that_fit(256, 1 << 30, 0), "nor one that asks for too much shared memory");
    works(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_static, 64, 64 << 10),
          "a kernel that has not asked for so much");
    ok(blocks == 0, "cannot have it");
    must(cudaFuncSetAttribute(store_static, dynamic, 64 << 10));
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_static, 64, 64 << 10));
    ok(blocks >= 1, "one that has: %d blocks", blocks);
    invalid(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, store, 0, 0, 0),
            "a block without threads");
    invalid(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, store, 256, 0, 64),
            "no such flag");
    no_handle(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&same, (const void *)&same, 256, 0),
              "no kernel but data");

    works(cudaOccupancyAvailableDynamicSMemPerBlock(&few, store, 4, 128), "shared memory for 4");
    works(cudaOccupancyAvailableDynamicSMemPerBlock(&many, store, 8, 128), "and for 8 blocks");
    ok(many > 0 && few >= many, "the fewer they are, the more for each: %zu, %zu", few, many);

    works(cudaOccupancyMaxPotentialBlockSize(&grid, &block, store, 0, 0), "best block size");
    works(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid_again, &block_again, store, 0, 0,
                                                      cudaOccupancyDefault),
          "best block size with flags");
    ok(grid_again == grid && block_again == block, "is the same: %d blocks of %d", grid, block);
    works(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, store, a_word_for_each),
          "with shared memory for each thread");
    ok(grid >= 1 && block >= 32 && block <= 1024, "%d blocks of %d", grid, block);
    works(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
              &grid, &block, store, a_word_for_each, 64, cudaOccupancyDefault),
          "of at most 64 threads");
    ok(grid >= 1 && block >= 32 && block <= 64, "%d blocks of %d", grid, block);
}

// A class is copied and destroyed on the host, once for a launch; each thread has bytes of its own.
static int copies, ends;
struct counted {
    int value, *cells;
    explicit counted(int *c) : value(5), cells(c) {}
    __host__ __device__ counted(const counted &c) : value(c.value), cells(c.cells) {
#ifdef __CUDA_ARCH__
        value = -1;
#else
        copies++;
#endif
    }
    __host__ __device__ ~counted() {
#ifdef __CUDA_ARCH__
        *cells = -1;
#else
        ends++;
#endif
    }
};
__global__ void add_counted(counted c) {
    c.value += (int)threadIdx.x;
    atomicAdd(c.cells, c.value);
}
template <class T> __global__ void add_any(int n, T c) {
    c.value += (int)threadIdx.x;
    atomicAdd(c.cells, n * c.value);
}
__global__ void add_to(int &cell, const int &value) { atomicAdd(&cell, value); }

static void gives_sum(int expected, const char *what) {
    must(cudaMemcpy(h_cells, d_cells, sizeof *h_cells, TO_HOST));
    ok(*h_cells == expected, "%s: %d", what, *h_cells);
    ok(copies == ends && copies <= 1, "copied %d times, destroyed %d times", copies, ends);
    copies = ends = 0;
    must(cudaMemset(d_cells, 0, sizeof *h_cells));
}

TEST(arguments) {
    counted c(d_cells);
    void (*pointer)(counted) = add_counted;
    must(cudaMemset(d_cells, 0, sizeof *h_cells));
    add_counted<<<1, 32>>>(c);
    gives_sum(32 * 5 + 496, "a class by value");
    pointer<<<1, 32>>>(c);
    gives_sum(32 * 5 + 496, "through a pointer");
    add_any<<<1, 32>>>(2, c);
    gives_sum(2 * (32 * 5 + 496), "for a template that deduces it");
    add_any<counted><<<1, 32>>>(2, c);
    gives_sum(2 * (32 * 5 + 496), "for one that is told");
    MANAGED(int, managed, 2 * sizeof *managed);
    managed[0] = 1, managed[1] = 2;
    add_to<<<1, 32>>>(managed[0], managed[1]);
    must(cudaDeviceSynchronize());
    ok(managed[0] == 65, "references: %d", managed[0]);
    void *addresses[] = {&managed, &managed};
    must(cudaLaunchKernel((const void *)add_to, dim3(1), dim3(1), addresses, 0, 0));
    must(cudaDeviceSynchronize());
    ok(managed[0] == 130, "references, by cudaLaunchKernel: %d", managed[0]);
}

int main(void) {
    need_device();
    must(cudaMalloc((void **)&d_cells, sizeof h_cells));
    must(cudaMemset(d_cells, 0, sizeof h_cells));
    return run_tests();
}
