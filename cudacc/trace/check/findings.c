/*
 * findings.c: what the checks have found in the launches that run, each once; and the access
 * instructions of the program by number.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/findings.h"
#include <string.h>

const struct trace_reporter *trace_reporter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Sites ------------------------------------------------------------------------------- */

static struct site sites[SITES];
static unsigned site_count = 1;
static _Atomic uint16_t site_slot[2 * SITES]; /* looked up without the lock */

#ifdef __x86_64__
/* The bytes of an instruction's operand, from its ModRM byte on. */
static int operand_bytes(const unsigned char *p) {
    unsigned mod = *p >> 6, has_sib = mod != 3 && (*p & 7) == 4, base = p[has_sib] & 7;
    return 1 + (int)has_sib + (mod == 1 ? 1 : mod == 2 || (mod == 0 && base == 5) ? 4 : 0);
}
#endif

/* Reads the machine code after a hook's call, up to the store that it reports: is that of a
 * constant? A store to the stack has no hook. */
static int stores_constant(const unsigned char *p, unsigned bytes, int64_t *value) {
#ifdef __x86_64__
    for (int i = 0; i < 6; i++) {
        p += *p == 0x64; /* fs: */
        int is_16 = *p == 0x66, rex = 0;
        p += is_16;
        if ((*p & 0xf0) == 0x40)
            rex = *p++;
        unsigned code = *p++, mod = *p >> 6, has_sib = mod != 3 && (*p & 7) == 4;
        unsigned base = p[has_sib] & 7, is_lea = code == 0x8d, is_load = code == 0x8b;
        int size = code == 0xc6 ? 1 : is_16 ? 2 : rex & 8 ? 8 : 4, is_mov = code >> 1 == 0xc6 >> 1;
        const unsigned char *next = p + operand_bytes(p);
        int32_t word;
        memcpy(&word, next, sizeof word);
        *value = size == 1 ? (int8_t)word : size == 2 ? (int16_t)word : word;
        if (is_mov && mod != 3)
            return (unsigned)size == bytes && !(has_sib && base == 4 && !(rex & 1));
        if (code >> 3 == 0xb8 >> 3) /* a constant to a register */
            p += size;
        else if (is_mov)
            p = next + (size < 8 ? size : 4);
        else if (is_lea || is_load || (mod == 3 && (code == 0x89 || code == 0x31)))
            p = next;
        else
            break;
    }
#endif
    (void)p, (void)bytes, (void)value;
    return 0;
}

/* Where its number is, or would be. */
static inline _Atomic uint16_t *slot_of(const void *pc, enum trace_op op) {
    size_t h = ((uintptr_t)pc * 0x9E3779B97F4A7C15ull >> 40) % (2 * SITES);
    for (unsigned n; (n = site_slot[h]) && (sites[n].pc != pc || sites[n].op != op);)
        h = (h + 1) % (2 * SITES);
    return &site_slot[h];
}

unsigned trace_site(const void *pc, enum trace_op op, unsigned bytes) {
    unsigned number = *slot_of(pc, op);
    if (number)
        return number;
    WITH_LOCK(lock);
    _Atomic uint16_t *slot = slot_of(pc, op);
    if (!*slot && site_count < SITES) {
        sites[site_count] = (struct site){.pc = pc, .op = op, .bytes = bytes};
        if (op == TRACE_STORE && bytes && site_count < SITES - 1)
            sites[site_count].is_constant = stores_constant(pc, bytes, &sites[site_count].value);
        *slot = (uint16_t)site_count++;
    }
    return *slot ? *slot : SITES - 1; /* more: they share the last one */
}

const struct site *trace_site_of(unsigned number) { return &sites[number]; }

int trace_same_constant(unsigned a, unsigned b) {
    return sites[a].is_constant && sites[b].is_constant && sites[a].bytes == sites[b].bytes &&
           sites[a].value == sites[b].value;
}

void trace_sites_mixed(unsigned a, unsigned b) {
    atomic_store(&sites[a].is_mixed, 1);
    atomic_store(&sites[b].is_mixed, 1);
}

void trace_site_compared(unsigned number) { atomic_store(&sites[number].is_compared, 1); }

/* ---- Findings of the current launch ------------------------------------------------------ */

void trace_finding_text(struct finding *f, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

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

static struct finding *found;
static unsigned found_count;

enum scope trace_finding_scope(const struct finding *f) {
    return f->kind != RACE                              ? NO_RACE
           : f->block != f->other_block                 ? BETWEEN_BLOCKS
           : f->thread / WARP != f->other_thread / WARP ? BETWEEN_WARPS
                                                        : WITHIN_WARP;
}

int trace_finding_compare(const struct finding *a, const struct finding *b) {
    int order = trace_compare(trace_finding_scope(a), trace_finding_scope(b))
                    ?: trace_compare(a->position, b->position)
                    ?: trace_compare(a->thread, b->thread)
                    ?: trace_compare(a->other_thread, b->other_thread)
                    ?: trace_compare(a->space, b->space);
    if (a->space != TRACE_SHARED)
        return order ?: trace_compare(a->address, b->address);
    order = order ?: strcmp(a->text, b->text); /* its addresses are each worker's own */
    return order ?: (a->offset > b->offset) - (a->offset < b->offset);
}

void trace_found(const struct finding *f) {
    struct finding n = *f;
    /* One order for a pair: the one that stores first; of two that store the lower thread. */
    enum trace_op a = sites[n.site].op, b = sites[n.other_site].op;
    int swap =
        a == b ? n.block > n.other_block || (n.block == n.other_block && n.thread > n.other_thread)
               : b == TRACE_STORE || (b == TRACE_ATOMIC && a == TRACE_LOAD);
    if (n.kind == RACE && swap) {
        n.site = f->other_site, n.other_site = f->site;
        n.block = f->other_block, n.other_block = f->block;
        n.thread = f->other_thread, n.other_thread = f->thread;
    }
    WITH_LOCK(lock);
    struct finding *same = NULL;
    for (unsigned i = 0; i < found_count && !same; i++) {
        struct finding *o = &found[i];
        if (o->kind == n.kind && o->space == n.space && o->launch == n.launch &&
            ((o->site == n.site && o->other_site == n.other_site) ||
             (o->site == n.other_site && o->other_site == n.site)) &&
            o->pc == n.pc && o->other_pc == n.other_pc)
            same = o;
    }
    if (!same) {
        TRACE_ADD(found, found_count, n);
    } else {
        struct turn turn = trace_turn_of_both(same->turn, n.turn);
        int is_note = same->is_note && n.is_note;
        if (trace_finding_compare(&n, same) < 0)
            *same = n;
        same->turn = turn;
        same->is_note = is_note;
    }
}

struct finding *trace_findings_take(const struct trace_launch *l, unsigned *count) {
    unsigned kept = 0;
    WITH_LOCK(lock);
    struct finding *list = found_count ? malloc(found_count * sizeof *list) : NULL;
    *count = 0;
    for (unsigned i = 0; list && i < found_count; i++)
        *(found[i].launch == l ? &list[(*count)++] : &found[kept++]) = found[i];
    found_count = list ? kept : found_count;
    return list;
}
