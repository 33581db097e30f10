/*
 * watchdog.c: kernels that do not end: a loop that polls for what never comes, or one without an
 * end.  They are stopped with an error, as a GPU's driver may do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <stdio.h>

static void livelock(struct worker *w, const char *why) {
    char what[240];
    leave_fast_path(w);
    unsigned in_warp = waiting_in_warps(w);
    snprintf(what, sizeof what,
             "%s (of the block's %u threads %u have returned, %u wait at "
             "__syncthreads, %u in a warp function, %u in loops)",
             why, w->threads, w->finished, w->at_barrier, in_warp,
             w->started - w->finished - w->at_barrier - in_warp);
    cpu_device_die(cudaErrorLaunchTimeout, what, NULL);
}

/* Said soon, since it may be a mistake; it need not be one. At most once for each launch. */
static void tell_slow(const struct worker *w) {
    static const struct cpu_device_launch *told;
    char text[500], place[200];
    if (__atomic_exchange_n(&told, w->launch, __ATOMIC_RELAXED) == w->launch)
        return;
    kernel_place(place, sizeof place);
    snprintf(text, sizeof text,
             "CPU device: %s: for %g s of processor time no thread of this block has returned or "
             "passed a barrier; after %g s the kernel is ended (CPU_DEVICE_PATIENCE)\n",
             place, cpu_device.patience, 60 * cpu_device.patience);
    cpu_device_print(text);
}

/* A right kernel that one thread runs alone may take minutes: in this time, ten minutes unless told
 * otherwise, a processor makes billions of traced accesses. */
void kernel_watchdog(void) {
    struct worker *w = self;
    double now = cpu_device_seconds(CLOCK_THREAD_CPUTIME_ID);
    if (!w->work_from || w->progress != w->work_seen) {
        w->work_seen = w->progress;
        w->work_from = now;
    } else if (now - w->work_from > 60 * cpu_device.patience) {
        char why[80];
        snprintf(why, sizeof why, "a loop that does not end within %.0f s of processor time",
                 60 * cpu_device.patience);
        livelock(w, why);
    } else if (now - w->work_from > cpu_device.patience) {
        tell_slow(w);
    }
}

/* Seconds of polling after which a worker lets more blocks begin, for the first time and later. */
static const double ALONE = 0.02, STILL_ALONE = 0.001;

/* A thread polls. If that is all that this worker has done for so many seconds of its own CPU time,
 * and meanwhile no thread of the launch has returned or passed a barrier, none ever will. */
void poll_watchdog(struct worker *w) {
    double patience = cpu_device.patience;
    int extra_workers = __atomic_load_n(&w->launch->extra_workers, __ATOMIC_RELAXED);
    if (++w->polls % 64)
        return;
    __atomic_store_n(&w->launch->polled, 1, __ATOMIC_RELAXED);
    double now = cpu_device_seconds(CLOCK_THREAD_CPUTIME_ID);
    if (!w->helped_at || w->progress != w->own_seen) {
        w->own_seen = w->progress;
        w->helped_at = now;
    } else if (now - w->helped_at > (extra_workers ? STILL_ALONE : ALONE)) {
        w->call_helper(w);
        w->helped_at = now;
    }
    if (extra_workers > 3 * cpu_device.workers) /* they share the time of four for each worker */
        patience = patience * 4 * cpu_device.workers / (extra_workers + cpu_device.workers);
    unsigned long progress = w->progress + __atomic_load_n(&w->launch->progress, __ATOMIC_RELAXED);
    if (!w->patience_from || progress != w->progress_seen) {
        w->progress_seen = progress;
        w->patience_from = now;
    } else if (now - w->patience_from > patience) {
        int crowded = w->block != w->chunk_end ||
                      __atomic_load_n(&w->launch->next_block, __ATOMIC_RELAXED) < w->launch->blocks;
        livelock(w, crowded ? "a wait that does not end, while blocks that have not begun wait for "
                              "others to end"
                            : "a wait that does not end");
    }
}
