/*
 * shared_place.c: which shared variable an address lies in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"

/* Addresses in the gap behind a shared variable, or before one, belong to the nearest. */
void trace_shared_where(const struct trace_worker *w, uintptr_t address, struct finding *f) {
    const struct trace_variable *v = trace_shared_find((void *)address);
    enum { GAP = 2 * 4096 };
    for (ptrdiff_t i = 1; !v && i < GAP; i++) {
        v = trace_shared_find((char *)address - i);
        if (!v)
            v = trace_shared_find((char *)address + i);
    }
    if (!v)
        return;
    uintptr_t base =
        v->bytes ? (uintptr_t)trace_shared_base(v) : (uintptr_t)cpu_device_dynamic_shared;
    trace_finding_text(f, "%s", v->bytes ? v->name : trace_dynamic_name(w->record->kernel));
    f->function = v->bytes ? v->function : NULL;
    f->row = v->row;
    f->element = v->element;
    f->bytes = v->bytes ? v->bytes : w->launch->shared_bytes;
    f->offset = (ptrdiff_t)(address - base);
}
