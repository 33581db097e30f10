/*
 * latches.c: see latches.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "latches.h"

static void give_latch(int loop) {
    int open = loop + 1, close = tokens[open].match;
    if (is(loop, "for") && !is(close - 1, ";")) /* it says itself what the end of a round does */
        return;
    if (is(loop, "while")) {
        tokens[loop].instead = "for";
        append(&tokens[open].after, ";");
        append(&tokens[close].before, ";");
    }
    append(&tokens[close].before, "({ __asm__ volatile(\"\"); })");
}

static void give_latches_in(int first, int end) {
    for (int i = first; i < end; i++) {
        if (is(i, "do")) {
            int tail = statement_end(i + 1, end) + 1;
            give_latches_in(i + 1, tail);
            i = tail;
        } else if (is_one_of(i, "while for ") && is(i + 1, "(") && opens(i + 1)) {
            give_latch(i);
        }
    }
}

void give_latches(void) {
    for (int i = 0; i < body_count; i++) {
        const struct body *b = &bodies[i];
        if (tokens[b->start].origin == OF_USER && (b->kernel || !of_host(b)) &&
            !has_word(b->start, b->open, "constexpr"))
            give_latches_in(b->open, tokens[b->open].match);
    }
}
