// SPDX-License-Identifier: MIT
// Errors: which code, who reports it, what clears it, what sticks.
// An error that sticks ends a process's use of the device, so each has a child: this program,
// started again with the name of the case. The same file passes on a GPU and on the CPU device.
#include "../../../tests/lib/device.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

__global__ void write_value(int *cell, int value) { *cell = value; }

__global__ void fill_shared(int *cell, int value) {
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = value;
    *cell = buffer[threadIdx.x];
}

__global__ void __launch_bounds__(128) small_blocks(int *cell, int value) { *cell = value; }

__global__ void check_value(const int *cell, int expected) { assert(*cell == expected); }

__global__ void count_at(int *p) { atomicAdd(p + threadIdx.x, 1); }
__global__ void trap(const int *cell) {
    if (*cell == 0)
        __trap();
}

#ifdef __CUDACC_CPU__
__global__ void wait_for_itself(int *cell) { cudaFree(cell); }
#endif

__global__ void double_vectors(float *to, const float *from) {
    float4 four = *(const float4 *)from;
    *(float4 *)to = make_float4(2 * four.x, 2 * four.y, 2 * four.z, 2 * four.w);
}

__global__ void say(int i, double x, const char *word) {
    printf("device: %d %g %s %c%%\n", i, x, word ? "word" : "none", 'c');
}

// The lanes of a warp print a statement together, in their order.
__global__ void say_in_turn(void) {
    int lane = (int)threadIdx.x;
    printf("%d ", lane);
    if (lane == 2)
        printf("two ");
    for (int i = 0; i < 2; i++)
        printf("%d:%d ", i, lane);
    if (lane == 0)
        printf("\n");
}

static int *d_cell;

#ifdef __CUDACC_CPU__
// The block's threads from the 65th on store past the end: up to element `n`.
__global__ void store_tile(int *out, int n) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i < 64 || n <= 1024 ? i : n] = 1;
    __syncthreads();
    out[0] = tile[0];
}
#endif

// ---- Errors that pass ----

static void refused(dim3 grid, dim3 block, const char *what) {
    write_value<<<grid, block>>>(d_cell, 1);
    gives(no_shape, cudaGetLastError(), "%s", what);
    works(cudaDeviceSynchronize(), "%s: nothing was launched, nothing went wrong there", what);
}

static void *last_error_of_another_thread(void *code) {
    *(cudaError_t *)code = cudaGetLastError();
    return NULL;
}

TEST(launch_errors) {
    must(cudaMemset(d_cell, 0, sizeof(int)));
    refused(dim3(1), dim3(2048), "2048 threads in a block");
    refused(dim3(1), dim3(1024, 2), "1024 x 2 threads");
    refused(dim3(1), dim3(1, 1, 65), "65 threads along z");
    refused(dim3(1), dim3(0), "no threads");
    refused(dim3(0), dim3(1), "no blocks");
    refused(dim3(1, 65536), dim3(1), "65536 blocks along y");
    refused(dim3(1, 1, 65536), dim3(1), "65536 blocks along z");
    fill_shared<<<1, 1, 1 << 20>>>(d_cell, 1);
    invalid(cudaGetLastError(), "1 MiB of shared memory");
    small_blocks<<<1, 256>>>(d_cell, 1);
    invalid(cudaGetLastError(), "256 threads where __launch_bounds__ says 128");
    ok(value_at(d_cell) == 0, "none of them ran");

    write_value<<<1, 2048>>>(d_cell, 1);
    write_value<<<1, 1>>>(d_cell, 2);
    works(cudaDeviceSynchronize(), "a good launch after a bad one");
    ok(value_at(d_cell) == 2, "runs");
    equals(no_shape, cudaPeekAtLastError(), "and does not hide the error");
    cudaError_t elsewhere = cudaErrorUnknown;
    pthread_t thread;
    pthread_create(&thread, NULL, last_error_of_another_thread, &elsewhere);
    pthread_join(thread, NULL);
    ok(elsewhere == cudaSuccess, "the last error is this thread's: %d elsewhere", (int)elsewhere);
    equals(no_shape, cudaGetLastError(), "cudaGetLastError tells");
    works(cudaGetLastError(), "and clears it");
}

TEST(device_errors) {
    int count = 0, value;
    cudaDeviceProp properties;
    must(cudaGetDeviceCount(&count));
    const cudaError_t no_device = cudaErrorInvalidDevice, no_value = cudaErrorInvalidValue;
    gives(no_device, cudaSetDevice(count), "a device number that is too high");
    gives(no_device, cudaSetDevice(-1), "and one below 0");
    gives(no_device, cudaGetDeviceProperties(&properties, count), "no properties");
    gives(no_device, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count), "no attributes");
    equals(no_value, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0), "no such attribute");
    invalid(cudaGetLastError(), "these errors are remembered");
    works(cudaGetDevice(&value), "the device in use");
    ok(value == 0, "has not changed");
    works(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    ok(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024, "%s", properties.name);
    equals(1024, attribute(cudaDevAttrMaxThreadsPerBlock), "the attribute agrees");
    int driver = 0, runtime = 0;
    works(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    works(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    ok(runtime / 1000 == CUDART_VERSION / 1000 && driver >= runtime / 1000 * 1000,
       "driver %d, runtime %d, header %d", driver, runtime, CUDART_VERSION);
}

TEST(names) {
    static const struct {
        int code;
        const char *name, *text;
    } errors[] = {
        {0, "cudaSuccess", "no error"},
        {1, "cudaErrorInvalidValue", "invalid argument"},
        {2, "cudaErrorMemoryAllocation", "out of memory"},
        {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
        {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {600, "cudaErrorNotReady", "device not ready"},
        {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
        {710, "cudaErrorAssert", "device-side assert triggered"},
        {716, "cudaErrorMisalignedAddress", "misaligned address"},
        {123456, "unrecognized error code", "unrecognized error code"},
    };
    for (const auto &e : errors) {
        const char *name = cudaGetErrorName((cudaError_t)e.code);
        const char *text = cudaGetErrorString((cudaError_t)e.code);
        ok(strcmp(name, e.name) == 0, "%d is %s", e.code, name);
        ok(strcmp(text, e.text) == 0, "%d: %s", e.code, text);
    }
}

// ---- Errors that stick ----

static const char *program, *child = ""; // the case of which this process is the child
static int failures;

static void expect(cudaError_t expected, cudaError_t actual, const char *what) {
    if (actual != expected) {
        printf("%s: %d instead of %d\n", what, (int)actual, (int)expected);
        failures++;
    }
}

// Runs the case in a process of its own. It passes when it exits with 0 and prints `output`.
static void in_a_child(const char *name, const char *output, const char *what) {
    char command[4096], text[8192];
    snprintf(command, sizeof command, "ulimit -t 120; timeout 1200 '%s' %s 2>&1", program, name);
    FILE *pipe = popen(command, "r");
    if (!pipe) {
        ok(0, "%s: cannot start a child", what);
        return;
    }
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    int status = pclose(pipe);
    if (!ok(status == 0 && strstr(text, output), "%s", what))
        diag("%s: status %d, printed:\n%s", name, status, text);
}

// A case: the child that is started for it does what comes last.
#define IN_A_CHILD(name, output, what, ...)                                                        \
    do {                                                                                           \
        if (!*child)                                                                               \
            in_a_child(name, output, what);                                                        \
        if (strcmp(child, name) == 0) {                                                            \
            __VA_ARGS__;                                                                           \
            exit(failures != 0);                                                                   \
        }                                                                                          \
    } while (0)
#define STICKS(name, error, output, what, ...)                                                     \
    IN_A_CHILD(name, output, what, __VA_ARGS__; sticks(error))

// The error appears when the host waits, and from then on everywhere.
static void sticks(cudaError_t error) {
    void *p;
    int value = 0;
    expect(error, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    expect(error, cudaDeviceSynchronize(), "cudaDeviceSynchronize again");
    expect(error, cudaGetLastError(), "cudaGetLastError");
    expect(cudaSuccess, cudaGetLastError(), "cudaGetLastError again: it has told");
    expect(error, cudaMalloc(&p, 4), "cudaMalloc");
    expect(error, cudaMemcpy(&value, d_cell, 4, TO_HOST), "cudaMemcpy");
    expect(error, cudaMemset(d_cell, 0, 4), "cudaMemset");
    expect(error, cudaFree(d_cell), "cudaFree");
    expect(error, cudaStreamSynchronize(0), "cudaStreamSynchronize");
    write_value<<<1, 1>>>(d_cell, 1);
    expect(error, cudaGetLastError(), "the next launch");
    expect(cudaSuccess, cudaDeviceReset(), "cudaDeviceReset");
    expect(cudaErrorDevicesUnavailable, cudaMalloc(&p, 4), "which does not help");
}

static void wait_for_event(void) {
    cudaEvent_t event;
    must(cudaEventCreate(&event));
    write_value<<<1, 1>>>(NULL, 1);
    cudaEventRecord(event);
    expect(cudaErrorIllegalAddress, cudaEventSynchronize(event), "cudaEventSynchronize");
}

static void launch_graph(void) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    write_value<<<1, 1, 0, stream>>>(NULL, 1);
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    must(cudaGraphLaunch(exec, stream));
}

#ifdef __CUDACC_CPU__
static void write_past_the_end(void) {
    write_value<<<1, 1>>>(d_cell + 2000, 5); // 4096 bytes are allocated there
    write_value<<<1, 1>>>(d_cell + 2001, 6);
    write_value<<<1, 1>>>(d_cell, 7);
    works(cudaDeviceSynchronize(), "it goes on");
    ok(value_at(d_cell) == 7, "and does what it does");
    write_value<<<1, 1>>>(d_cell + (3 << 20), 5);
}
#endif

static void print_here_and_there(void) {
    printf("before\n");
    fflush(stdout);
    say<<<1, 1>>>(7, 2.5, "x");
    say_in_turn<<<1, 4>>>();
    must(cudaDeviceSynchronize());
    printf("after\n");
}

TEST(children) {
    const cudaError_t illegal = cudaErrorIllegalAddress;
    int *h = (int *)malloc(4096);
    STICKS("null", illegal, "", "a write through NULL: 700", write_value<<<1, 1>>>(NULL, 1));
    STICKS("wild", illegal, "", "a write to nowhere: 700, and it sticks",
           write_value<<<1, 1>>>((int *)(uintptr_t)0x1000000010, 1));
    if (attribute(cudaDevAttrPageableMemoryAccess))
        skip("the device reaches all host memory");
    else
        STICKS("host", illegal, "", "a write to host memory: 700", write_value<<<1, 1>>>(h, 1));
    IN_A_CHILD("event", "", "cudaEventSynchronize reports a kernel's error", wait_for_event());
    IN_A_CHILD("copy", "", "so does a blocking cudaMemcpy", write_value<<<1, 1>>>(NULL, 1);
               expect(illegal, cudaMemcpy(h, d_cell, 4, TO_HOST), "cudaMemcpy"));
    STICKS("graph", illegal, "", "and a kernel in a graph fails like any other", launch_graph());
    STICKS("assert", cudaErrorAssert, "Assertion",
           "a failed assert: 710, it sticks, and it says so", check_value<<<1, 1>>>(d_cell, 5));
#if defined __CUDACC_CPU__ && defined __clang__
    skip("clang does not check structs that are copied whole");
#else
    MEMORY(float, d_floats, 4096);
    STICKS("misaligned", cudaErrorMisalignedAddress, "", "a misaligned float4: 716, and it sticks",
           double_vectors<<<1, 1>>>(d_floats + 8, d_floats + 1));
#endif
    STICKS("atomic", cudaErrorMisalignedAddress, "", "a misaligned atomicAdd: 716, and it sticks",
           count_at<<<1, 1>>>((int *)((char *)d_cell + 2)));
    STICKS("trap", cudaErrorLaunchFailure, "", "__trap(): 719", trap<<<1, 1>>>(d_cell));
#ifdef __CUDACC_CPU__
    STICKS("wait", cudaErrorLaunchFailure, "waits for the device",
           "cudaFree in a kernel ends it: 719", wait_for_itself<<<1, 1>>>(d_cell));
    STICKS("tile", illegal, "block's __shared__ variables; cudacc --trace shows",
           "a tile too small for its block, not much: 700, and it sticks",
           store_tile<<<2, 1024>>>(d_cell, 1024)); // 64 are there
    STICKS("far", illegal, "thread (64,0,0): illegal address",
           "a store far past a tile: 700, and it sticks", store_tile<<<2, 1024>>>(d_cell, 5000));
    STICKS("dynamic", illegal, "dynamic shared memory, of which its launch gives none",
           "dynamic shared memory that the launch forgets: 700, and it sticks",
           fill_shared<<<1, 64>>>(d_cell, 1));
    STICKS("past", illegal, "3904 bytes past the end of an allocation of 4096 bytes. A GPU may",
           "a write a little past the end is told; one far behind it: 700, and it sticks",
           write_past_the_end());
#else
    skip("a GPU may say nothing of shared memory that is too small, or a little past the end");
    skip("nvcc compiles no such kernel");
#endif
    IN_A_CHILD("printf",
               "before\ndevice: 7 2.5 word c%\n"
               "0 1 2 3 two 0:0 0:1 0:2 0:3 1:0 1:1 1:2 1:3 \nafter\n",
               "printf in a kernel comes out when the host waits", print_here_and_there());
    free(h);
}

int main(int argc, char **argv) {
    need_device();
    program = argv[0];
    must(cudaMalloc((void **)&d_cell, 4096));
    must(cudaMemset(d_cell, 0, 4096));
    must(cudaDeviceSynchronize());
    if (argc > 1) {
        child = argv[1];
        children();
        printf("no such case: %s\n", child);
        return 1;
    }
    return run_tests();
}
