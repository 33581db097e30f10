// SPDX-License-Identifier: MIT
// Checks exercise 2.2. One gate holds the stream in front of the function's own work, one holds the
// work itself. `start` must wait for the first, `stop` for the second: whatever the speed.
//
//   build: plain
//   runs: in-order
//   cases: 3, 0
//   unsolved: events: start had its time
#include "../../../tools/learn/api_calls.h"
#include "../../../tools/learn/queued_work.h"

void queue_timed(cudaEvent_t start, cudaEvent_t stop, cudaStream_t stream); // the learner's

static volatile int *in_front, *in_work; // gates
static cudaStream_t stream;
static int launches;

void launch_work(cudaStream_t s) {
    launches++;
    if (s != stream)
        fail("stream", "the work went to another stream than the one it was to go to");
    queue_work(1, stream);
    close_gate(in_work, stream);
}

static void at_wait(const char *call, const void *) { fail("waits", "the host waits in %s", call); }

// Waits until the device is at the second gate.
static void work_begins(int before) {
    struct timespec one_ms = {0, 1000000};
    for (int ms = 0; *work_done == before; ms++)
        if (nanosleep(&one_ms, NULL) || ms == 5000)
            fail("device", "the work does not begin");
}

static void prepare(void) {
    work_create();
    in_front = create_gate();
    in_work = create_gate();
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    close_gate(in_front, stream); // so that all is loaded
    open_gate(in_front);
    calls.at_wait = at_wait;
}

// What the events had: with the stream held, in the work, after it. And whether the default stream
// waited for the same.
enum { HELD, IN_WORK, DONE, MOMENTS };
struct seen {
    int launches, start[MOMENTS], stop[MOMENTS], waits[MOMENTS], never_recorded, created;
};

static struct seen queue_and_look(void) {
    struct seen seen;
    cudaEvent_t start, stop;
    must(cudaEventCreate(&start), "cudaEventCreate");
    must(cudaEventCreate(&stop), "cudaEventCreate");
    must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    launches = 0;
    int before = *work_done;
    close_gate(in_front, stream);
    WATCH(queue_timed(start, stop, stream));
    seen.launches = launches;
    seen.created = calls.events;
    volatile int *closed = in_front;
    for (int moment = HELD; moment < MOMENTS; moment++) {
        if (moment == IN_WORK && launches == 1) {
            closed = in_work;
            open_held(in_front);
            work_begins(before);
        } else if (moment == DONE) {
            open_held(in_front);
            open_held(in_work);
            must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        }
        seen.waits[moment] = moment != DONE && is_held(0, closed);
        seen.start[moment] = !event_is_held(start, closed);
        seen.stop[moment] = !event_is_held(stop, closed);
    }
    float ms;
    seen.never_recorded = cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle;
    (void)cudaGetLastError();
    must(cudaEventDestroy(start), "cudaEventDestroy");
    must(cudaEventDestroy(stop), "cudaEventDestroy");
    return seen;
}

static void check_cases(void) {
    LEARNER(prepare());
    for (int k = 0; k < 3; k++) {
        struct seen seen;
        calling("a stream with other work, call %d", k + 1);
        OBSERVE(seen, queue_and_look());
        if (seen.launches != 1)
            fail("values", "launch_work() was called %d times, and is to be called once",
                 seen.launches);
        if (seen.never_recorded)
            fail("events", "start or stop was never recorded%s",
                 seen.created > 0 ? "; other events were created" : "");
        if (seen.waits[HELD])
            fail("waits", "the default stream waits, too, until the work %s",
                 seen.waits[IN_WORK] ? "is done" : "begins");
        if (seen.start[HELD])
            fail("events", "start had its time when the stream was still busy with other work");
        if (seen.stop[HELD])
            fail("events", "stop had its time when the work had not begun");
        if (!seen.start[IN_WORK])
            fail("events", seen.stop[IN_WORK] ? "start was recorded after stop"
                                              : "start did not come before the end of the work");
        if (seen.stop[IN_WORK])
            fail("events", "stop had its time when the work was not done");
        if (!seen.stop[DONE])
            fail("events", "the work is done, and stop has no time");
        returned();
        passed();
    }
}

static void check_facts(void) {}
