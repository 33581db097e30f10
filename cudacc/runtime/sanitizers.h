/*
 * sanitizers.h: tells AddressSanitizer, ThreadSanitizer and valgrind which stack runs.
 *
 * They follow the stack pointer, and a block's fibers would look to them like one stack that is
 * overrun.  Their functions are there in a program that is linked with them and NULL in any other;
 * valgrind's requests do nothing outside of valgrind.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stddef.h>

#if defined __has_include
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef VALGRIND_STACK_REGISTER
#define VALGRIND_STACK_REGISTER(low, high) ((void)0)
#endif

#define IF_LINKED __attribute__((weak))
void __sanitizer_start_switch_fiber(void **fake_stack, const void *low, size_t bytes) IF_LINKED;
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **left, size_t *bytes) IF_LINKED;
void *__tsan_create_fiber(unsigned flags) IF_LINKED;
void *__tsan_get_current_fiber(void) IF_LINKED;
void __tsan_switch_to_fiber(void *fiber, unsigned flags) IF_LINKED;

/* For functions that switch, or that a fiber does not return from: ThreadSanitizer keeps count of
 * the calls that a fiber is in. */
#ifdef __clang__
#define NOT_COUNTED __attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation))
#elif defined __SANITIZE_THREAD__
#define NOT_COUNTED __attribute__((no_sanitize("thread")))
#else /* it would keep gcc from making them part of others */
#define NOT_COUNTED
#endif

/* What they know of a fiber. */
struct sanitizer_stack {
    const void *low;
    size_t bytes;
    void *fake_stack, *thread;
};

/* Is one of them linked? Asked at each switch, and so kept. */
extern __attribute__((visibility("hidden"))) int sanitizer_linked;
static inline void sanitizer_start(void) {
    sanitizer_linked = __sanitizer_start_switch_fiber || __tsan_switch_to_fiber;
}

static inline void sanitizer_new_stack(const char *low, size_t bytes) {
    (void)low, (void)bytes;
    VALGRIND_STACK_REGISTER(low, low + bytes - 1);
}

/* The calling thread's own stack; AddressSanitizer says where it lies when it is left. */
static inline void sanitizer_own_stack(struct sanitizer_stack *s) {
    if (__tsan_get_current_fiber)
        s->thread = __tsan_get_current_fiber();
}

/* A stack is used from its top again. */
static inline void sanitizer_fresh_stack(struct sanitizer_stack *s, const char *low, size_t bytes) {
    s->low = low;
    s->bytes = bytes;
    s->fake_stack = NULL;
    if (__tsan_create_fiber && !s->thread)
        s->thread = __tsan_create_fiber(0);
}

/* Right before a switch. ends: nothing comes back to `from`. */
__attribute__((noinline, cold)) NOT_COUNTED static void
sanitizer_leave(struct sanitizer_stack *from, const struct sanitizer_stack *to, int ends) {
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(ends ? NULL : &from->fake_stack, to->low, to->bytes);
    if (__tsan_switch_to_fiber)
        __tsan_switch_to_fiber(to->thread, 0);
}

/* The first thing on the other side of it. */
__attribute__((noinline, cold)) NOT_COUNTED static void
sanitizer_arrive(const struct sanitizer_stack *here, struct sanitizer_stack *left) {
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(here->fake_stack, &left->low, &left->bytes);
}
