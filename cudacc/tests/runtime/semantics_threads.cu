// SPDX-License-Identifier: MIT
// Several host threads use the device at once: streams, events, memory, errors, launches by name.
// The same file passes on a GPU and on the CPU device; there it is also what ThreadSanitizer looks
// at (runtime_sanitizers.t).
#include "../../../tests/lib/device.h"
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 12, N = 1024 };

__global__ void add_to_all(int *a, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += value;
}

__global__ void count_threads(unsigned *counter) {
    atomicAdd(counter, 1u); // on the line above, it crashes ptxas 11.8 (sm_90, -lineinfo)
}

// Each thread hands its value to a neighbor in the block, after a barrier.
__global__ void turn(int *a) {
    __shared__ int shared[64];
    int base = blockIdx.x * 64;
    shared[threadIdx.x] = a[base + threadIdx.x];
    __syncthreads();
    a[base + threadIdx.x] = shared[(threadIdx.x + 1) % 64] + __shfl_xor_sync(~0u, 0, 1);
}

template <int Value> __global__ void set_all(int *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = Value;
}

#ifdef __CUDACC_CPU__ // finds an instance of a template by its type alone
#define BY_NAME(kernel) kernel
#else // CUDA's overload for that takes no function with g++ 11
#define BY_NAME(kernel) (const void *)kernel
#endif

static unsigned *d_counter; // all threads', on the device
static cudaEvent_t started; // recorded once by the main thread
static int concurrent_managed;

struct user {
    pthread_t thread;
    int number, host_calls;
    const char *wrong; // the first thing that was not as it should be
    int line;
};

// What the TAP functions are for, from several threads.
#define expect(condition)                                                                          \
    do {                                                                                           \
        if (!(condition) && !u->wrong)                                                             \
            u->wrong = #condition, u->line = __LINE__;                                             \
    } while (0)

static void CUDART_CB count_call(void *calls) { ++*(int *)calls; }

static int all_equal(const int *a, int value) {
    for (int i = 0; i < N; i++)
        if (a[i] != value)
            return 0;
    return 1;
}

static void one_round(struct user *u, int round, cudaStream_t stream, cudaEvent_t done) {
    int *d = NULL, *h = NULL, *managed = NULL, value = 100 * u->number + round;
    expect(cudaMalloc((void **)&d, N * sizeof *d) == cudaSuccess);
    expect(cudaMallocHost((void **)&h, N * sizeof *h) == cudaSuccess);
    if (u->wrong)
        return;
    expect(cudaStreamWaitEvent(stream, started, 0) == cudaSuccess);
    expect(cudaMemsetAsync(d, 0, N * sizeof *d, stream) == cudaSuccess);
    add_to_all<<<N / 64, 64, 0, stream>>>(d, value);
    turn<<<N / 64, 64, 0, stream>>>(d);
    count_threads<<<2, 32, 0, stream>>>(d_counter);
    expect(cudaEventRecord(done, stream) == cudaSuccess);
    expect(cudaMemcpyAsync(h, d, N * sizeof *h, TO_HOST, stream) == cudaSuccess);
    expect(cudaLaunchHostFunc(stream, count_call, &u->host_calls) == cudaSuccess);
    expect(cudaEventSynchronize(done) == cudaSuccess);
    expect(cudaStreamSynchronize(stream) == cudaSuccess);
    expect(all_equal(h, value));
    expect(u->host_calls == round + 1);

    void *arguments[] = {&d};
    expect(cudaLaunchKernel(BY_NAME(set_all<7>), dim3(N / 64), dim3(64), arguments, 0,
                            cudaStreamPerThread) == cudaSuccess);
    add_to_all<<<N / 64, 64, 0, cudaStreamPerThread>>>(d, u->number);
    expect(cudaMemcpyAsync(h, d, N * sizeof *h, TO_HOST, cudaStreamPerThread) == cudaSuccess);
    expect(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
    expect(all_equal(h, 7 + u->number));

    if (concurrent_managed) {
        expect(cudaMallocManaged((void **)&managed, N * sizeof *managed) == cudaSuccess);
        memset(managed, 0, N * sizeof *managed);
        add_to_all<<<N / 64, 64, 0, stream>>>(managed, value);
        expect(cudaStreamSynchronize(stream) == cudaSuccess);
        expect(all_equal(managed, value));
        expect(cudaFree(managed) == cudaSuccess);
    }

    struct cudaPointerAttributes a;
    size_t free_bytes, total;
    expect(cudaPointerGetAttributes(&a, d) == cudaSuccess && a.type == cudaMemoryTypeDevice);
    expect(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess && free_bytes <= total);
    expect(cudaFree(d) == cudaSuccess);
    expect(cudaFreeHost(h) == cudaSuccess);

    // An error is the thread's own.
    if (u->number == 0)
        expect(cudaMemset(NULL, 0, 4) == cudaErrorInvalidValue);
    expect(cudaGetLastError() == (u->number == 0 ? cudaErrorInvalidValue : cudaSuccess));
}

static void *use_device(void *argument) {
    struct user *u = (struct user *)argument;
    cudaStream_t stream = NULL;
    cudaEvent_t done = NULL;
    struct cudaDeviceProp p;
    expect(cudaGetDeviceProperties(&p, 0) == cudaSuccess && p.name[0]);
    for (int i = 0; i < ROUNDS && !u->wrong; i++) {
        if (i % 4 == 0) { // destroyed with work still in it
            if (stream) {
                count_threads<<<2, 32, 0, stream>>>(d_counter);
                expect(cudaEventDestroy(done) == cudaSuccess);
                expect(cudaStreamDestroy(stream) == cudaSuccess);
            }
            expect(cudaStreamCreateWithFlags(
                       &stream, i % 8 ? cudaStreamDefault : cudaStreamNonBlocking) == cudaSuccess);
            expect(cudaEventCreate(&done) == cudaSuccess);
        }
        one_round(u, i, stream, done);
    }
    expect(cudaEventDestroy(done) == cudaSuccess);
    expect(cudaStreamDestroy(stream) == cudaSuccess);
    count_threads<<<2, 32, 0, cudaStreamPerThread>>>(d_counter); // the thread ends before it does
    return NULL;
}

int main(void) {
    need_device();
    concurrent_managed = attribute(cudaDevAttrConcurrentManagedAccess);
    must(cudaMalloc((void **)&d_counter, sizeof *d_counter));
    must(cudaMemset(d_counter, 0, sizeof *d_counter));
    must(cudaEventCreate(&started));
    must(cudaEventRecord(started));

    static struct user users[THREADS];
    for (int i = 0; i < THREADS; i++) {
        users[i].number = i;
        if (pthread_create(&users[i].thread, NULL, use_device, &users[i])) {
            ok(0, "a host thread starts");
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(users[i].thread, NULL);
        if (!ok(!users[i].wrong, "host thread %d of %d", i + 1, THREADS))
            diag("%s:%d: not true: %s", __FILE__, users[i].line, users[i].wrong);
    }
    works(cudaDeviceSynchronize(), "all work of all threads is done");
    const unsigned counted = value_at(d_counter);
    unsigned launches = THREADS * (ROUNDS + (ROUNDS - 1) / 4 + 1);
    ok(counted == 64 * launches, "no launch was lost: %u threads of %u", counted, 64 * launches);
    works(cudaEventDestroy(started), "cudaEventDestroy");
    works(cudaFree(d_counter), "cudaFree");
    works(cudaDeviceReset(), "cudaDeviceReset");
    return done_testing();
}
