// SPDX-License-Identifier: MIT
// Checks exercise 4.4: the same result, with few bytes carried from one side to the other, as pages
// or as copies.
//
//   build: plain
//   runs: late in-order facts
//   unsolved: goal: 160 bytes moved
#include "../../../tools/learn/api_calls.h"
#include "../../experiments/page_counters.h"

int halve_until(float *x, size_t n, float limit); // the learner's

static int can_count; // page_counters.h can, where the worker runs

static void fail_steps(int returned, int right) {
    fail("values", "it returned %d, right is %d: %s", returned, right,
         returned < right ? "too few" : "too many");
}

// The largest element is 2^power; returns the bytes that have moved while the function ran.
static double expect_steps(size_t n, int power, float limit) {
    int steps = 0;
    double bytes = 0;
    void *p;
    if (can_count && !judging())
        counters_start();
    must(cudaMallocManaged(&p, n * sizeof(float), cudaMemAttachGlobal), "cudaMallocManaged");
    float *x = (float *)p, *expected = (float *)host_malloc(n * sizeof *expected);
    unsigned salt = chance(1u << 24);
    for (size_t i = 0; i < n; i++) // on the host, so its pages begin there
        x[i] = expected[i] = (float)((unsigned)fill_value(i, salt) % (1u << power));
    x[n - 1] = expected[n - 1] = (float)(1 << power);
    for (double largest = 1 << power; largest > limit; largest /= 2)
        steps++;
    calling("n = %zu, from 2^%d to %g", n, power, limit);
    int returned_steps;
    double copied = calls.copied;
    WATCH(returned_steps = halve_until(x, n, limit));
    SEEN(returned_steps);
    returned();
    if (can_count && !judging()) {
        struct counters c = counters_stop();
        bytes = (double)(c.traffic[TO_THE_DEVICE].bytes + c.traffic[TO_THE_HOST].bytes) +
                calls.copied - copied;
    }
    SEEN(bytes);
    if (returned_steps != steps)
        fail_steps(returned_steps, steps);
    for (size_t i = 0; i < n; i++)
        expected[i] = ldexpf(expected[i], -steps);
    check_values("x", x, expected, n);
    passed();
    must(cudaFree(x), "cudaFree");
    free(expected);
    return bytes;
}

static void check_cases(void) {
    OBSERVE(can_count, counters_open() == NULL);
    for (int k = 1; k < SIZES - 2; k++) // the last two take long: every page is a fault
        expect_steps(sizes[k], (int)chance(20), ldexpf(1, (int)chance(10)));
    expect_steps(1000, 19, 1 << 19); // no step at all
    const size_t n = 1 << 18;
    double bytes = expect_steps(n, 20, 1) / (double)n; // 20 steps
    if (can_count)
        goal("bytes moved per element in 20 steps", number(bytes), 160, 4);
}

static void check_facts(void) {
    const size_t n = 1000 + (size_t)chance(1000);
    const int steps = 3 + (int)chance(5);
    void *p;
    must(cudaMallocManaged(&p, n * sizeof(float), cudaMemAttachGlobal), "cudaMallocManaged");
    float *x = (float *)p, *expected = (float *)host_malloc(n * sizeof *expected);
    unsigned salt = chance(1u << 24);
    for (size_t i = 0; i < n; i++)
        x[i] = expected[i] = (float)(1 + (unsigned)fill_value(i, salt) % 1000);
    x[n - 1] = expected[n - 1] = 1024;
    calling("n = %zu, from 2^10 to %g", n, ldexp(1, 10 - steps));
    int returned_steps;
    OBSERVE(returned_steps, halve_until(x, n, ldexpf(1, 10 - steps)));
    returned();
    if (returned_steps != steps)
        fail_steps(returned_steps, steps);
    for (size_t i = 0; i < n; i++)
        expected[i] = ldexpf(expected[i], -steps);
    check_values("x", x, expected, n);
    passed();
    limit_from_kernels("x", x, n);
    must(cudaFree(x), "cudaFree");
    free(expected);
}
