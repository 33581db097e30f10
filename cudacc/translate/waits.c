/*
 * waits.c: which names may stand for a function in which a thread waits for others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "options.h"
#include "waits.h"

static struct names waiting, atomics;
bool waits_unnamed;

static bool add(struct names *n, int i) {
    bool is_new = !has_name(n, i);
    if (is_new)
        add_name(n, i);
    return is_new;
}

/* The brace around each token; -1: none. */
static int *around;
static void find_braces(void) {
    around = grow(NULL, ((size_t)token_count + 1) * sizeof *around);
    for (int i = 0, inner = -1; i < token_count; i++) {
        if (is(i, "}") && closes(i))
            inner = around[tokens[i].match];
        around[i] = inner;
        if (is(i, "{") && opens(i))
            inner = i;
    }
}

/* A loop may poll what another thread changes, where it uses what an atomic function gives. That of
 * one which begins a statement is dropped: not of one after `? :`, nor in the head of a `for`. */
static bool polls(int i) {
    int in = i - 1;
    if (is(in, ")") && is_one_of(tokens[in].match - 1, "if for while constexpr "))
        return false;
    if (is_one_of(in, "; { } else do : ")) {
        while (in > 0 && !is_one_of(in, is(i - 1, ":") ? "; { } ? " : "{ } ( "))
            in = (closes(in) ? tokens[in].match : in) - 1;
        if (!is_one_of(in, "? ( "))
            return false;
    }
    int function = i;
    for (int o = around[i]; o >= 0; o = around[o])
        function = o;
    for (int k = function; k < i; k++)
        if (is_one_of(k, "for while do ") && statement_end(k, token_count - 1) >= i)
            return true;
    return false;
}

/* One of CUDA's, and not a function that the program has given such a name. */
static bool is_cuda_atomic(int i) {
    for (int k = 0; begins(i, "atomic") && k < body_count; k++)
        if (tokens[bodies[k].name].origin == OF_USER && same_text(bodies[k].name, i))
            return false;
    return begins(i, "atomic");
}

static bool waits_itself(int i) {
    static const char runtime[] =
        "cpu_device_meet cpu_device_barrier cpu_device_warp_collect cpu_device_active_lanes "
        "cpu_device_yield cpu_device_polled cpu_device_copy_begin cpu_device_copy_commit "
        "cpu_device_copy_wait cpu_device_grid_barrier cpu_device_grid_check ";
    if (tokens[i].origin == OF_CPU_DEVICE)
        return is_one_of(i, runtime);
    if (is_one_of(i, "volatile asm __asm__ __asm printf vprintf goto ") ||
        (tokens[i].before && strstr(tokens[i].before, "_step")))
        return true;
    if (!is_call(i))
        return false;
    return begins(i, "cuda") || begins(i, "atomicCAS") || begins(i, "atomicExch") ||
           ((is_cuda_atomic(i) || is(i, "__ldcv") || has_name(&atomics, i)) && polls(i));
}

bool may_wait(int i) {
    if (waits_itself(i))
        return true;
    return is_call(i) && !is_cuda_atomic(i) && has_name(&waiting, i);
}

bool is_atomic(int i) { return is_call(i) && (is_cuda_atomic(i) || has_name(&atomics, i)); }

/* Whatever is called by the head of a pair of braces that holds something that waits. */
static bool mark_head(int brace, struct names *n) {
    static const char none[] = "if for while switch catch decltype sizeof alignas noexcept "
                               "__attribute__ __align__ __launch_bounds__ requires ";
    int start = brace;
    bool more = false, unnamed = false;
    while (
        start > 0 && !is_one_of(start - 1, "; { } ") &&
        !(opens(start - 1) && tokens[start - 1].match > brace)) /* of a call that it is handed to */
        start = closes(start - 1) && !is(start - 1, "}") ? tokens[start - 1].match : start - 1;
    for (int k = 0; is(start - 1, "}") && k < body_count; k++) /* after w{t} of a constructor */
        if (bodies[k].open == brace)
            start = bodies[k].start;
    if (has_word(start, brace, "__global__")) /* no kernel is called in another one */
        return false;
    for (int i = start; i < brace; i++) {
        if (is(i, "operator") || (is(i, "]") && is_one_of(i + 1, "__device__ __host__ ( < ")))
            unnamed = true;
        if (is_call(i) && !is_one_of(i, none) && !is_cuda_atomic(i))
            more |= add(n, i);
        if (opens(i))
            i = tokens[i].match - is(i, "[");
    }
    /* A lambda of the host waits for nothing that a kernel calls. */
    if (unnamed && n == &waiting && has_word(start, brace, "__device__"))
        waits_unnamed = true;
    return more;
}

static bool mark_around(int i, struct names *n) {
    bool more = false;
    for (int brace = around[i]; brace >= 0; brace = around[brace])
        more |= mark_head(brace, n);
    return more;
}

static bool in_function(int i) {
    for (int k = 0; k < body_count; k++)
        if (bodies[k].open < i && i < tokens[bodies[k].open].match)
            return true;
    return false;
}

/* Does what looks like a call, outside of all functions, declare the function? `* T::g(` may. */
static bool is_declared_at(int i) {
    bool typed = false;
    int k = i - 1;
    for (; k >= 0 && !is_one_of(k, "; { } : = ( , "); k--) {
        typed |= is_name(k) && !is(k + 1, "::") && !is(k, "template");
        if (closes(k) || (is(k, ">") && angle_open(k) > 0))
            k = closes(k) ? tokens[k].match : angle_open(k);
    }
    if (is(k, "{") && opens(k)) /* of a class or a namespace, or around a value? */
        for (int n = start_of(k); n < k; n++)
            if (is_one_of(n, "struct class union namespace extern "))
                return typed;
    return typed &&
           (k < 0 || is_one_of(k, "; } ") || is_one_of(k - 1, "public private protected "));
}

static bool has_body(int name) {
    for (int k = 0; k < body_count; k++)
        if (same_text(bodies[k].name, name))
            return true;
    return false;
}

/* What is defined in another file is not known; of a constructor not even where it is called. */
static void add_undefined(void) {
    for (const struct function *f = functions; f < functions + function_count; f++) {
        if (!f->device || tokens[f->name].origin != OF_USER || has_body(f->name))
            continue;
        add(&waiting, f->name);
        waits_unnamed |= f->method && is_one_of(f->name - 1, "__device__ __host__ explicit ~ ");
    }
}

/* Functions that wait, or are atomic, and those that call one, until there are no more of them. */
static void add_callers(void) {
    for (bool more = true, first = true; more; first = false) {
        more = false;
        for (int i = 0; i < token_count; i++) {
            if (!is_name(i) || tokens[i].origin == OF_SYSTEM)
                continue;
            if (first ? waits_itself(i) || is(i, "__syncthreads")
                      : is_call(i) &&
                            (has_name(&waiting, i) || (has_name(&atomics, i) && waits_itself(i))))
                more |= mark_around(i, &waiting);
            if (is_call(i) &&
                (is_cuda_atomic(i) || is(i, "__ldcv") || (!first && has_name(&atomics, i))))
                more |= mark_around(i, &atomics);
        }
        more |= first;
    }
}

/* A constructor, a destructor, an operator, or what a range has: called without its name. */
static void find_implicit_calls(void) {
    for (int k = 0; k < body_count; k++) {
        bool unnamed = bodies[k].implicit || is_one_of(bodies[k].name, "begin end get ");
        for (int i = bodies[k].name; unnamed && i < tokens[bodies[k].open].match; i++)
            waits_unnamed |= is(i, "__syncthreads") || may_wait(i);
    }
}

static bool is_device_function(int name) {
    for (int k = 0; k < body_count; k++)
        if (same_text(bodies[k].name, name) && !bodies[k].kernel && !bodies[k].implicit &&
            has_word(bodies[k].start, bodies[k].open, "__device__"))
            return true;
    return false;
}

/* A function that waits, or may be what a loop asks, taken by its address; or called outside of
 * all functions, for what an argument or a member is without another value. */
static void find_addresses(void) {
    for (int i = 0; i < token_count; i++) {
        if (!is_name(i) || tokens[i].origin != OF_USER || is_one_of(i - 1, ". -> "))
            continue;
        if (is_call(i) ? has_name(&waiting, i) && !in_function(i) && !is_declared_at(i)
                       : has_name(&waiting, i) || has_name(&atomics, i))
            waits_unnamed |= is_device_function(i) || (begins(i, "__") && is_function(i, false));
    }
}

void find_waits(void) {
    find_braces();
    if (separate)
        add_undefined();
    add_callers();
    find_implicit_calls();
    find_addresses();
}
