// SPDX-License-Identifier: MIT
// Checks exercise 4.1: what the host reads, and that the kernels did the adding.
//
//   runs: late facts
//   cases: 19, 0
//   unsolved: sync: of the old values
#include "../../../tools/learn/queued_work.h"

float add_and_find_largest(float *y, const float *x, size_t n); // the learner's

static float *managed(size_t n) {
    void *p;
    must(cudaMallocManaged(&p, n * sizeof(float), cudaMemAttachGlobal), "cudaMallocManaged");
    return (float *)p;
}

static void expect_largest(size_t n) {
    float *x = managed(n), *y = managed(n), before = 0, after = 0, largest;
    int is_done, launched;
    float *expected = (float *)host_malloc(n * sizeof *expected);
    for (size_t i = 0; i < n; i++) {
        int peak = n % 2 == 0 && i == n - 1; // no wrong answer passes by luck
        x[i] = (float)(peak ? 1 << 20 : 1 + chance(1 << 20));
        y[i] = (float)(peak ? 1 << 20 : chance(1 << 20));
        expected[i] = x[i] + y[i];
        before = fmaxf(before, y[i]);
        after = fmaxf(after, expected[i]);
    }
    LEARNER(must(cudaDeviceSynchronize(), "cudaDeviceSynchronize"));
    LEARNER(queue_work(1, 0)); // so that the kernel is never done at once
    calling("n = %zu", n);
    int before_call = launches_here;
    OBSERVE(largest, add_and_find_largest(y, x, n));
    OBSERVE(launched, !launches_here || launches_here != before_call);
    if (!(largest == after)) {
        int old = largest == before;
        fail(old ? "sync" : "values", "it returned %.9g, the largest%s; right is %.9g", largest,
             old ? " of the old values: the kernel was not done" : "", after);
    }
    if (!launched)
        fail("facts", "no kernel was launched: the host has added x to y");
    OBSERVE(is_done, cudaStreamQuery(0) == cudaSuccess);
    if (!is_done)
        fail("sync", "it returned when the device was not done");
    check_values("y", y, expected, n);
    returned();
    passed();
    must(cudaFree(x), "cudaFree");
    must(cudaFree(y), "cudaFree");
    free(expected);
}

static void check_cases(void) {
    LEARNER(work_create());
    for (int k = 1; k < SIZES; k++)
        expect_largest(sizes[k]);
}

static void check_facts(void) {
    size_t n = (1 << 16) + 256 * (size_t)chance(64);
    LEARNER(work_create());
    expect_largest(n);
    explain(per("useful ld", n), 0, 7.99,
            "kernels have not read all of x and y: the host has added the rest");
    limit("bytes read by kernels per element", per("useful ld", n), 8, 8.001);
    limit("bytes written by kernels per element", per("useful st", n), 4, 4.001);
}
