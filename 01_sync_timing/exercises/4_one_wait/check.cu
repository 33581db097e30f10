// SPDX-License-Identifier: MIT
// Checks exercise 1.4: the same values, complete at the return, with few waits.
//
//   build: plain
//   runs: late
//   unsolved: goal: 200 waits of the host
#include "../../../tools/learn/api_calls.h"
#include "../../../tools/learn/queued_work.h"

void grow_steps(float *a, float *b, size_t n, int steps); // the learner's

static void reference(float *a, size_t n, int steps) {
    float *b = (float *)host_malloc(n * sizeof *b);
    for (int step = 0; step < steps; step++) {
        for (size_t i = 0; i < n; i++)
            b[i] = fmaxf(a[i > 0 ? i - 1 : 0], fmaxf(a[i], a[i + 1 < n ? i + 1 : i]));
        memcpy(a, b, n * sizeof *b);
    }
    free(b);
}

static void check_cases(void) {
    static const int steps[] = {0, 1, 2, 7, 100};
    int waits = 0;
    LEARNER(work_create());
    for (int k = 0; k < 5; k++) {
        size_t n = k == 4 ? 1000 : 1 + chance(100000);
        struct buffer a = input("a", n, 1 << 20), b = output("b", n);
        LEARNER(queue_work(1, 0)); // so that no kernel is done before the function returns
        calling("n = %zu, %d steps", n, steps[k]);
        WATCH(grow_steps(a.d, b.d, n, steps[k]));
        int is_done;
        OBSERVE(is_done, steps[k] == 0 || cudaStreamQuery(0) == cudaSuccess);
        if (!is_done)
            fail("sync", "it returned before the device was done");
        returned();
        if (judging())
            reference(a.h, n, steps[k]);
        check_buffer(&a);
        SEEN(calls.waits);
        waits = calls.waits;
        passed();
        release(&a);
        release(&b);
    }
    goal("waits of the host in 100 steps", number(waits), 200, 1);
}

static void check_facts(void) {}
