// SPDX-License-Identifier: MIT
// Devices: choosing one, its place on the bus, peers, flags, limits, preferences, reset.
// The same file passes on a GPU and on the CPU device.
#include "../../../tests/lib/device.h"
#include <string.h>

__global__ void write_value(int *cell, int value) { *cell = value; }

static int count, *d_cell;
static cudaDeviceProp first; // what the program's first call is told

static int a_kernel_runs(void) {
    static int value;
    write_value<<<1, 1>>>(d_cell, ++value);
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    return value_at(d_cell) == value;
}

TEST(choosing) {
    cudaDeviceProp wanted;
    int device = -1, numbers[65];
    must(cudaGetDeviceProperties(&wanted, 0));
    works(cudaChooseDevice(&device, &wanted), "cudaChooseDevice");
    ok(device >= 0 && device < count, "chooses one that there is: %d", device);
    device = -1;
    memset(&wanted, 0, sizeof wanted);
    works(cudaChooseDevice(&device, &wanted), "with no wish at all");
    ok(device >= 0 && device < count, "as well: %d", device);
    fails(cudaChooseDevice(NULL, &wanted), "no place for its number");
    fails(cudaChooseDevice(&device, NULL), "no wishes");

    memset(numbers, 0, sizeof numbers);
    works(cudaSetValidDevices(numbers, 1), "cudaSetValidDevices");
    works(cudaSetValidDevices(NULL, 0), "an empty list takes it back");
    invalid(cudaSetValidDevices(NULL, 1), "no list");
    if (count < 65)
        invalid(cudaSetValidDevices(numbers, count + 1), "more devices than there are");
    numbers[0] = count;
    gives(cudaErrorInvalidDevice, cudaSetValidDevices(numbers, 1), "one that there is not");
}

static unsigned schedule_flags(void) {
    unsigned flags = 99;
    works(cudaGetDeviceFlags(&flags), "cudaGetDeviceFlags");
    return flags & cudaDeviceScheduleMask;
}

TEST(initialization) {
#if CUDART_VERSION >= 12000
    works(cudaInitDevice(0, 0, 0), "cudaInitDevice");
    const unsigned blocking = cudaDeviceScheduleBlockingSync;
    works(cudaInitDevice(0, blocking, cudaInitDeviceFlagsAreValid), "with flags");
    ok(schedule_flags() == blocking, "that are set");
    works(cudaInitDevice(0, cudaDeviceScheduleSpin, 0), "flags that are not said to be valid");
    ok(schedule_flags() == blocking, "are passed over");
    gives(cudaErrorInvalidDevice, cudaInitDevice(count, 0, 0), "no such device");
#else
    skip("no cudaInitDevice before CUDA 12");
#endif
}

TEST(bus) {
    char text[32] = "", copy[32];
    unsigned domain = 0, number = 0, slot = 0, function = 0;
    int device = -1;
    works(cudaDeviceGetPCIBusId(text, sizeof text, 0), "cudaDeviceGetPCIBusId");
    ok(sscanf(text, "%x:%x:%x.%x", &domain, &number, &slot, &function) == 4, "four: %s", text);
    ok((int)domain == attribute(cudaDevAttrPciDomainId) &&
           (int)number == attribute(cudaDevAttrPciBusId) &&
           (int)slot == attribute(cudaDevAttrPciDeviceId),
       "as the attributes say");
    works(cudaDeviceGetPCIBusId(copy, 13, 0), "13 characters are enough");
    ok(strcmp(copy, text) == 0, "for all of it");

    works(cudaDeviceGetByPCIBusId(&device, text), "cudaDeviceGetByPCIBusId");
    ok(device == 0, "leads back to the device");
    device = -1;
    snprintf(copy, sizeof copy, "%04x:%02x:%02x", domain, number, slot);
    works(cudaDeviceGetByPCIBusId(&device, copy), "also without the function");
    ok(device == 0, "to the same one");

    fails(cudaDeviceGetPCIBusId(copy, 4, 0), "too short for it");
    fails(cudaDeviceGetPCIBusId(copy, 0, 0), "no room at all");
    fails(cudaDeviceGetPCIBusId(NULL, 13, 0), "no text");
    gives(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(copy, sizeof copy, count), "no device");
    fails(cudaDeviceGetByPCIBusId(&device, ""), "nothing that names a device");
    fails(cudaDeviceGetByPCIBusId(&device, "0000:"), "too little of it");
    fails(cudaDeviceGetByPCIBusId(&device, "ffff:ff:1f.0"), "a place without a device");
    fails(cudaDeviceGetByPCIBusId(&device, NULL), "no text to read");
    fails(cudaDeviceGetByPCIBusId(NULL, text), "no place for the number");
}

TEST(peers) {
    int can = -1;
    works(cudaDeviceCanAccessPeer(&can, 0, 0), "cudaDeviceCanAccessPeer");
    ok(can == 0, "a device is no peer of its own");
    gives(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, count, 0), "no such device");
    gives(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, count), "no such peer");
    gives(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, -1), "nor one below 0");
    invalid(cudaDeviceCanAccessPeer(NULL, 0, 0), "no place for the answer");
    fails(cudaDeviceEnablePeerAccess(0, 0), "no access to itself");
    gives(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(count, 0), "nor to no device");
    invalid(cudaDeviceEnablePeerAccess(0, 1), "there are no flags");
    fails(cudaDeviceDisablePeerAccess(0), "what was not enabled cannot be disabled");
    gives(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(count), "nor for no device");
    enum cudaDeviceP2PAttr native = cudaDevP2PAttrNativeAtomicSupported;
    gives(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&can, native, 0, 0),
          "nothing lies between a device and itself");
    gives(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&can, native, 0, count), "nor there");
    fails(cudaDeviceGetP2PAttribute(NULL, native, 0, 0), "no place for it");

    can = 0;
    if (count > 1)
        must(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can != 1) {
        skip("no two devices that are peers");
        return;
    }
    works(cudaDeviceEnablePeerAccess(1, 0), "cudaDeviceEnablePeerAccess");
    gives(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0), "only once");
    works(cudaDeviceDisablePeerAccess(1), "cudaDeviceDisablePeerAccess");
    gives(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1), "as often");
}

// A copy between two devices may name the same one twice.
TEST(peer_copies) {
    int h[4] = {1, 2, 3, 4};
    MEMORY(int, d_from, sizeof h);
    MEMORY(int, d_to, sizeof h);
    must(cudaMemcpy(d_from, h, sizeof h, TO_DEVICE));
    must(cudaMemset(d_to, 0, sizeof h));
    works(cudaMemcpyPeer(d_to, 0, d_from, 0, 2 * sizeof(int)), "cudaMemcpyPeer");
    works(cudaMemcpyPeerAsync(d_to + 2, 0, d_from, 0, sizeof(int), 0), "cudaMemcpyPeerAsync");
    must(cudaMemcpy(h, d_to, sizeof h, TO_HOST));
    ok(h[0] == 1 && h[1] == 2 && h[2] == 1 && h[3] == 0, "they copy so many bytes");
    gives(cudaErrorInvalidDevice, cudaMemcpyPeer(d_to, count, d_from, 0, 4), "to no device");
    gives(cudaErrorInvalidDevice, cudaMemcpyPeer(d_to, 0, d_from, -1, 4), "from none");
    gives(cudaErrorInvalidDevice, cudaMemcpyPeerAsync(d_to, 0, d_from, count, 4, 0), "queued");
    works(cudaMemcpyPeer(d_to, 0, d_from, 0, 0), "of nothing");
}

TEST(flags) {
    static const unsigned waits[] = {cudaDeviceScheduleSpin, cudaDeviceScheduleYield,
                                     cudaDeviceScheduleBlockingSync, cudaDeviceScheduleAuto};
    for (int i = 0; i < 4; i++) {
        works(cudaSetDeviceFlags(waits[i]), "cudaSetDeviceFlags(%u)", waits[i]);
        ok(schedule_flags() == waits[i], "gives them back");
        ok(a_kernel_runs(), "the host waits");
    }
    invalid(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield), "two at once");
    invalid(cudaSetDeviceFlags(0x100), "a flag that there is not");
    invalid(cudaGetDeviceFlags(NULL), "no place for the flags");
    ok(schedule_flags() == cudaDeviceScheduleAuto, "none of these has changed anything");
}

__device__ int a_variable = 42, zeros[3000];
__constant__ int a_constant = 5;
template <class T> __device__ T a_template = 8;
template <class T> __device__ T an_empty_one;
__global__ void read_variables(int *cell) {
    a_template<int> += 1, an_empty_one<int> += 1;
    cell[0] = a_variable++ + a_template<int> - 9;
    cell[1] = a_constant;
    cell[2] = zeros[2999]++ + an_empty_one<int> - 1;
}

__global__ void prints(void) { printf("# %s\n", "from a kernel"); }

TEST(limits) {
    static const struct {
        cudaLimit limit;
        const char *name;
    } sizes[] = {{cudaLimitStackSize, "the stack"},
                 {cudaLimitPrintfFifoSize, "printf's buffer"},
                 {cudaLimitMallocHeapSize, "malloc's heap"}};
    size_t before = 0, after = 0;
    for (int i = 0; i < 3; i++) {
        works(cudaDeviceGetLimit(&before, sizes[i].limit), "cudaDeviceGetLimit: %s", sizes[i].name);
        ok(before > 0, "%zu bytes", before);
        works(cudaDeviceSetLimit(sizes[i].limit, before + 256), "cudaDeviceSetLimit: 256 more");
        works(cudaDeviceGetLimit(&after, sizes[i].limit), "cudaDeviceGetLimit again");
        ok(after >= before + 256, "at least as many: %zu", after);
    }
    ok(a_kernel_runs(), "with these a kernel runs");

    // What the device makes of a hint is its own affair.
    cudaError_t hint = cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 32);
    ok(hint == cudaSuccess || hint == cudaErrorUnsupportedLimit, "32 bytes of L2: %d", (int)hint);
    if (hint == cudaSuccess) {
        works(cudaDeviceGetLimit(&after, cudaLimitMaxL2FetchGranularity), "or of other sizes");
        ok(after <= 128, "up to 128: %zu", after);
    }
    prints<<<1, 1>>>();
    works(cudaDeviceSynchronize(), "a kernel prints");
    invalid(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21), "too late for its buffer");
    invalid(cudaDeviceGetLimit(&after, (cudaLimit)99), "no such limit");
    invalid(cudaDeviceSetLimit((cudaLimit)99, 1), "to get or to set");
    invalid(cudaDeviceGetLimit(NULL, cudaLimitStackSize), "no place for it");
}

TEST(identity) {
    struct cudaDeviceProp p;
    size_t available, total;
    memset(&p, 0, sizeof p);
    must(cudaGetDeviceProperties(&p, 0));
    ok(!memcmp(&p, &first, sizeof p), "the first call of a program is told the same");
    must(cudaMemGetInfo(&available, &total));
    ok(first.totalGlobalMem == total, "as much memory as there is: %zu", first.totalGlobalMem);
    ok(p.major == attribute(cudaDevAttrComputeCapabilityMajor) &&
           p.minor == attribute(cudaDevAttrComputeCapabilityMinor) && p.major > 0,
       "a compute capability, the same twice: %d.%d", p.major, p.minor);
#ifdef __CUDACC_CPU__
    ok(!strcmp(p.name, "CPU device") && !p.memoryBusWidth && !p.l2CacheSize,
       "the CPU device is known by its name, and has no memory of its own");
#endif
}

TEST(preferences) {
    for (int i = cudaFuncCachePreferNone; i <= cudaFuncCachePreferEqual; i++) {
        cudaFuncCache cache = (cudaFuncCache)99;
        works(cudaDeviceSetCacheConfig((cudaFuncCache)i), "cudaDeviceSetCacheConfig(%d)", i);
        works(cudaDeviceGetCacheConfig(&cache), "cudaDeviceGetCacheConfig");
        ok(cache == (cudaFuncCache)i || cache == cudaFuncCachePreferNone,
           "as preferred, or the device has no choice: %d", (int)cache);
    }
    invalid(cudaDeviceSetCacheConfig((cudaFuncCache)99), "no such preference");
    invalid(cudaDeviceGetCacheConfig(NULL), "no place for it");

    int major = attribute(cudaDevAttrComputeCapabilityMajor);
    for (int i = cudaSharedMemBankSizeDefault; i <= cudaSharedMemBankSizeEightByte; i++) {
        cudaSharedMemConfig banks = (cudaSharedMemConfig)99;
        works(cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)i), "size of banks: %d", i);
        works(cudaDeviceGetSharedMemConfig(&banks), "cudaDeviceGetSharedMemConfig");
        ok(banks == cudaSharedMemBankSizeFourByte || major == 3,
           "only Kepler has banks of other sizes: %d", (int)banks);
    }
    invalid(cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)99), "no such size");
    invalid(cudaDeviceGetSharedMemConfig(NULL), "no place for the size");
    ok(a_kernel_runs(), "whatever is preferred, a kernel runs");
}

TEST(reset) {
    static char own[4096];
    int constant = 6, seen[3] = {0, 0, 0}, *pinned;
    size_t heap = 0, after = 0;
    must(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    for (int round = 0; round < 2; round++) {
        must(cudaMallocHost((void **)&pinned, sizeof *pinned));
        works(cudaHostRegister(own, sizeof own, 0), "memory is registered");
        works(cudaDeviceReset(), "cudaDeviceReset");
        invalid(cudaFreeHost(pinned), "it has freed pinned memory");
        works(cudaMalloc((void **)&d_cell, 3 * sizeof(int)), "the device is there again");
        ok(a_kernel_runs(), "and works");
        read_variables<<<1, 1>>>(d_cell);
        must(cudaMemcpy(seen, d_cell, sizeof seen, TO_HOST));
        ok(seen[0] == 42 && seen[1] == 5 && seen[2] == 0, "variables are as at first");
        must(cudaMemcpyToSymbol(a_constant, &constant, sizeof constant));
        must(cudaDeviceGetLimit(&after, cudaLimitMallocHeapSize));
        ok(after != heap + 4096, "and limits");
        must(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap + 4096));
    }
    must(cudaFree(d_cell));
#if CUDART_VERSION < 13000
    works(cudaThreadSynchronize(), "cudaThreadSynchronize, the old name");
    works(cudaThreadExit(), "cudaThreadExit, that of cudaDeviceReset");
#else
    skip("no cudaThreadSynchronize and cudaThreadExit since CUDA 13");
#endif
}

int main(void) {
    (void)cudaGetDeviceProperties(&first, 0);
    need_device();
    must(cudaGetDeviceCount(&count));
    must(cudaMalloc((void **)&d_cell, sizeof(int)));
    return run_tests();
}
