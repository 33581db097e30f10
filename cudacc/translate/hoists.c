/*
 * hoists.c: kernels in which a loop uses a variable of the device under a condition.  Compilers
 * load such a variable before the first round: also for the threads that never use it, which would
 * be loads that the program does not make, and races.  nvcc keeps one in a register for all rounds
 * only where no condition stands before its store.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"
#include "uses.h"

static struct names variables;

void record_hoisted(const struct declaration *d) { add_declared(&variables, d); }

/* Is there one in the loop's body, from `first` to `end`, behind a condition? A barrier makes
 * compilers load the variable again by itself. */
static bool under_condition(int first, int end) {
    bool condition = false;
    for (int i = first; i < end; i++)
        if (is_name(i) && tokens[i].length > 6 && !strncmp(text + tokens[i].start, "__sync", 6))
            return false;
    for (int i = first; i < end; i++) {
        if (is_one_of(i, "if switch ? && || break continue return goto "))
            condition = true;
        else if (condition && has_name(&variables, i) && !is_one_of(i - 1, ". -> "))
            return true;
    }
    return false;
}

static bool has_hoisted_use(const struct body *b) {
    for (int i = b->open; i < tokens[b->open].match; i++) {
        int first = is(i, "do") ? i + 1 : -1;
        if (is_one_of(i, "for while ") && is(i + 1, "(") && opens(i + 1))
            first = tokens[i + 1].match + 1;
        if (first >= 0 && under_condition(first, statement_end(first, tokens[b->open].match) + 1))
            return true;
    }
    return false;
}

bool mark_hoisting(const char *option) {
    bool any = false, in_function = false;
    for (int i = 0; i < body_count && variables.count; i++)
        in_function |=
            !bodies[i].kernel && is_user_device_code(&bodies[i]) && has_hoisted_use(&bodies[i]);
    for (int i = 0; i < body_count && variables.count; i++)
        for (int k = bodies[i].start; k < bodies[i].name && bodies[i].kernel; k++)
            if (is(k, "__global__") && (in_function || has_hoisted_use(&bodies[i]))) {
                if (*option)
                    tokens[k].instead =
                        format("%s __attribute__((optimize(\"%s\"))) ", tokens[k].instead, option);
                any = true;
            }
    return any;
}
