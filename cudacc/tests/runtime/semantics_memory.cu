// SPDX-License-Identifier: MIT
// Memory: allocation and its errors, copies, symbols, managed memory, pinned memory, pitch, pools.
// The same file passes on a GPU and on the CPU device.
#include "../../../tests/lib/device.h"
#include <stdint.h>
#include <string.h>

__global__ void add_to_all(int *cells, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] += value;
}

static void add(int *cells, int n, int value) {
    add_to_all<<<(n + 255) / 256, 256>>>(cells, n, value);
    must(cudaGetLastError());
}

TEST(allocation) {
    void *p = NULL, *q = NULL, *r = NULL;
    char on_the_stack;
    works(cudaMalloc(&p, 1), "cudaMalloc of a byte");
    works(cudaMalloc(&q, 1000), "and of some");
    ok((uintptr_t)p % 256 == 0 && (uintptr_t)q % 256 == 0, "aligned to 256 bytes");
    works(cudaMalloc(&r, 0), "cudaMalloc(0)");
    works(cudaFree(r), "what it gave may be freed");
    works(cudaFree(NULL), "cudaFree(NULL)");
    works(cudaFree(p), "cudaFree");
    invalid(cudaFree(p), "twice is an error");
    invalid(cudaFree(&on_the_stack), "so is freeing what is not the device's");
    invalid(cudaFree((char *)q + 256), "or what is inside an allocation");
    works(cudaFree(q), "after that memory can still be freed");
    invalid(cudaMalloc(NULL, 4), "cudaMalloc wants a place for the pointer");
}

TEST(out_of_memory) {
    size_t free_bytes = 0, total = 0;
    void *p = NULL;
    works(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
    ok(free_bytes > 0 && free_bytes <= total, "%zu of %zu bytes are free", free_bytes, total);
    ok(cudaMalloc(&p, total + total / 2) == cudaErrorMemoryAllocation, "more than there is");
    ok(cudaPeekAtLastError() == cudaErrorMemoryAllocation, "cudaPeekAtLastError tells");
    works(cudaMalloc(&p, 4), "the next call works");
    ok(cudaPeekAtLastError() == cudaErrorMemoryAllocation, "and does not clear the error");
    ok(cudaGetLastError() == cudaErrorMemoryAllocation, "cudaGetLastError tells as well");
    works(cudaGetLastError(), "and clears it");
    works(cudaFree(p), "the device is as before");
    gives(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)-1), "no size overflows");
    gives(cudaErrorMemoryAllocation, cudaMallocHost(&p, (size_t)1 << 50), "nor has the host it");

    size_t bytes = (size_t)64 << 20, free_after, ignored;
    if (free_bytes < 2 * bytes) {
        skip("less than 128 MiB free");
    } else {
        must(cudaMalloc(&p, bytes));
        must(cudaMemGetInfo(&free_after, &ignored));
        ok(free_after + bytes <= total, "memory in use is not free");
        must(cudaFree(p));
    }
}

TEST(copies) {
    enum { N = 4097 };
    static int from[N], to[N];
    for (int i = 0; i < N; i++)
        from[i] = i * 7;
    MEMORY(int, d_a, sizeof from);
    MEMORY(int, d_b, sizeof from);

    works(cudaMemcpy(d_a, from, sizeof from, TO_DEVICE), "host to device");
    works(cudaMemcpy(d_b, d_a, sizeof from, cudaMemcpyDeviceToDevice), "device to device");
    works(cudaMemcpy(to, d_b, sizeof from, TO_HOST), "device to host");
    ok(memcmp(from, to, sizeof from) == 0, "the round trip keeps every byte");

    memset(to, 0, sizeof to);
    works(cudaMemcpy(d_b, from, sizeof from, cudaMemcpyDefault), "cudaMemcpyDefault to the device");
    works(cudaMemcpy(to, d_b, sizeof from, cudaMemcpyDefault), "and back");
    ok(memcmp(from, to, sizeof from) == 0, "finds out which is which");

    works(cudaMemset(d_a, 0x5A, 5), "cudaMemset");
    must(cudaMemcpy(to, d_a, 8, TO_HOST));
    ok(((unsigned char *)to)[4] == 0x5A && ((unsigned char *)to)[5] == 0, "counts bytes");
    works(cudaMemset(d_a, 0x1FF, 4), "the value is taken as a byte");
    must(cudaMemcpy(to, d_a, 8, TO_HOST));
    ok(to[0] == -1, "of its low 8 bits");
    works(cudaMemcpy((char *)d_a + 1, (char *)from + 4, 3, TO_DEVICE), "copies need no alignment");
    must(cudaMemcpy(to, d_a, 4, TO_HOST));
    ok(memcmp((char *)to + 1, (char *)from + 4, 3) == 0, "to arrive");

    works(cudaMemcpy(d_a, from, 0, TO_DEVICE), "nothing can be copied");
    works(cudaMemset(d_a, 0, 0), "or set");
    gives(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d_a, from, 4, (cudaMemcpyKind)7), "nowhere");
    invalid(cudaMemcpy(NULL, from, 4, TO_DEVICE), "to nowhere");
    invalid(cudaMemcpy(to, NULL, 4, TO_HOST), "from nowhere");
    invalid(cudaMemset(NULL, 0, 4), "cudaMemset of nothing");
    if (attribute(cudaDevAttrPageableMemoryAccess)) {
        skip("the device reaches all host memory");
    } else {
        invalid(cudaMemcpy(from, to, 4, TO_HOST), "host memory given as device memory to read");
        invalid(cudaMemcpy(to, from, 4, TO_DEVICE), "or to write");
    }
    invalid(cudaMemset(to, 0, 4), "cudaMemset of host memory");
    invalid(cudaMemcpy(d_a, d_b, (size_t)1 << 40, cudaMemcpyDeviceToDevice), "more than there is");

    add(d_b, N, 1);
    works(cudaMemcpy(to, d_b, sizeof to, TO_HOST), "no error is left behind");
    ok(to[0] == 1 && to[N - 1] == from[N - 1] + 1, "kernels see what was copied");
}

__device__ int counter = 5;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ int factors[4] = {10, 20, 30, 40};
__managed__ int shared_cell = 9;

__global__ void use_symbols(void) {
    table[threadIdx.x] *= factors[threadIdx.x];
    if (threadIdx.x == 0)
        shared_cell += ++counter;
}

TEST(symbols) {
    int value = 0, values[4] = {0, 0, 0, 0}, not_a_symbol = 0;
    works(cudaMemcpyFromSymbol(&value, counter, sizeof value), "cudaMemcpyFromSymbol");
    ok(value == 5, "a __device__ variable has its first value");
    value = 6;
    works(cudaMemcpyToSymbol(counter, &value, sizeof value), "cudaMemcpyToSymbol");
    value = 30;
    works(cudaMemcpyToSymbol(factors, &value, sizeof value, 3 * sizeof(int)), "with an offset");

    ok(shared_cell == 9, "the host reads a __managed__ variable");
    use_symbols<<<1, 1>>>();
    must(cudaGetLastError());
    works(cudaDeviceSynchronize(), "a kernel uses them all");
    ok(shared_cell == 16, "the host sees what it wrote");
    shared_cell = 1;
    use_symbols<<<1, 4>>>();
    must(cudaDeviceSynchronize());
    ok(shared_cell > 1, "and it what the host wrote");

    works(cudaMemcpyFromSymbol(values, table, sizeof values), "an array");
    static const int products[] = {100, 40, 90, 120};
    ok(memcmp(values, products, sizeof values) == 0, "of a __device__ and a __constant__ array");
    works(cudaMemcpyFromSymbol(&value, factors, sizeof value, sizeof(int), TO_HOST),
          "__constant__ memory can be read back");
    ok(value == 20, "from an offset");

    int *d_table;
    size_t bytes = 0;
    works(cudaGetSymbolAddress((void **)&d_table, table), "cudaGetSymbolAddress");
    works(cudaGetSymbolSize(&bytes, table), "cudaGetSymbolSize");
    ok(bytes == sizeof table, "gives bytes");
    add(d_table, 4, -90);
    must(cudaMemcpy(values, d_table, sizeof values, TO_HOST));
    ok(values[2] == 0, "the address is good for kernels and copies");

    gives(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(not_a_symbol, &value, sizeof value),
          "a host variable is no symbol");
    invalid(cudaMemcpyToSymbol(table, values, sizeof values, 4), "nor does a symbol grow");
}

#if CUDART_VERSION >= 13000
#define WITHOUT_FLAGS , 0
static cudaMemLocation place(int device) {
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
#else
#define WITHOUT_FLAGS
static int place(int device) { return device; }
#endif
#define prefetch(p, bytes, device) cudaMemPrefetchAsync(p, bytes, place(device) WITHOUT_FLAGS, 0)
#define advise(p, bytes, what, device) cudaMemAdvise(p, bytes, cudaMemAdvise##what, place(device))

static const cudaMemRangeAttribute prefetched_to = cudaMemRangeAttributeLastPrefetchLocation;

static int attribute_of(const void *p, size_t bytes, cudaMemRangeAttribute which) {
    int value = -5;
    must(cudaMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
    return value;
}

// 0, 1, 2 and so on that a kernel adds to, by the device's pointer to them: how many are wrong?
static int wrong_sums(int *cells, int *d_cells, int n, int value) {
    int wrong = 0;
    for (int i = 0; i < n; i++)
        cells[i] = i;
    add(d_cells, n, value);
    works(cudaDeviceSynchronize(), "a kernel adds to memory that the host has written");
    for (int i = 0; i < n; i++)
        wrong += cells[i] != i + value;
    return wrong;
}

// What CUDA 13 calls by the plain names.
static void locations(void) {
#if CUDART_VERSION >= 12020 && CUDART_VERSION < 13000
    cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    MANAGED(int, cells, 1000);
    works(cudaMemPrefetchAsync_v2(cells, 1000, host, 0, 0), "cudaMemPrefetchAsync_v2");
    must(cudaDeviceSynchronize());
    equals(cudaCpuDeviceId, attribute_of(cells, 1000, prefetched_to), "takes a location");
    works(cudaMemAdvise_v2(cells, 1000, cudaMemAdviseSetPreferredLocation, host),
          "so does cudaMemAdvise_v2");
#else
    skip("the names with _v2 are those of CUDA 12.2 and later versions of 12");
#endif
}

static void managed(void) {
    enum { N = 100000 };
    size_t bytes = N * sizeof(int);
    int value = -5;
    MANAGED(int, cells, bytes);
    ok(wrong_sums(cells, cells, N, 3) == 0, "managed memory, that the host wrote and reads");
    works(cudaMemset(cells, 0, bytes), "cudaMemset of managed memory");
    ok(cells[N - 1] == 0, "is done when it returns");
    must(cudaMemcpy(&value, cells, sizeof value, cudaMemcpyDefault));
    ok(value == 0, "and it can be copied");

    if (!attribute(cudaDevAttrConcurrentManagedAccess)) {
        skip("no concurrentManagedAccess: nothing to prefetch or advise");
    } else {
        works(prefetch(cells, bytes, 0), "prefetch to the device");
        must(cudaDeviceSynchronize());
        equals(0, attribute_of(cells, bytes, prefetched_to), "cudaMemRangeGetAttribute knows it");
        add(cells, N, 1);
        works(prefetch(cells, bytes, cudaCpuDeviceId), "and to the host");
        must(cudaDeviceSynchronize());
        ok(cells[0] == 1 && cells[N - 1] == 1, "the values came along");
        equals(cudaCpuDeviceId, attribute_of(cells, bytes, prefetched_to), "the host's number");

        works(advise(cells, bytes, SetReadMostly, 0), "advice: read mostly");
        ok(attribute_of(cells, bytes, cudaMemRangeAttributeReadMostly) == 1, "is remembered");
        works(advise(cells, bytes, UnsetReadMostly, 0), "and taken back");
        works(advise(cells, bytes, SetPreferredLocation, 0), "preferred location");
        equals(0, attribute_of(cells, bytes, cudaMemRangeAttributePreferredLocation), "the device");
        works(advise(cells, bytes, SetAccessedBy, cudaCpuDeviceId), "accessed by");
        add(cells, N, 1);
        must(cudaDeviceSynchronize());
        ok(cells[0] == 2, "advice changes no value");
        gives(cudaErrorInvalidDevice, prefetch(cells, bytes, 99), "no such device");
        invalid(prefetch(cells, bytes + ((size_t)1 << 40), 0), "too many bytes");
        locations();
    }
}

static void attached(void) {
    enum { N = 16384 };
    size_t bytes = N * sizeof(int);
    int pageable = 0;
    STREAM(stream);
    MANAGED(int, cells, bytes, cudaMemAttachHost);
    cells[0] = 5;
    works(cudaStreamAttachMemAsync(stream, cells), "managed memory given to one stream");
    must(cudaStreamSynchronize(stream));
    add_to_all<<<N / 256, 256, 0, stream>>>(cells, N, 2);
    must(cudaGetLastError());
    must(cudaStreamSynchronize(stream));
    ok(cells[0] == 7 && cells[N - 1] == 2, "its kernels and the host use it");
    works(cudaStreamAttachMemAsync(stream, cells, bytes, cudaMemAttachHost), "given to the host");
    must(cudaStreamSynchronize(stream));
    works(cudaStreamAttachMemAsync(0, cells, 0, cudaMemAttachGlobal), "and to all, in stream 0");
    must(cudaDeviceSynchronize());
    add(cells, N, 1);
    must(cudaDeviceSynchronize());
    ok(cells[0] == 8, "kernels of stream 0 use it then");
    works(cudaStreamAttachMemAsync(stream, &shared_cell), "a __managed__ variable");
    works(cudaStreamAttachMemAsync(stream, &shared_cell, 0, cudaMemAttachGlobal), "as well");

    invalid(cudaStreamAttachMemAsync(0, cells, 0, cudaMemAttachSingle), "stream 0 is not one");
    invalid(cudaStreamAttachMemAsync(stream, cells, bytes / 2, cudaMemAttachGlobal), "a half");
    invalid(cudaStreamAttachMemAsync(stream, cells, 0, cudaMemAttachGlobal | cudaMemAttachHost),
            "to two at once neither");
    invalid(cudaStreamAttachMemAsync(stream, (int *)NULL), "no memory");
    if (attribute(cudaDevAttrPageableMemoryAccess))
        skip("the device reaches all host memory");
    else
        invalid(cudaStreamAttachMemAsync(stream, &pageable, sizeof pageable), "not managed");
    must(cudaDeviceSynchronize());
}

TEST(where_it_can) {
    if (attribute(cudaDevAttrManagedMemory))
        managed(), attached();
    else
        skip("no managed memory");
}

TEST(pinned) {
    enum { N = 1000 };
    int *h, *d_h = NULL;
    works(cudaHostAlloc((void **)&h, N * sizeof(int), cudaHostAllocMapped), "mapped host memory");
    works(cudaHostGetDevicePointer((void **)&d_h, h, 0), "cudaHostGetDevicePointer");
    ok(wrong_sums(h, d_h, N, 5) == 0, "kernels reach it");
    works(cudaFreeHost(h), "cudaFreeHost");
    invalid(cudaFreeHost(h), "twice is an error");
    works(cudaFreeHost(NULL), "cudaFreeHost(NULL)");

    size_t bytes = 1 << 20;
    char *own = (char *)aligned_alloc(4096, bytes);
    memset(own, 0, bytes);
    invalid(cudaHostRegister(own, bytes, 16), "an unknown flag");
    works(cudaHostRegister(own, bytes, cudaHostRegisterMapped), "cudaHostRegister");
    gives(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own, bytes, 0), "not twice");
    invalid(cudaFreeHost(own), "freed by who allocated it");
    must(cudaHostGetDevicePointer((void **)&d_h, own, 0));
    add(d_h, N, 2);
    must(cudaDeviceSynchronize());
    ok(((int *)own)[N - 1] == 2, "registered memory is the kernels' too");
    works(cudaHostUnregister(own), "cudaHostUnregister");
    gives(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own), "not twice");
    free(own);
}

TEST(flags_of_pinned) {
    static const unsigned asked[] = {cudaHostAllocDefault, cudaHostAllocPortable,
                                     cudaHostAllocMapped, cudaHostAllocWriteCombined,
                                     cudaHostAllocPortable | cudaHostAllocWriteCombined};
    unsigned flags;
    char *h, on_the_stack;
    for (int i = 0; i < 5; i++) {
        works(cudaHostAlloc((void **)&h, 1000, asked[i]), "cudaHostAlloc, flags %u", asked[i]);
        flags = 99;
        works(cudaHostGetFlags(&flags, h), "cudaHostGetFlags");
        equals(asked[i] | cudaHostAllocMapped, flags, "as asked for, and mapped");
        must(cudaFreeHost(h));
    }
    must(cudaMallocHost((void **)&h, 1000));
    works(cudaHostGetFlags(&flags, h + 999), "from inside an allocation, too");
    invalid(cudaHostGetFlags(NULL, h), "no place for the flags");
    must(cudaFreeHost(h));
    MEMORY(char, d, 1000);
    invalid(cudaHostGetFlags(&flags, d), "device memory has none");
    invalid(cudaHostGetFlags(&flags, &on_the_stack), "nor pageable memory");
}

TEST(pointers) {
    cudaPointerAttributes a;
    char plain[16];
    MEMORY(char, d, 1000);
    PINNED(char, h, 1000);
    MANAGED(char, m, 1000);
    works(cudaPointerGetAttributes(&a, d + 10), "cudaPointerGetAttributes");
    ok(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == d + 10,
       "device memory, also from inside");
    must(cudaPointerGetAttributes(&a, h));
    ok(a.type == cudaMemoryTypeHost && a.hostPointer == h, "pinned memory");
    must(cudaPointerGetAttributes(&a, m));
    ok(a.type == cudaMemoryTypeManaged, "managed memory");
    works(cudaPointerGetAttributes(&a, plain), "pageable memory is no error");
    ok(a.type == cudaMemoryTypeUnregistered, "and is called unregistered");
}

TEST(pitch) {
    enum { WIDTH = 10, HEIGHT = 7 };
    static int from[HEIGHT][WIDTH], to[HEIGHT][WIDTH], rows[2][WIDTH];
    char *d;
    size_t row = 0, width = WIDTH * sizeof(int);
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        from[i / WIDTH][i % WIDTH] = i;

    works(cudaMallocPitch((void **)&d, &row, width, HEIGHT), "cudaMallocPitch");
    ok(row >= width && row % 32 == 0, "rows of %zu bytes", row);
    must(cudaMemset(d, 0, row * HEIGHT));
    works(cudaMemcpy2D(d, row, from, width, width, HEIGHT, TO_DEVICE), "cudaMemcpy2D");
    works(cudaMemcpy2D(to, width, d, row, width, HEIGHT, TO_HOST), "and back");
    ok(memcmp(from, to, sizeof from) == 0, "keeps every element");
    works(cudaMemcpy2DAsync(rows, width, d + row, row, width, 2, TO_HOST, 0), "cudaMemcpy2DAsync");
    must(cudaDeviceSynchronize());
    ok(memcmp(from[1], rows, 2 * width) == 0, "of two rows");
    works(cudaMemset2D(d, row, 1, width, 2), "cudaMemset2D");
    must(cudaMemcpy2D(to, width, d, row, width, HEIGHT, TO_HOST));
    ok(to[1][WIDTH - 1] == 0x01010101 && to[2][0] == from[2][0], "of two rows");
    gives(cudaErrorInvalidPitchValue, cudaMemcpy2D(d, width - 1, from, width, width, 7, TO_DEVICE),
          "a row does not fit its pitch");
    must(cudaFree(d));
}

// ---- Memory pools ----

TEST(pools) {
    int *d, value = 0;
    STREAM(stream);
    works(cudaMallocAsync((void **)&d, 1000, stream), "cudaMallocAsync");
    must(cudaMemsetAsync(d, 0, 1000, stream));
    add_to_all<<<1, 256, 0, stream>>>(d, 250, 4);
    must(cudaMemcpyAsync(&value, d + 249, sizeof value, TO_HOST, stream));
    works(cudaFreeAsync(d, stream), "cudaFreeAsync");
    works(cudaStreamSynchronize(stream), "in stream order");
    ok(value == 4, "the memory was there in between");
}

static unsigned long long used(cudaMemPool_t pool, cudaMemPoolAttr which) {
    unsigned long long bytes = 99;
    must(cudaMemPoolGetAttribute(pool, which, &bytes));
    return bytes;
}

TEST(pools_of_memory) {
    cudaMemPool_t first = NULL, now = NULL, own = NULL;
    works(cudaDeviceGetDefaultMemPool(&first, 0), "the device has a pool");
    works(cudaDeviceGetMemPool(&now, 0), "and a current one");
    ok(first == now, "which is that");
    int reuse = 0, off = 0;
    must(cudaMemPoolGetAttribute(first, cudaMemPoolReuseAllowOpportunistic, &reuse));
    ok(reuse == 1, "it reuses memory");
    works(cudaMemPoolSetAttribute(first, cudaMemPoolReuseAllowOpportunistic, &off), "or not");
    must(cudaMemPoolGetAttribute(first, cudaMemPoolReuseAllowOpportunistic, &reuse));
    ok(reuse == 0, "as was set");
    unsigned long long threshold = ~0ull, zero = 0;
    must(cudaMemPoolSetAttribute(first, cudaMemPoolAttrReleaseThreshold, &threshold));
    ok(used(first, cudaMemPoolAttrReleaseThreshold) == threshold, "a threshold is kept");

    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    works(cudaMemPoolCreate(&own, &props), "a pool of one's own");
    char *p, *q;
    works(cudaMallocFromPoolAsync((void **)&p, 1 << 20, own, 0), "gives memory");
    must(cudaMemsetAsync(p, 0, 1 << 20, 0));
    ok(used(own, cudaMemPoolAttrUsedMemCurrent) >= 1 << 20 &&
           used(own, cudaMemPoolAttrReservedMemCurrent) >= 1 << 20,
       "which it counts");
    works(cudaDeviceSetMemPool(0, own), "it becomes the current one");
    must(cudaMallocAsync((void **)&q, 1 << 20, 0));
    ok(used(own, cudaMemPoolAttrUsedMemCurrent) >= 2 << 20, "from which cudaMallocAsync takes");
    must(cudaFreeAsync(p, 0));
    must(cudaFreeAsync(q, 0));
    must(cudaStreamSynchronize(0));
    ok(used(own, cudaMemPoolAttrUsedMemCurrent) == 0, "what is freed counts no more");
    ok(used(own, cudaMemPoolAttrUsedMemHigh) >= 2 << 20, "the most is known");
    must(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &zero));
    ok(used(own, cudaMemPoolAttrUsedMemHigh) == 0, "until it is set back");
    works(cudaMemPoolTrimTo(own, 0), "what is reserved can be given back");
    must(cudaDeviceSetMemPool(0, first));
    works(cudaMemPoolDestroy(own), "a pool ends");
}

int main(void) { return run_tests(); }
