// SPDX-License-Identifier: MIT
// Checks exercise 1.1. The clock is the check's own: it goes on by the units of work that
// the device has finished, and by nothing else. So the right answer is known before, anywhere.
//
//   build: plain
//   runs: late
//   cases: 6, 0
//   unsolved: sync: time_work_ms() returned 0
#include "../../../tools/learn/queued_work.h"

double time_work_ms(void); // the learner's

static int units, launches;
static double origin;

double now_ms(void) { return origin + *work_done; }

void launch_work(void) {
    launches++;
    queue_work(units, 0);
}

static void check_cases(void) {
    LEARNER(work_create());
    for (int k = 0; k < 6; k++) {
        int others = k < 3 ? 0 : 1 + (int)chance(500); // somebody else's work, queued before
        units = 1 + (int)chance(500);
        origin = chance(1 << 30);
        launches = 0;
        calling("%d ms of work%s", units, others ? ", a busy device" : "");
        if (others)
            LEARNER(queue_work(others, 0));
        double ms;
        OBSERVE(ms, time_work_ms());
        SEEN(launches);
        if (launches != 1)
            fail("values", "launch_work() was called %d times, and is to be called once", launches);
        if (ms != units)
            fail(ms == 0 || ms == others || ms == others + units ? "sync" : "values",
                 "time_work_ms() returned %g, the device worked for %d ms%s", ms, units,
                 ms == 0                ? ": your clock stopped before the kernel ran"
                 : !others              ? ""
                 : ms == others         ? ": it timed what was queued before, and nothing else"
                 : ms == others + units ? ": it timed what was queued before, too"
                                        : "");
        returned();
        passed();
    }
}

static void check_facts(void) {}
