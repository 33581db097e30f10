/*
 * race.c: what the race check does at each launch, block and barrier (race.h names its parts).
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race_block.h"
#include "trace/check/race_order.h"

/* The current launch. */
static _Atomic uint32_t launch; /* its number; read by launches that did not get their turn, too */
static const struct trace_launch *current;
static int several_blocks;

/* ---- Launches ---------------------------------------------------------------------------- */

void trace_race_launch_begin(const struct trace_launch *l) {
    launch++;
    current = l;
    several_blocks = l->blocks > 1 && l->blocks < 1ull << 26; /* as a union access holds them */
    trace_sites_launch_begin();
    trace_unwritten_launch_begin();
    trace_order_launch_begin();
}

void trace_race_launch_end(int abandoned) {
    trace_unwritten_launch_end();
    trace_conflicts_tell(current, abandoned);
    trace_order_launch_end();
}

/* ---- Blocks ------------------------------------------------------------------------------ */

/* What a block that was abandoned has left behind is forgotten. */
void trace_race_block_begin(struct checker *c) {
    if (c->launch != launch) {
        trace_arena_reuse(&c->of_launch);
        c->launch = launch;
    }
    c->epoch = 0;
    c->interval++;
    c->any_volatile = 0;
    c->cross_block = c->alone && several_blocks && !atomic_load(&trace_races_off);
    trace_block_forget(c);
    trace_unwritten_forget(c);
    trace_under_way_forget(c);
    trace_order_block_begin(c);
}

void trace_race_block_end(struct checker *c) {
    trace_order_block_end(c);
    trace_block_tell(c);
    trace_unwritten_tell(c);
    trace_block_publish(c);
    if (c->cross_block)
        trace_order_publish(c);
}

/* ---- What comes between accesses --------------------------------------------------------- */

void trace_race_barrier(struct checker *c) { c->epoch++, c->interval++; }

void trace_race_fence(struct checker *c, unsigned thread, int is_of_block) {
    c->any_fence = 1;
    if (c->fences[thread] < UINT8_MAX)
        c->fences[thread]++;
    if (!is_of_block)
        c->wide[thread] = c->fences[thread];
}
