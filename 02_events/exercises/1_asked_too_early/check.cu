// SPDX-License-Identifier: MIT
// Checks exercise 2.1: events that are not there yet, with more work after them, and events that
// will never have a time.
//
//   build: plain
//   runs: in-order late
//   cases: 12, 0
//   unsolved: sync: had no time yet
#include "../../../tools/learn/api_calls.h"
#include "../../../tools/learn/queued_work.h"

float ms_between(cudaEvent_t start, cudaEvent_t stop); // the learner's

static cudaEvent_t start, stop;
static volatile int *between, *behind; // two gates
static int more;                       // the second is closed, too
static int asked;                      // whether there is a time yet, and there was none
static float time_is;                  // what the CPU device says, so that verdicts are alike

static void at_elapsed(float *ms, cudaEvent_t a, cudaEvent_t b) {
    if (a == start && b == stop)
        *ms = time_is;
    else if (a == stop && b == start)
        *ms = -time_is;
}

// The device comes to `stop` when somebody waits for it, or for all, and not before. To ask once is
// not to wait; to ask again and again is.
static void at_wait(const char *call, const void *handle) {
    if ((strstr(call, "Query") || strstr(call, "Elapsed")) && asked++ == 0)
        return;
    if (more && handle != start && handle != stop)
        fail("waits", "the host waits in %s for the work after the events", call);
    if (handle != start)
        open_held(between);
}

// Whoever waits for it then waits for the work behind: seen here, no gate has to give up.
static void at_record(cudaStream_t) { fail("events", "it recorded an event once more"); }

static void create_events(unsigned flags) {
    must(cudaEventCreate(&start), "cudaEventCreate");
    must(cudaEventCreateWithFlags(&stop, flags), "cudaEventCreateWithFlags");
    must(cudaEventRecord(start, 0), "cudaEventRecord");
}

static void queue_events(void) {
    create_events(0);
    close_gate(between, 0);
    must(cudaEventRecord(stop, 0), "cudaEventRecord");
    if (more)
        close_gate(behind, 0);
}

static float time_of_events(void) {
    float ms;
    open_held(between);
    open_held(behind);
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    must(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    return ms;
}

static void expect_time(void) {
    float expected, ms;
    time_is = (float)(1 + chance(1000)) + 0.25f;
    LEARNER(queue_events());
    calling("two events around a kernel%s", more ? ", more work after them" : "");
    asked = 0;
    WATCH(ms = ms_between(start, stop));
    SEEN(ms);
    OBSERVE(expected, time_of_events());
    if (ms == 0)
        fail("sync", "it returned 0: stop had no time yet, and the error was ignored");
    if (ms == -1)
        fail("values", "it returned -1, and there is a time between the two");
    if (!(ms == expected))
        fail("values", "it returned %g, and cudaEventElapsedTime() says %g ms%s", ms, expected,
             ms == -expected                         ? ": that is backwards"
             : fabs(ms * 1000 / expected - 1) < 1e-3 ? ": that is in seconds"
                                                     : "");
    returned();
    passed();
}

static void expect_none(const char *what, unsigned flags, int recorded) {
    LEARNER(create_events(flags));
    if (recorded)
        LEARNER(must(cudaEventRecord(stop, 0), "cudaEventRecord"));
    calling("%s", what);
    float ms;
    OBSERVE(ms, ms_between(start, stop));
    if (ms != -1)
        fail("values", "it returned %g, right is -1", ms);
    must(cudaGetLastError(), "an error is left");
    passed();
}

static void check_cases(void) {
    LEARNER(between = create_gate());
    LEARNER(behind = create_gate());
    calls.at_wait = at_wait;
    calls.at_elapsed = at_elapsed;
    calls.after_queued = at_record;
    for (int k = 0; k < 4; k++) {
        more = k % 2;
        expect_time();
    }
    expect_none("an event that was never recorded", 0, 0);
    expect_none("an event made without timing", cudaEventDisableTiming, 1);
}

static void check_facts(void) {}
