// From Pascal on, host and device may use managed memory at the same time. The program must see to
// it that what they read there is right: the host must not read a result before the kernel is done,
// and two processors that update one number need atomics that both know.
//
//     nvcc -O3 -arch=native 6_both_processors.cu && ./a.out
//     ../../cudacc/cudacc -O2 6_both_processors.cu && ./a.out
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/gate.h"
#include "add.h"
#include "system_atomics.h"

enum { COUNTERS = 256 }; // in one page, which both processors want
enum { ROUNDS = 1000, QUICK_ROUNDS = 10, VARIANTS = 2 };
static const struct variant variants[VARIANTS] = {
    {"add", launch_add, add_reference, 256, 0, 12, 1, 1, "old values for a host that is early"},
    {"add_for_all", launch_add_for_all, rounds_reference, 256, 3, 12, 3, 1,
     "right, also when the host adds in the meantime"},
};

// ---- Reading too early -------------------------------------------------------------------------
static void print_count(const char *variant, const char *what, size_t n, double value,
                        const char *check) {
    struct row row = row_of_floats(variant, n, what);
    row.value = value;
    row.check = check;
    print_row(&row);
}

// How many elements of y are not h_expected's. volatile: each is read now, from memory.
static size_t count_different(const volatile float *y, const float *h_expected, size_t n) {
    size_t different = 0;
    for (size_t i = 0; i < n; i++)
        different += y[i] != h_expected[i];
    return different;
}

// A closed gate stands for a kernel that takes its time: what is read meanwhile is too early.
static void read_too_early(size_t n) {
    volatile int *gate = create_gate();
    struct arrays x = managed_arrays(n);
    float *h_expected = (float *)host_malloc(n * sizeof(float));
    memset(x.d_a, 0, n * sizeof(float));
    memset(x.d_out, 0, n * sizeof(float));
    launch_add(&x, 256, 0); // a kernel must not be new while a gate is closed
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++) {
        x.d_a[i] = small_value(i, 1) + 1; // not 0: every y changes
        x.d_out[i] = h_expected[i] = small_value(i, 3);
    }
    add_reference(h_expected, x.d_a, NULL, n, 0);

    close_gate(gate, 0);
    launch_add(&x, 256, 0);
    size_t early = count_different(x.d_out, h_expected, n); // no cudaDeviceSynchronize() before it
    int held = open_gate(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    size_t late = count_different(x.d_out, h_expected, n);

    // CUDA_LAUNCH_BLOCKING=1 and some tools make the launch wait for the gate: no verdict then.
    const char *check = early == n ? "ok" : "FAIL";
    print_count("add", "wrong, read too early", n, (double)early, held ? check : NULL);
    print_count("add", "wrong, synchronised", n, (double)late, late ? "FAIL" : "ok");
    if (held)
        finding("wrong_too_early", (double)early,
                "Read too early, %zu of %zu elements were wrong; after cudaDeviceSynchronize(), "
                "%zu.",
                early, n, late);
    else
        say("The launch waited for its kernel: here nothing is too early.");
    managed_arrays_free(&x);
    free(h_expected);
    free_gate(gate);
}

// ---- Adding together ---------------------------------------------------------------------------
// The host's atomicAdd_system for a float: again until no other processor was faster.
static void host_atomic_add(float *p, float value) {
    float old, sum;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        sum = old + value;
    while (!__atomic_compare_exchange(p, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

// Host and device each add x to y `rounds` times, at the same time.
static void add_together(void) {
    const int rounds = run.quick ? QUICK_ROUNDS : ROUNDS;
    int meanwhile = 0;
    struct arrays x = managed_arrays(COUNTERS);
    float h_x[COUNTERS], h_expected[COUNTERS]; // x itself belongs to the device meanwhile
    cudaEvent_t done;
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    launch_add_for_all(&x, COUNTERS, 0); // loads it
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < COUNTERS; i++) {
        x.d_a[i] = h_x[i] = small_value(i, 1) + 1;
        x.d_out[i] = 0;
        h_expected[i] = (float)(2 * rounds) * h_x[i]; // below 2^24: exact
    }
    launch_add_for_all(&x, COUNTERS, (size_t)rounds);
    CUDA_CHECK(cudaEventRecord(done, 0));
    for (int round = 0; round < rounds; round++) {
        meanwhile += cudaEventQuery(done) == cudaErrorNotReady;
        for (int i = 0; i < COUNTERS; i++)
            host_atomic_add(&x.d_out[i], h_x[i]);
    }
    (void)cudaGetLastError(); // "not ready" was an answer
    CUDA_CHECK(cudaDeviceSynchronize());
    size_t wrong = count_mismatches(h_expected, x.d_out, COUNTERS, sizeof(float), "add_for_all");
    print_count("add_for_all", "host rounds meanwhile", COUNTERS, meanwhile, NULL);
    print_count("add_for_all", "wrong, both added", COUNTERS, (double)wrong, wrong ? "FAIL" : "ok");
    finding("wrong_sums", (double)wrong,
            "Host and device each added to %d numbers %d times, %d of the host's rounds while the "
            "kernel was queued or running: %zu sums are wrong.",
            COUNTERS, rounds, meanwhile, wrong);
    CUDA_CHECK(cudaEventDestroy(done));
    managed_arrays_free(&x);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "04_unified_memory/both_processors",
              "Host and device may use managed memory at the same time; the program must keep "
              "order.",
              "variant n parameter value flag check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    int concurrent = platform_say();
    size_t n = managed_size(ARTICLE_N, 2);
    if (concurrent) {
        read_too_early(n);
        if (can_add_for_all())
            add_together();
        return run_end();
    }
    for (int i = 0; i < VARIANTS; i++) {
        struct row row = row_of(variants[i].name);
        row.flag = "skipped";
        print_row(&row);
    }
    say("Skipped: without concurrentManagedAccess a host that touches managed memory while a "
        "kernel runs\nends with a segmentation fault. Always synchronize first.");
    return run_end();
}
