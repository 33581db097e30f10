// SPDX-License-Identifier: MIT
// Checks exercise 1.4: the same values, complete at the return, with few waits.
//
//   build: plain
//   runs: late facts
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

// What one of the arrays holds, in the judge.
static float *seen_in(const struct buffer *b) {
    size_t bytes = b->n * sizeof(float);
    float *seen = (float *)host_malloc(bytes);
    LEARNER(must(cudaMemcpy(seen, b->d, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy"));
    exchange(seen, bytes);
    return seen;
}

static int same(const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(a[i] == b[i]))
            return 0;
    return 1;
}

// Where the result is in the other array, or a has the result of fewer or more steps, this is what
// is wrong, and not one of the elements. in: what a held before.
static void check_steps(const struct buffer *a, const struct buffer *b, const float *in,
                        int steps) {
    float *in_a = seen_in(a), *in_b = seen_in(b), *right = (float *)host_malloc(a->n * sizeof *in);
    memcpy(right, in, a->n * sizeof *in);
    for (int k = 0; judging() && k <= 2 * steps + 1 && !same(in_a, a->h, a->n); k++) {
        if (same(in_b, a->h, a->n))
            fail("values", "the result of %d step%s is in b, and not in a", steps,
                 steps == 1 ? "" : "s");
        if (k != steps && same(in_a, right, a->n))
            fail("values", "a holds the result of %d step%s", k, k == 1 ? "" : "s");
        reference(right, a->n, 1);
    }
    free(in_a);
    free(in_b);
    free(right);
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
        float *in = (float *)host_malloc(n * sizeof *in);
        memcpy(in, a.h, n * sizeof *in);
        if (judging())
            reference(a.h, n, steps[k]);
        check_steps(&a, &b, in, steps[k]);
        free(in);
        check_buffer(&a);
        SEEN(calls.waits);
        waits = calls.waits;
        passed();
        release(&a);
        release(&b);
    }
    goal("waits of the host in 100 steps", number(waits), 200, 1);
}

static void check_facts(void) {
    const size_t n = 1000 + (size_t)chance(1000);
    const int steps = 2 + (int)chance(4);
    struct buffer a = input("a", n, 1 << 20), b = output("b", n);
    calling("n = %zu, %d steps", n, steps);
    LEARNER(grow_steps(a.d, b.d, n, steps));
    returned();
    if (judging())
        reference(a.h, n, steps);
    check_buffer(&a);
    passed();
    limit_from_kernels("a", a.d, n);
    release(&a);
    release(&b);
}
