/*
 * regions.c: which statements of a split kernel (split.c) run together, for one thread after
 * another: those between two cuts. A barrier and a warp function are cuts, so is a statement
 * with such in it, or one that all threads do together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "split.h"
#include "uses.h"

bool stands_outside(int s) { return is_one_of(statements[s].first, "using typedef "); }

bool declares_shared(int s) {
    int first = statements[s].first, last = statements[s].last;
    return has_word(first, last, "__shared__") && !has_word(first, last, "extern");
}

/* What a statement declares for the block stands before its region: not where the region uses the
 * name before it is declared, nor is what `using` makes known. */
static bool begins_region(int s, int region) {
    bool known = stands_outside(s);
    for (int k = statements[s].locals; k < statements[s].locals + statements[s].local_count; k++)
        for (int i = statements[region].first; i < statements[s].first && locals[k].use < INSIDE;
             i++)
            known |= same_text(i, locals[k].name);
    return known;
}

static void number_regions(int s) {
    int region = -1;
    for (; s >= 0; s = statements[s].next) {
        if (statements[s].kind != PLAIN && statements[s].kind != WARP) {
            region = -1;
            number_regions(statements[s].inner);
            continue;
        }
        if (region < 0 || begins_region(s, region))
            region = s;
        statements[s].region = region;
        if (statements[s].kind == WARP)
            region = -1;
    }
}

/* Its last token, from the first statement; what a warp function gives is used after it. */
static int last_of_region(int s) {
    int last = s;
    for (; s >= 0 && statements[s].region == statements[last].region; s = statements[s].next)
        last = s;
    return statements[last].kind == WARP ? statements[last].open - 1 : statements[last].last;
}

static void find_inside(void) {
    for (int k = local_count - 1; k >= 0; k--) {
        struct local *l = &locals[k];
        if ((l->use != KEPT && l->use != AGAIN) || l->statement < 0)
            continue;
        int last = last_of_region(l->statement);
        bool beyond = false;
        for (int j = k + 1; j < local_count; j++) /* what is computed again from it */
            for (int i = locals[j].initial; locals[j].use == AGAIN && i <= locals[j].initial_end;
                 i++)
                beyond |= same_text(i, l->name) && local_of(i) == k;
        for (int i = last + 1; i <= l->scope_last && !beyond; i++)
            beyond = same_text(i, l->name) && local_of(i) == k;
        /* By a reference to it, or an address, it may be used without its name; and what a
         * reference to a constant names may be its own. */
        bool known = l->use == AGAIN || (is_plain(l) && !l->handed_on), all = true;
        for (int i = l->base; i < l->name && l->reference && !known; i++)
            all &= is_one_of(i, number_types) || is(i, "&");
        for (int i = last + 1; i <= l->scope_last && !known && !(l->reference && all); i++)
            beyond |= !is(i, "}");
        if (!beyond)
            l->use = INSIDE;
    }
}

void find_regions(void) {
    number_regions(0);
    find_inside();
}
