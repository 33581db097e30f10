/*
 * strides.c: grid-stride loops, in which each thread steps over what all others use:
 *
 *     for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
 *         out[i] = f(a[i]);
 *
 * All threads of the block make some rounds before any makes more: so they use memory line by line.
 * Thread by thread a stride that is a power of two would have all rounds share a few lines of the
 * cache. Loops that step over a block make few rounds, and those with a row for each thread use
 * whole lines as they are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "split.h"
#include "uses.h"

/* The variable that a loop counts with, a number or a pointer; -1: there may be others. */
static int counter_of(int loop) {
    int i = loop + 2, semicolon = find(i, tokens[loop + 1].match, "; ");
    if (!is(loop, "for"))
        return i;
    if (find(i, semicolon, "= ") == semicolon)
        return semicolon + 1;
    while (is_one_of(i, number_types) || is_one_of(i, "const * "))
        i++;
    return is(i + 1, "=") && find(i, semicolon, ", ") == semicolon ? i : -1;
}

/* `i += stride`, of the whole grid: what a thread steps over then is much, and most threads make as
 * many rounds as the others. */
static bool steps_far(int i) {
    bool far = false;
    if (!is(i + 1, "+") || !is(i + 2, "=") || !begins_statement(i))
        return false;
    for (int k = i + 3; !is_one_of(k, "; ) , ") && !far; k++) {
        const struct local *l = local_of(k) < 0 ? NULL : &locals[local_of(k)];
        far = is(k, "gridDim") ||
              (l && l->initial >= 0 && has_word(l->initial, l->initial_end + 1, "gridDim"));
    }
    return far;
}

/* What may not stand twice in the text of cpu_run(), in which threads may wait, and what has an
 * order that is seen. */
static const char none[] = "for while do goto switch break continue return asm __asm__ static "
                           "__shared__ extern printf ";

/* Threads may wait for one another in loops alone, and in functions that have some. What else the
 * loop changes of what is declared before it would have to be kept for each thread. */
bool has_stride(int loop, int last) {
    bool may_be = is_one_of(loop, "for while ") && opens(loop + 1);
    int counter = may_be ? counter_of(loop) : -1, steps = 0;
    if (counter < 0 || !is_use(counter))
        return false;
    for (int i = loop + 2; i <= last; i++) {
        int k = is_use(i) ? local_of(i) : -1;
        if (same_text(i, counter)) {
            steps += steps_far(i);
        } else if (is_one_of(i, none) || (is(i + 1, ":") && begins_statement(i)) || /* a label */
                   (is(i + 1, "(") && is_name(i) && (is_function(i, true) || is_method(i))) ||
                   (k >= 0 && locals[k].use != OUTSIDE &&
                    (!is_scalar(&locals[k]) || use_of(i) != READS))) {
            return false;
        }
    }
    return steps == 1;
}
