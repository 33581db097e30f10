/*
 * unseen.c: accesses that were not seen, for those who rely on the counts of programs that others
 * have written. Off without ACCESS_STORES.
 *
 * ACCESS_STORES=1: when a launch begins, device memory is copied, and when it ends, compared. A
 * byte that has changed needs a store that was seen.  ACCESS_STORES=scramble: besides, all of
 * device memory holds other values while a launch runs, if nothing else uses it then. An access
 * that is seen puts its bytes right first, so what is loaded unseen is wrong, and so is what comes
 * of it.
 *
 * What kernels have stored is remembered with its value, and follows copies (stores.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include "include/cpu_device/stores.h"
#include "trace/check/arena.h"
#include <string.h>

enum { WORD = 64, PATTERN = 0xA5 };

int trace_scrambled;

struct kept {
    const char *base;
    size_t bytes;
    int is_device;
    unsigned char *before; /* what it held when the launch began */
    unsigned char *value;  /* of what kernels have stored */
    /* A bit for each byte: stored in this launch, written by copies meanwhile, as kernels left it;
     * scrambled: in this launch not yet put right. */
    uint64_t *stored, *copied, *known, *scrambled;
};

/* Guards all here but the bits. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int running, overlap; /* launches; several at once, since the current one began */
static int is_unknown;       /* too little memory, or a launch that is not traced whole */
static size_t unseen;        /* bytes */
static pthread_mutex_t scrambling = PTHREAD_MUTEX_INITIALIZER; /* guards putting bytes right */

/* Copies that are at it, each on the thread of its stream. */
struct copying {
    char *to;
    size_t bytes;
    struct copying *next;
};
static struct copying *copies;
static __thread struct copying copying;

static int mode(void) {
    enum { UNKNOWN, OFF, ON, SCRAMBLE };
    static atomic_int known;
    if (!atomic_load_explicit(&known, memory_order_relaxed)) {
        const char *s = getenv("ACCESS_STORES");
        atomic_store(&known, !s || !*s || !strcmp(s, "0") ? OFF
                             : strcmp(s, "scramble") != 0 ? ON
                                                          : SCRAMBLE);
    }
    return atomic_load_explicit(&known, memory_order_relaxed) - OFF;
}

/* ---- Bits ---------------------------------------------------------------------------------- */

static size_t words(size_t bytes) { return (bytes + WORD - 1) / WORD; }

/* Of the bytes [from, to) of an allocation those in one word. */
static uint64_t mask_of(size_t word, size_t from, size_t to) {
    unsigned low = from > word * WORD ? (unsigned)(from - word * WORD) : 0;
    unsigned high = to < (word + 1) * WORD ? (unsigned)(to - word * WORD) : WORD;
    return (high == WORD ? 0 : ~0ull << high) ^ ~0ull << low;
}

static void set_bits(uint64_t *bits, size_t from, size_t to) {
    for (size_t w = from / WORD; w * WORD < to; w++)
        __atomic_fetch_or(&bits[w], mask_of(w, from, to), __ATOMIC_RELAXED);
}

static int bit(const uint64_t *bits, size_t i) { return (int)(bits[i / WORD] >> i % WORD & 1); }

static void set_bit(uint64_t *bits, size_t i, int on) {
    bits[i / WORD] = (bits[i / WORD] & ~(1ull << i % WORD)) | (uint64_t)on << i % WORD;
}

/* ---- What is looked after -------------------------------------------------------------------- */

static struct kept *kept_of(const struct trace_allocation *a) {
    const struct shadow *s = a ? __atomic_load_n(&a->shadow, __ATOMIC_ACQUIRE) : NULL;
    return s ? __atomic_load_n(&s->kept, __ATOMIC_ACQUIRE) : NULL;
}

/* With the lock. */
static struct kept *look_after(const struct trace_allocation *a) {
    struct kept *k = kept_of(a);
    if (k || !a->bytes || a->kind == MEMORY_SYMBOL)
        return k;
    struct shadow *s = trace_shadow_of((struct trace_allocation *)a);
    size_t n = words(a->bytes), bytes = sizeof *k + 4 * n * sizeof *k->stored + 2 * a->bytes;
    if (!s || !(k = trace_memory(bytes))) {
        is_unknown = 1;
        return NULL;
    }
    k->base = a->base;
    k->bytes = a->bytes;
    k->is_device = a->kind == MEMORY_DEVICE;
    k->stored = (uint64_t *)(k + 1);
    k->copied = k->stored + n;
    k->known = k->copied + n;
    k->scrambled = k->known + n;
    k->before = (unsigned char *)(k->scrambled + n);
    k->value = k->before + k->bytes;
    set_bits(k->copied, 0, k->bytes); /* a launch that runs has no copy of it from before */
    s->kept_bytes = bytes;
    __atomic_store_n(&s->kept, k, __ATOMIC_RELEASE);
    return k;
}

/* What is known of the allocation that holds p, or NULL. */
static struct kept *holding(const void *p) { return kept_of(trace_allocation_known((uintptr_t)p)); }

static size_t room(const struct kept *k, const void *p, size_t bytes) {
    size_t at = (size_t)((const char *)p - k->base);
    return bytes < k->bytes - at ? bytes : k->bytes - at;
}

/* ---- Scrambled memory ------------------------------------------------------------------------ */

/* Puts the bytes [from, to) right; they stay so until the launch ends. */
static void put_right(struct kept *k, size_t from, size_t to) {
    for (size_t w = from / WORD; w * WORD < to; w++) {
        uint64_t mask = mask_of(w, from, to);
        if (!(__atomic_load_n(&k->scrambled[w], __ATOMIC_ACQUIRE) & mask))
            continue;
        WITH_LOCK(scrambling);
        uint64_t wrong = k->scrambled[w] & mask;
        for (uint64_t rest = wrong; rest; rest &= rest - 1)
            ((char *)(uintptr_t)k->base)[w * WORD + (unsigned)__builtin_ctzll(rest)] ^=
                (char)PATTERN;
        __atomic_fetch_and(&k->scrambled[w], ~wrong, __ATOMIC_RELEASE);
    }
}

static void scramble(struct kept *k) {
    for (size_t i = 0; i < k->bytes; i++)
        ((char *)(uintptr_t)k->base)[i] ^= (char)PATTERN;
    set_bits(k->scrambled, 0, k->bytes);
}

void trace_unseen_touch(const void *p, size_t bytes) {
    struct kept *k = holding(p);
    if (k && k->is_device) {
        size_t from = (size_t)((const char *)p - k->base);
        put_right(k, from, from + room(k, p, bytes));
    }
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* With the lock. */
static void mark_copy(const struct copying *c) {
    struct kept *k = holding(c->to);
    size_t from = k ? (size_t)(c->to - k->base) : 0;
    if (k)
        set_bits(k->copied, from, from + room(k, c->to, c->bytes));
}

void trace_unseen_copying(void *to, const void *from, size_t bytes) {
    if (!mode() || !bytes)
        return;
    pthread_mutex_lock(&lock);
    copying = (struct copying){to, bytes, copies};
    copies = &copying;
    mark_copy(&copying);
    pthread_mutex_unlock(&lock);
    trace_unseen_touch(to, bytes);
    if (from)
        trace_unseen_touch(from, bytes);
}

void trace_unseen_copied(void *to, const void *from, size_t bytes) {
    if (!mode() || !bytes)
        return;
    WITH_LOCK(lock);
    for (struct copying **c = &copies; *c; c = &(*c)->next)
        if (*c == &copying) {
            *c = copying.next;
            break;
        }
    const struct trace_allocation *a = trace_allocation_known((uintptr_t)to);
    struct kept *k = a ? look_after(a) : NULL, *source = from ? holding(from) : NULL;
    for (size_t i = 0; k && i < room(k, to, bytes); i++) {
        size_t at = (size_t)((char *)to - k->base) + i;
        size_t of = source ? (size_t)((const char *)from - source->base) + i : 0;
        unsigned char value = ((const unsigned char *)k->base)[at];
        set_bit(k->known, at, source && bit(source->known, of) && source->value[of] == value);
        k->value[at] = value;
    }
}

/* ---- Launches -------------------------------------------------------------------------------- */

static void begin(const struct trace_allocation *a, void *unused) {
    struct kept *k = look_after(a);
    (void)unused;
    if (!k)
        return;
    memset(k->stored, 0, words(k->bytes) * sizeof *k->stored);
    memset(k->copied, 0, words(k->bytes) * sizeof *k->copied);
    if (k->is_device)
        memcpy(k->before, k->base, k->bytes);
    if (k->is_device && mode() > 1 && !overlap && !copies)
        scramble(k);
}

void trace_unseen_launch_begin(int is_current, int is_sampled) {
    if (!mode())
        return;
    WITH_LOCK(lock);
    is_unknown |= is_sampled;
    overlap = running++ ? 1 : 0;
    trace_scrambled = mode() > 1;
    if (is_current)
        trace_allocations_each(begin, NULL);
    for (const struct copying *c = copies; is_current && c; c = c->next)
        mark_copy(c);
}

/* Counts what has changed without a store. */
static void compare(struct kept *k) {
    const unsigned char *now = (const unsigned char *)k->base;
    for (size_t w = 0; w < words(k->bytes); w++) {
        size_t first = w * WORD, last = first + WORD < k->bytes ? first + WORD : k->bytes;
        uint64_t stored = k->stored[w], excused = stored | k->copied[w];
        if (k->is_device && !overlap && ~excused &&
            memcmp(now + first, k->before + first, last - first) != 0)
            for (size_t i = first; i < last; i++)
                unseen += !(excused >> (i - first) & 1) && now[i] != k->before[i];
    }
}

static void remember(struct kept *k) {
    for (size_t w = 0; w < words(k->bytes); w++) {
        for (uint64_t rest = k->stored[w]; rest; rest &= rest - 1) {
            size_t i = w * WORD + (unsigned)__builtin_ctzll(rest);
            k->value[i] = ((const unsigned char *)k->base)[i];
        }
        k->known[w] |= k->stored[w];
    }
}

struct ended {
    int is_current, has_failed;
};
static void end(const struct trace_allocation *a, void *data) {
    const struct ended *ended = data;
    struct kept *k = kept_of(a);
    if (k && ended->is_current)
        put_right(k, 0, k->bytes);
    if (k && ended->is_current && !ended->has_failed)
        compare(k);
    if (k && !ended->has_failed)
        remember(k);
}

void trace_unseen_launch_end(int is_current, int has_failed) {
    if (!mode())
        return;
    WITH_LOCK(lock);
    trace_allocations_each(end, &(struct ended){is_current, has_failed});
    running--;
}

void trace_unseen_request(const struct trace_request *r) {
    if (r->op == TRACE_LOAD || r->space != TRACE_GLOBAL || !mode())
        return;
    unsigned lanes = r->consecutive ? 1 : r->lanes,
             bytes = r->consecutive ? WARP * r->bytes : r->bytes;
    EACH_LANE (i, lanes) {
        const void *p = (const void *)r->address[i];
        struct kept *k = holding(p);
        size_t from = k ? (size_t)((const char *)p - k->base) : 0;
        if (k)
            set_bits(k->stored, from, from + room(k, p, bytes));
    }
}

/* ---- Asked for ------------------------------------------------------------------------------- */

EXPORTED size_t cpu_device_stored(const void *p, size_t bytes) {
    size_t count = 0;
    WITH_LOCK(lock);
    const struct kept *k = holding(p);
    int is_closed = k && k->is_device; /* to host code, which asks */
    if (is_closed)
        cpu_device_memory_allow(1);
    for (size_t i = 0; k && i < room(k, p, bytes); i++) {
        size_t at = (size_t)((const char *)p - k->base) + i;
        count += bit(k->known, at) && k->value[at] == ((const unsigned char *)k->base)[at];
    }
    if (is_closed)
        cpu_device_memory_allow(0);
    return count;
}

EXPORTED size_t cpu_device_unseen(void) {
    WITH_LOCK(lock);
    return is_unknown ? (size_t)-1 : unseen;
}
