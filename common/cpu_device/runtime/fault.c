/*
 * fault.c: what the processor, assert() and the alignment check find wrong in a kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include "runtime/observer.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* gcc's checks of alignment and, in a traced program, of the size of objects call this. What it is
 * called for besides, in a program that is linked with UndefinedBehaviorSanitizer, is left to that:
 * weak, as clang's would be there twice otherwise. */
struct ubsan_access {
    const char *file;
    unsigned line, column;
    const void *type;
    unsigned char log_alignment, kind; /* 0: a load, 1: a store */
};
/* Local arrays: nvcc keeps them in registers where it can, and then no address is misaligned. */
static int on_own_stack(const char *p) {
    const struct fiber *f = self->running;
    return f != &self->own && p >= f->stack && p < f->stack + STACK_BYTES;
}
#pragma weak dlsym /* older C libraries have it elsewhere */
__attribute__((weak, visibility("default"), no_sanitize("undefined"))) //
void __ubsan_handle_type_mismatch_v1(void *data, void *p) {
    const struct ubsan_access *access = data;
    if (cpu_device_in_kernel() && (uintptr_t)p & ((1u << access->log_alignment) - 1)) {
        if (on_own_stack(p))
            return;
        char text[200];
        snprintf(text, sizeof text, "%s:%u: misaligned address %p, must be a multiple of %u",
                 access->file, access->line, p, 1u << access->log_alignment);
        cpu_device_die(cudaErrorMisalignedAddress, text, __builtin_return_address(0));
    }
    if (cpu_device_in_kernel() && (uintptr_t)p >= cpu_device.page)
        OBSERVE(past_end, p, access->kind == 1, __builtin_return_address(0));
    void (*others)(void *, void *) = NULL;
    void *found = &dlsym ? dlsym(RTLD_NEXT, "__ubsan_handle_type_mismatch_v1") : NULL;
    memcpy(&others, &found, sizeof others); /* ISO C converts no such pointer */
    if (others)
        others(data, p);
}

/* __builtin_unreachable() that is reached after all. */
struct ubsan_place {
    const char *file;
    unsigned line, column;
};
__attribute__((weak, noreturn, visibility("default"))) //
void __ubsan_handle_builtin_unreachable(void *data) {
    const struct ubsan_place *place = data;
    char text[200];
    snprintf(text, sizeof text, "%s:%u: __builtin_unreachable() is reached", place->file,
             place->line);
    if (cpu_device_in_kernel())
        cpu_device_die(cudaErrorIllegalInstruction, text, __builtin_return_address(0));
    fflush(stdout);
    cpu_device_print(text), cpu_device_print("\n");
    abort();
}

/* assert() in a kernel ends the kernel with error 710; on the host it is the C library's. */
EXPORTED _Noreturn void __assert_fail(const char *expression, const char *file, unsigned line,
                                      const char *function) {
    char text[500], what[200];
    if (cpu_device_in_kernel()) {
        snprintf(what, sizeof what, "assertion `%s` failed", expression);
        snprintf(text, sizeof text,
                 "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                 line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                 threadIdx.z, expression);
        die(cudaErrorAssert, what, __builtin_return_address(0), text);
    }
    fflush(stdout);
    snprintf(text, sizeof text, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function,
             expression);
    cpu_device_print(text);
    abort();
}

static struct sigaction previous[NSIG];

/* Was the fault a write? -1: this machine does not say. */
static int is_write(void *context) {
#if defined(__x86_64__) && defined(REG_ERR)
    return (int)(((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] >> 1 & 1);
#else
    (void)context;
    return -1;
#endif
}

/* x86-64 reports a misaligned 16-byte access like an address that no memory can have, and names
 * neither. The latter has to stand in a register, so look there. (gcc's alignment check has
 * caught most of the former before; clang's does not see whole structs.) */
static int wild_pointer(const void *context) {
#if defined(__x86_64__)
    const ucontext_t *u = context;
    for (int i = 0; i < 16; i++) {
        long long top = (long long)u->uc_mcontext.gregs[i] >> 47;
        if (top != 0 && top != -1)
            return 1;
    }
    return 0;
#else
    (void)context;
    return 1;
#endif
}

/* The program counter; NULL: this machine does not say. */
static const char *pc_of(const void *context) {
    const ucontext_t *u = context;
#if defined(__x86_64__) && defined(REG_RIP)
    return (const char *)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const char *)u->uc_mcontext.pc;
#else
    (void)u;
    return NULL;
#endif
}

/* At the first instruction of a function that is not there: where was that called? */
static const void *caller_of(const void *context) {
    const ucontext_t *u = context;
#if defined(__x86_64__) && defined(REG_RIP)
    return *(void **)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (const void *)u->uc_mcontext.regs[30];
#else
    (void)u;
    return NULL;
#endif
}

enum fault {
    ADDRESS,
    IMPOSSIBLE_ADDRESS,
    CALL,
    NULL_CALL,
    STACK,
    ALIGNMENT,
    DIVISION,
    INSTRUCTION
};

/* What a plain program says, and a traced one; ADDRESS: what is known of that address. */
static const struct {
    int error;
    const char *plain, *traced;
} faults[] = {
    [ADDRESS] = {cudaErrorIllegalAddress, NULL, NULL},
    [IMPOSSIBLE_ADDRESS] = {cudaErrorIllegalAddress, "an address that no memory can have",
                            "illegal address (one that no memory can have)"},
    [CALL] = {cudaErrorIllegalAddress, NULL, "call of a function through a wrong pointer"},
    [NULL_CALL] = {cudaErrorIllegalAddress, NULL, "call of a null function pointer"},
    [STACK] = {cudaErrorIllegalAddress, NULL, STACK_OVERFLOW},
    [ALIGNMENT] = {cudaErrorMisalignedAddress, "misaligned address", "misaligned address"},
    [DIVISION] =
        {cudaErrorLaunchFailure, "integer division by zero",
         "integer division by zero, or overflow (a GPU continues with an unspecified value)"},
    [INSTRUCTION] =
        {cudaErrorIllegalInstruction, "illegal instruction",
         "illegal instruction (compilers put one where code is undefined, such as 1 / 0)"},
};

static enum fault fault_of(const struct worker *w, int number, const siginfo_t *info,
                           const void *context) {
    const char *address = info->si_addr;
    int nameless = number == SIGSEGV && info->si_code == SI_KERNEL;
    if (number == SIGFPE)
        return DIVISION;
    if (number == SIGILL)
        return INSTRUCTION;
    if (nameless)
        return wild_pointer(context) ? IMPOSSIBLE_ADDRESS : ALIGNMENT;
    if (number == SIGBUS && info->si_code == BUS_ADRALN)
        return ALIGNMENT;
    if (w->running != &w->own && address >= w->running->stack &&
        address < w->running->stack + cpu_device.page)
        return STACK;
    if (address != pc_of(context))
        return ADDRESS;
    return (uintptr_t)address < cpu_device.page ? NULL_CALL : CALL;
}

/* What is known of an illegal address. */
static void describe(const struct worker *w, const char *address, char *what, size_t size) {
    cpu_device_memory_describe(address, what, size);
    if (is_behind_shared(address))
        snprintf(what, size,
                 "past the end of the block's __shared__ variables; cudacc --trace "
                 "shows the line");
    else if (!what[0])
        snprintf(what, size, "not device memory");
    for (unsigned i = 0; i < w->launch->host_pointer_count; i++) {
        const struct cpu_device_host_pointer *h = &w->launch->host_pointers[i];
        ptrdiff_t off = address - (const char *)h->replacement;
        if (off > -(1ll << 32) && off < 1ll << 32)
            snprintf(what, size, "argument %u is a host pointer (%p); a kernel needs device memory",
                     h->argument + 1, h->given);
    }
}

static void say_fault(const struct worker *w, enum fault fault, const void *address) {
    char text[500], place[200], what[200];
    kernel_place(place, sizeof place);
    if (fault == STACK)
        snprintf(what, sizeof what, "the thread's stack (%d KiB) is full", STACK_BYTES >> 10);
    else if (faults[fault].plain)
        snprintf(what, sizeof what, "%s", faults[fault].plain);
    else
        describe(w, address, what, sizeof what);
    if (faults[fault].error == cudaErrorIllegalAddress)
        snprintf(text, sizeof text, "CPU device: %s: illegal address %p: %s\n", place, address,
                 what);
    else
        snprintf(text, sizeof text, "CPU device: %s: %s\n", place, what);
    cpu_device_print(text);
}

/* Of a handler that does not return. */
static void unblock(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

#ifdef __x86_64__
static __thread void *part_begin[5];

__attribute__((noinline)) int cpu_device_part(void (*part)(const void *), const void *with,
                                              int once) {
    const int failed = __builtin_setjmp(part_begin);
    threadIdx.x = CPU_DEVICE_NO_THREAD;
    if (failed)
        self->has_failed = once;
    else
        part(with);
    threadIdx = (uint3){0, 0, 0};
    return !failed;
}

/* From a handler, which starts without the thread's right to device memory, and without its way to
 * round. */
static _Noreturn void leave_part(int number, const void *context) {
    const ucontext_t *u = context;
    unblock(number);
    cpu_device_memory_allow(1);
    __builtin_ia32_ldmxcsr(u->uc_mcontext.fpregs->mxcsr);
    __asm__ volatile("fldcw %0" : : "m"(u->uc_mcontext.fpregs->cwd));
    __builtin_longjmp(part_begin, 1);
}
#endif

static _Noreturn void fault_in_kernel(int number, const siginfo_t *info, const void *context) {
    struct worker *w = self;
    enum fault fault = fault_of(w, number, info, context);
    const char *pc = pc_of(context);
    if (!pc && (fault == DIVISION || fault == INSTRUCTION))
        pc = info->si_addr;
    if (OBSERVED)
        cpu_device_observer->dies(faults[fault].error, faults[fault].traced,
                                  fault == CALL || fault == NULL_CALL ? caller_of(context)
                                  : pc                                ? pc + 1
                                                                      : NULL,
                                  info->si_addr);
    else
        say_fault(w, fault, info->si_addr);
    unblock(number);
    cpu_device_abandon(faults[fault].error);
}

/* A little past the end of an allocation a GPU notices nothing; here it is said, once for each. */
static int passed_over(int number, const siginfo_t *info, const void *context) {
    char text[500], place[200], what[200];
    if (OBSERVED || self->has_failed || number != SIGSEGV ||
        fault_of(self, number, info, context) != ADDRESS ||
        !cpu_device_memory_open_past(info->si_addr, what, sizeof what))
        return 0;
    if (what[0]) {
        kernel_place(place, sizeof place);
        snprintf(text, sizeof text,
                 "CPU device: %s: address %p: %s. A GPU may not notice, so it goes on; cudacc "
                 "--trace shows the line.\n",
                 place, info->si_addr, what);
        cpu_device_print(text);
    }
    return 1;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    const char *address = info->si_addr;
    char text[500], what[200];
    if (number == SIGSEGV && cpu_device_pages_fault(address, is_write(context)))
        return;
    if (cpu_device_in_kernel()) {
#ifdef __x86_64__
        if (threadIdx.x == CPU_DEVICE_NO_THREAD)
            leave_part(number, context);
#endif
        if (passed_over(number, info, context))
            return;
        fault_in_kernel(number, info, context);
    }
    if (cpu_device_memory_ours(address) && (number == SIGSEGV || number == SIGBUS)) {
        OBSERVE(host_faulted, address, is_write(context) == 1);
        cpu_device_memory_describe(address, what, sizeof what);
        snprintf(text, sizeof text,
                 "CPU device: host code used a device pointer, %p: %s. Copy the data with "
                 "cudaMemcpy.\n",
                 (void *)address, what);
        cpu_device_print(text);
    }
    /* The program ends as it would have without us. */
    sigaction(number, &previous[number], NULL);
    if (info->si_code <= 0)
        raise(number); /* sent, not a fault: it would not come again */
}

void cpu_device_fault_start(void) {
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_fault;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < 4; i++)
        sigaction(numbers[i], &a, &previous[numbers[i]]);
}
