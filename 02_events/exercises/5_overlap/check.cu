// SPDX-License-Identifier: MIT
// Checks exercise 2.5. With one stream held, the half in the other one must be done all the same:
// then the two can overlap, on any device, and it need not be measured.
//
//   build: plain
//   runs: in-order facts
//   unsolved: goal: 0 of 2 halves continue
#include "../../../tools/learn/api_calls.h"
#include "../../../tools/learn/queued_work.h"

float *host_array(size_t n); // the learner's
void host_array_free(float *h);
void process(float *h_out, const float *h_in, float *d_out, float *d_in, size_t n, cudaStream_t s0,
             cudaStream_t s1);

static volatile int *gate;
static cudaStream_t s[2];
static int waited;                           // the host has waited for what was held
static int no_stream, waits_at_all;          // causes of that no half goes on alone
static int kinds[cudaMemoryTypeManaged + 1]; // of memory that host_array() has given

// A call that waits is let through, and counted.
static void at_wait(const char *, const void *) {
    waited = 1;
    open_held(gate);
}

// Calls process() with s[held] held, and keeps what there is of h_out when the other has nothing to
// do any more.
static void process_held(float *h_out, float *h_in, struct buffer *out, struct buffer *in, int held,
                         float *meanwhile) {
    size_t bytes = out->n * sizeof(float);
    memcpy(h_in, in->h, bytes);
    memset(h_out, POISON_BYTE, bytes);
    must(cudaMemset(in->d, POISON_BYTE, bytes), "cudaMemset");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    close_gate(gate, s[held]);
    waited = 0;
    int before = in_default_stream;
    WATCH(process(h_out, h_in, out->d, in->d, out->n, s[0], s[1]));
    no_stream |= in_default_stream != before;
    waits_at_all |= waited;
    if (!waited)
        (void)is_held(s[!held], gate);
    memcpy(meanwhile, h_out, bytes);
}

// The elements that are there while stream `held` is held; all of them are checked in the end.
static size_t done_meanwhile(size_t n, int held) {
    float *h_in = NULL, *h_out = NULL;
    LEARNER(h_in = host_array(n), h_out = host_array(n); kinds[type_of(h_in)] = 1;
            kinds[type_of(h_out)] = 1);
    SEEN(kinds);
    if (kinds[cudaMemoryTypeManaged])
        fail("memory", "host_array() gives managed memory, which is not pinned: its pages move");
    struct buffer in = input("d_in", n, 1 << 20), out = output("d_out", n);
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i] = 2 * in.h[i];
    calling("n = %zu, s%d held", n, held);
    float *meanwhile = (float *)host_malloc(n * sizeof *meanwhile);
    LEARNER(process_held(h_out, h_in, &out, &in, held, meanwhile));
    SEEN(waited);
    exchange(meanwhile, n * sizeof *meanwhile);
    size_t there = 0;
    for (size_t i = 0; i < n && !waited && judging(); i++)
        there += meanwhile[i] == out.h[i];
    free(meanwhile);
    LEARNER(open_held(gate));
    returned();
    check_values("h_out", h_out, out.h, n);
    check_buffer(&in);
    check_buffer(&out);
    passed();
    LEARNER(host_array_free(h_in); host_array_free(h_out));
    release(&in);
    release(&out);
    return there;
}

static void prepare(void) {
    work_create();
    gate = create_gate();
    for (int k = 0; k < 2; k++) // ordinary streams: the default stream waits for them
        must(cudaStreamCreate(&s[k]), "cudaStreamCreate");
    calls.at_wait = at_wait;
}

static void check_cases(void) {
    double halves = 0;
    int waits = 0;
    LEARNER(prepare());
    for (int k = 0; k < 6; k++) {
        size_t n = 2 + 2 * (size_t)chance(100000);
        double part = (double)done_meanwhile(n, k % 2) / (double)n;
        halves += k < 4 ? 0 : fmin(2 * part, 1);
        SEEN(calls.waits);
        waits = waits > calls.waits ? waits : calls.waits;
    }
    SEEN(no_stream);
    SEEN(waits_at_all);
    char label[120];
    snprintf(label, sizeof label, "# of 2 halves continue while the other stream is held%s",
             halves > 1.9                        ? ""
             : kinds[cudaMemoryTypeUnregistered] ? " (the host's memory is not pinned)"
             : waits_at_all                      ? " (a call waits)"
             : no_stream                         ? " (a call is in the default stream)"
             : halves > 0.9                      ? " (all is in one stream)"
                                                 : "");
    goal(label, number(halves), 0, 2);
    goal("waits of the host per call", number(waits), 2, 0);
}

static void check_facts(void) {
    const size_t n = 2 + 2 * (size_t)chance(10000);
    float *h_in = NULL, *h_out = NULL;
    LEARNER(prepare(); h_in = host_array(n), h_out = host_array(n));
    struct buffer in = input("d_in", n, 1 << 20), out = output("d_out", n);
    calling("n = %zu", n);
    LEARNER(memcpy(h_in, in.h, n * sizeof *h_in));
    LEARNER(process(h_out, h_in, out.d, in.d, n, s[0], s[1]));
    returned();
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i] = 2 * in.h[i];
    check_values("h_out", h_out, out.h, n);
    check_buffer(&out);
    passed();
    limit_from_kernels("d_out", out.d, n);
    LEARNER(host_array_free(h_in); host_array_free(h_out));
    release(&in);
    release(&out);
}
