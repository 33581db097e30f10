/*
 * loop_ends.c: where a loop comes to the end of an iteration, and where it begins.
 *
 * `while (c)` and `for (a; c;)` have no place of their own for the end of an iteration: a
 * `continue` in them is a jump to the condition, and clang makes a loop within the loop of it,
 * which the lanes of a warp leave one by one.  So they become `for (; c; nothing)`, with a nothing
 * that no compiler removes.
 *
 * gcc puts a loop that it unrolls early behind the first way into it: lanes that come another way,
 * further on, come too late.  So all ways lead to a nothing before the loop, which stays in place.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"

static void give_latch(int loop, int end) {
    int open = loop + 1, close = tokens[open].match;
    (void)end;
    if (is(loop, "do") || /* or it says what an iteration ends with */
        (is(loop, "for") && !is(close - 1, ";")))
        return;
    if (is(loop, "while")) {
        tokens[loop].instead = "for";
        append(&tokens[open].after, ";");
        append(&tokens[close].before, ";");
    }
    append(&tokens[close].before, "({ __asm__ volatile(\"\"); })");
}

/* Not behind a pragma: that wants the loop itself. */
static void give_entry(int loop, int end) {
    const struct token *last = &tokens[loop - 1];
    size_t from = last->start + last->length;
    if (memchr(text + from, '#', tokens[loop].start - from))
        return;
    append(&tokens[loop].before, "{ __asm__ volatile(\"\"); ");
    append(&tokens[statement_end(loop, end)].after, " }");
}

static void give_in(int first, int end, void (*give)(int loop, int end)) {
    for (int i = first; i < end; i++) {
        int tail = is(i, "do") ? statement_end(i + 1, end) + 1 : 0;
        if (tail || (is_one_of(i, "while for ") && is(i + 1, "(") && opens(i + 1)))
            give(i, end);
        if (tail) {
            give_in(i + 1, tail, give);
            i = tail;
        }
    }
}

static void in_device_code(void (*give)(int loop, int end)) {
    for (int i = 0; i < body_count; i++) {
        const struct body *b = &bodies[i];
        if (is_user_device_code(b) && !has_word(b->start, b->open, "constexpr"))
            give_in(b->open, tokens[b->open].match, give);
    }
}

void give_latches(void) { in_device_code(give_latch); }
void give_entries(void) { in_device_code(give_entry); }
