// SPDX-License-Identifier: MIT
// Checks exercise 2.3. With s0 held, s1 must not get anywhere; with s1 held, the sum must be there
// and not be doubled. What comes after an event in s0 is held until s1 has ended: an event before
// the sum lets s1 go first. So the result does not depend on which kernel happens to be faster.
// The last case counts the events that are left, too.
//
//   build: plain
//   runs: in-order
//   cases: 14, 2
//   unsolved: order: s1 did not wait
#include "../../../tools/learn/api_calls.h"
#include "../../../tools/learn/queued_work.h"

void sum_then_twice(float *out, const float *a, const float *b, size_t n, cudaStream_t s0,
                    cudaStream_t s1); // the learner's

static cudaStream_t s[2];
static volatile int *gate, *after_event;
static int hold_events;
static struct {
    int recorded[3], waited[3]; // an event in s0, in s1, elsewhere; s0, s1, another stream for one
    int too_soon;               // s1 waited when none was recorded in s0
} events;

static void at_wait(const char *call, const void *) { fail("waits", "the host waits in %s", call); }

static int number_of(cudaStream_t stream) { return stream == s[0] ? 0 : stream == s[1] ? 1 : 2; }

static void stream_waits(cudaStream_t stream) {
    events.waited[number_of(stream)] = 1;
    events.too_soon |= stream == s[1] && !events.recorded[0];
}

static void after_queued(cudaStream_t stream) {
    events.recorded[number_of(stream)] = 1;
    if (hold_events && stream == s[0])
        close_gate(after_event, stream);
}

// A kernel's first launch may wait for all that runs, also for the gate: so one before it closes.
static void load_kernels(void) {
    struct buffer out = output("out", 1), a = input("a", 1, 1 << 20), b = input("b", 1, 1 << 20);
    calling("n = 1, to begin with");
    LEARNER(sum_then_twice(out.d, a.d, b.d, 1, s[0], s[1]));
    returned();
    release(&out);
    release(&a);
    release(&b);
}

static void prepare(void) {
    gate = create_gate();
    after_event = create_gate();
    work_create();
    for (int k = 0; k < 2; k++)
        must(cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    calls.at_wait = at_wait;
    calls.after_queued = after_queued;
    calls.stream_waits = stream_waits;
}

// Calls the function with s[held] held. held = 0: may s1 end? Not wanted to know: 0.
static int call_with_held(int held, struct buffer *out, struct buffer *a, struct buffer *b,
                          int look) {
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    hold_events = held == 0;
    close_gate(gate, s[held]);
    memset(&events, 0, sizeof events);
    WATCH(sum_then_twice(out->d, a->d, b->d, out->n, s[0], s[1]));
    return look && !is_held(s[1], gate);
}

// With s1 held: what the sum in s0 has left.
static void check_sum(const struct buffer *out) {
    size_t n = out->n;
    float *h = (float *)host_malloc(n * sizeof *h);
    int doubled = 0;
    LEARNER(must(cudaMemcpyAsync(h, out->d, n * sizeof *h, cudaMemcpyDeviceToHost, s[0]),
                 "cudaMemcpyAsync");
            must(cudaStreamSynchronize(s[0]), "cudaStreamSynchronize"));
    float first = h[0];
    SEEN(first);
    LEARNER(must_hold(gate));
    if (judging() && first == 2 * out->h[0] && out->h[0] != 0)
        doubled = 1;
    if (doubled)
        fail("stream", "out is doubled already: the doubling is not in s1");
    check_values("out", h, out->h, n);
    free(h);
}

static const char *why_in_no_order(void) {
    if (!events.recorded[0])
        return events.recorded[1]   ? "; no event was recorded in s0, but one in s1"
               : events.recorded[2] ? "; no event was recorded in s0, but one in another stream"
                                    : "; no event was recorded in s0";
    return events.too_soon    ? "; s1 waited before the event was recorded"
           : events.waited[1] ? ""
           : events.waited[0] ? "; s0 waited for the event, not s1"
                              : "; no stream waited for the event";
}

static void check_cases(void) {
    LEARNER(prepare());
    load_kernels();
    for (int k = 0; k < 14; k++) {
        int held = k < 2; // s1; then s0, again and again: what is not in order may race
        size_t n = k % 2 ? 1000 : (1 << 20) + 1;
        struct buffer out = output("out", n), a = input("a", n, 1 << 20),
                      b = input("b", n, 1 << 20);
        int too_early;
        for (size_t i = 0; i < n && judging(); i++)
            out.h[i] = a.h[i] + b.h[i];
        calling("n = %zu, s%d held", n, held);
        OBSERVE(too_early, call_with_held(held, &out, &a, &b, held == 0 && k < 4));
        SEEN(events);
        const char *why = why_in_no_order();
        if (events.recorded[1] && events.waited[0])
            fail("order", "s0 waits for an event of s1");
        if (too_early)
            fail("order", "s1 did not wait: it was done when the sum in s0 had not begun%s", why);
        if (held == 1)
            check_sum(&out);
        LEARNER(open_held(gate));
        if (held == 0)
            LEARNER((void)is_held(s[1], after_event); open_held(after_event));
        returned();
        float first = 0;
        LEARNER(must(cudaMemcpy(&first, out.d, sizeof first, cudaMemcpyDeviceToHost), "copy"));
        SEEN(first);
        if (held == 0 && first == out.h[0] && first != 0)
            fail("order", "the sum came after the doubling: s1 did not wait for it%s", why);
        for (size_t i = 0; i < n && judging(); i++)
            out.h[i] *= 2;
        check_buffer(&out);
        SEEN(calls.events);
        if (k == 13 && calls.events > 1)
            fail("leak", "14 calls have left %d events that nobody destroyed", calls.events);
        passed();
        release(&out);
        release(&a);
        release(&b);
    }
}

static void check_facts(void) {}
