// From Pascal on, host and device may use managed memory at the same time. Whether what they read
// there is right is the program's business: the host must not read a result before the kernel is
// done, and two processors that update one number need atomics that both know.
//
//     nvcc -O3 4_both_processors.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 4_both_processors.cu && ./a.out
//
// SPDX-License-Identifier: MIT
#include "../../02_events/experiments/gate.h"
#include "../../common/arrays.h"
#include "managed.h"

enum {
    COUNTERS = 256, // in one page, which both processors want
    ROUNDS = 1000,
    QUICK_ROUNDS = 10,
};

// ---- Reference ---------------------------------------------------------------------------------
static void add_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + y[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
__global__ void add(float *y, const float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)blockDim.x * gridDim.x;
    for (size_t i = first; i < n; i += step)
        y[i] = x[i] + y[i];
}

// The same, `rounds` times, so that no addition is lost when the host adds to y meanwhile.
// atomicAdd alone is atomic among the threads of the device; _system is so for all processors of
// the system. It exists from Pascal on: code for older ones leaves y as it is.
__global__ void add_for_all(float *y, const float *x, size_t n, int rounds) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds && i < n; round++)
        atomicAdd_system(&y[i], x[i]);
#endif
}

// Can this build of it be used? An old nvcc compiles for older devices unless told -arch=sm_60.
__global__ void has_system_atomics(int *answer) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
    *answer = 1;
#else
    *answer = 0;
#endif
}

static void launch_add(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        add<<<blocks(n, 256), 256>>>(y, x, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_add_for_all(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        add_for_all<<<blocks(n, 256), 256>>>(y, x, n, 1);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"add", launch_add, add_reference, 12, 1, 1, "old values for a host that reads too early"},
    {"add_for_all", launch_add_for_all, add_reference, 12, 1, 1, "right, whoever adds meanwhile"},
};

// ---- Reading too early -------------------------------------------------------------------------
static void print_count(struct run *run, const char *variant, const char *what, size_t n,
                        double value, const char *check) {
    struct row row = run_row(run, variant);
    row.dtype = "float";
    row.n = n;
    row.parameter = what;
    row.value = value;
    row.check = check;
    run_print(run, &row);
}

// How many elements of y are not h_expected's. volatile: each is read now, from memory.
static size_t count_different(const volatile float *y, const float *h_expected, size_t n) {
    size_t different = 0;
    for (size_t i = 0; i < n; i++)
        different += y[i] != h_expected[i];
    return different;
}

// A closed gate stands for a kernel that takes its time: what is read meanwhile is too early.
static void read_too_early(struct run *run, size_t n) {
    volatile int *gate = create_gate();
    float *x = managed_malloc(n), *y = managed_malloc(n);
    float *h_expected = (float *)host_malloc(n * sizeof(float));
    memset(x, 0, n * sizeof(float));
    memset(y, 0, n * sizeof(float));
    launch_add(y, x, NULL, n); // a kernel must not be new behind a gate
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++) {
        x[i] = small_value(i, 1) + 1; // not 0: every y changes
        y[i] = h_expected[i] = small_value(i, 3);
    }
    variants[0].reference(h_expected, x, NULL, n);

    close_gate(gate, 0);
    launch_add(y, x, NULL, n);
    size_t early = count_different(y, h_expected, n); // a cudaDeviceSynchronize() is missing here
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    size_t late = count_different(y, h_expected, n);

    // CUDA_LAUNCH_BLOCKING=1 and some tools make the launch wait for the gate: no verdict then.
    print_count(run, "add", "wrong, read too early", n, (double)early,
                !held        ? NULL
                : early == n ? "ok"
                             : "FAIL");
    print_count(run, "add", "wrong, synchronised", n, (double)late, late ? "FAIL" : "ok");
    run_say(run,
            "Read too early, %zu of %zu elements were wrong; after cudaDeviceSynchronize(), %zu.",
            early, n, late);
    if (!held)
        run_say(run, "(The launch waited for its kernel: here nothing is too early.)");
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    free(h_expected);
    free_gate(gate);
}

// ---- Adding together ---------------------------------------------------------------------------
// The host's atomicAdd_system for a float: again until nobody was faster.
static void host_atomic_add(float *p, float value) {
    float old, sum;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        sum = old + value;
    while (!__atomic_compare_exchange(p, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

// Host and device each add x to y ROUNDS times, at the same time.
static void add_together(struct run *run) {
    int rounds = run->quick ? QUICK_ROUNDS : ROUNDS, meanwhile = 0, *answer;
    float *x = managed_malloc(COUNTERS), *y = managed_malloc(COUNTERS), h_expected[COUNTERS];
    CUDA_CHECK(cudaMallocManaged((void **)&answer, sizeof *answer, cudaMemAttachGlobal));
    has_system_atomics<<<1, 1>>>(answer);
    CUDA_CHECK(cudaGetLastError());
    add_for_all<<<1, COUNTERS>>>(y, x, 0, 0); // loads it
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    int can = *answer;
    for (int i = 0; i < COUNTERS; i++) {
        x[i] = small_value((size_t)i, 1) + 1;
        y[i] = 0;
        h_expected[i] = (float)(can ? 2 * rounds : rounds) * x[i]; // below 2^24: exact
    }
    float h_x[COUNTERS];
    memcpy(h_x, x, sizeof h_x); // x itself belongs to the device from here on
    cudaEvent_t done;
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    add_for_all<<<1, COUNTERS>>>(y, x, COUNTERS, rounds);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(done, 0));
    for (int round = 0; round < rounds; round++) {
        meanwhile += cudaEventQuery(done) == cudaErrorNotReady;
        for (int i = 0; i < COUNTERS; i++)
            host_atomic_add(&y[i], h_x[i]);
    }
    (void)cudaGetLastError(); // "not ready" was an answer
    CUDA_CHECK(cudaDeviceSynchronize());
    size_t wrong = count_mismatches(h_expected, y, COUNTERS, sizeof(float), 0, "add_for_all");
    print_count(run, "add_for_all", "host rounds meanwhile", COUNTERS, meanwhile, NULL);
    print_count(run, "add_for_all", "wrong, both added", COUNTERS, (double)wrong,
                wrong ? "FAIL" : "ok");
    if (can)
        run_say(run,
                "Host and device each added to %d numbers %d times, %d of the host's rounds while "
                "the kernel\nwas queued or running: %zu sums are wrong.",
                COUNTERS, rounds, meanwhile, wrong);
    else
        run_say(run, "Skipped: built for a device before Pascal; nvcc -arch=sm_60 or later.");
    CUDA_CHECK(cudaEventDestroy(done));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    CUDA_CHECK(cudaFree(answer));
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "04_unified_memory",
    "both_processors",
    "Host and device may use managed memory at the same time; the program must keep order.",
    "variant n parameter value flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    struct platform platform = platform_say(&run);
    size_t n = managed_size(&run);
    if (platform.concurrent) {
        read_too_early(&run, n);
        add_together(&run);
        return run_end(&run);
    }
    for (int i = 0; i < 2; i++) {
        struct row row = run_row(&run, variants[i].name);
        row.flag = "skipped";
        run_print(&run, &row);
    }
    run_say(&run,
            "Skipped: without concurrentManagedAccess a host that touches managed memory while "
            "a kernel runs\nends with a segmentation fault. Synchronise first, always.");
    return run_end(&run);
}
