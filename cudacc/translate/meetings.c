/*
 * meetings.c: the text of a warp function in a split kernel, for the WARP statement s.
 *
 * SPDX-License-Identifier: MIT
 */
#include "split.h"
#include "uniform.h"

static bool argument_differs(int s, int n) {
    int first, last;
    return argument_of(statements[s].first, n, &first, &last) && !is_uniform(first, last);
}

/* Of a warp function: room for what its lanes hand in, and that. */
void put_rooms_of_call(struct writer *w, int s) {
    int call = statements[s].first;
    fprintf(w->out, "unsigned long long cpu_value_%d[%s]; ", s,
            is(call, "__syncwarp") ? "1" : "cpu_threads");
    for (int n = 0; n < 3; n += 2)
        fprintf(w->out, "unsigned cpu_given_%d_%d[%s]; ", s, n,
                argument_differs(s, n) ? "cpu_threads" : "1");
}
static void put_given(struct writer *w, int s, int n, const char *where) {
    int first, last;
    bool is_signed = n && !strstr(operation_of(statements[s].first), "_UP") &&
                     !strstr(operation_of(statements[s].first), "_DOWN");
    fprintf(w->out, "cpu_given_%d_%d[%s] = (unsigned)::cpu_device::converted<%s>(", s, n, where,
            is_signed ? "int" : "unsigned");
    if (argument_of(statements[s].first, n, &first, &last))
        put(w, first, last);
    else
        fputs(n ? "0" : "-1", w->out);
    fputs("); ", w->out);
}
void put_call(struct writer *w, int s) {
    int call = statements[s].first, first, last;
    for (int n = 0; n < 3; n += 2)
        if (argument_differs(s, n))
            put_given(w, s, n, "cpu_t");
    if (!argument_of(call, 1, &first, &last))
        return;
    fprintf(w->out, "cpu_value_%d[cpu_t] = ::cpu_device::to", s);
    if (is(call, "__match_any_sync")) {
        fprintf(w->out, "_meet<::%s, decltype(+(", operation_of(call));
        put(w, first, last);
        fputs("))>(", w->out);
    } else if (strstr(operation_of(call), "VOTE")) {
        fprintf(w->out, "_meet<::%s, int>(", operation_of(call));
    } else {
        put_types_of(w, call);
    }
    put(w, first, last);
    fputs("); ", w->out);
}

/* Does whoever does not come there return without another cut? */
static bool is_last_cut(int s) {
    int end = statements[s].way;
    if (end >= 0 && has_cut(statements[end].last + 1, statements[0].last))
        return false;
    for (int k = end < 0 ? -1 : statements[end].parent; k >= 0; k = statements[k].parent)
        if (statements[k].kind >= FOR)
            return false;
    return true;
}

void put_meeting(struct writer *w, int s) {
    int call = statements[s].first, first, last;
    for (int n = 0; n < 3; n += 2)
        if (!argument_differs(s, n))
            put_given(w, s, n, "0");
    fprintf(w->out,
            "::cpu_device::meet<::%s>(cpu_threads, ::cpu_device::meeting{cpu_value_%d, %s, ",
            operation_of(call), s, w->returns ? "cpu_gone" : "nullptr");
    if (w->way < 0)
        fputs("nullptr, 0", w->out);
    else
        fprintf(w->out, "&cpu_way_%d, %d", w->way, w->arm);
    fprintf(w->out, ", %s, cpu_given_%d_0, cpu_given_%d_2, %d, %d, ",
            is_last_cut(s) ? "true" : "false", s, s, argument_differs(s, 0),
            argument_differs(s, 2));
    if (argument_of(call, 3, &first, &last)) {
        fputs("(unsigned)::cpu_device::converted<int>(", w->out);
        put(w, first, last);
        fputs(")", w->out);
    } else {
        fputs("32", w->out);
    }
    fputs("}); ", w->out);
}
