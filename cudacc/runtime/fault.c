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
struct ubsan_place {
    const char *file;
    unsigned line, column;
    const void *type;
    unsigned char log_alignment, kind; /* of an access; 0: a load, 1: a store */
};
/* Local arrays: nvcc keeps them in registers where it can, and then no address is misaligned. */
static int on_own_stack(const char *p) {
    const struct fiber *f = self->running;
    return f != &self->own && p >= f->stack && p < f->stack + STACK_BYTES;
}
#pragma weak dlsym /* older C libraries have it elsewhere */
__attribute__((weak, visibility("default"), no_sanitize("undefined"))) //
void __ubsan_handle_type_mismatch_v1(void *data, void *p) {
    const struct ubsan_place *access = data;
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

/* Of a fault: the program counter; was it a write? And at the first instruction of a function that
 * is not there: where was that called? NULL, or -1: this machine does not say. */
#define REGISTERS(context) ((const ucontext_t *)(context))->uc_mcontext
#if defined(__x86_64__) && defined(REG_RIP)
static const char *pc_of(const void *c) { return (const char *)REGISTERS(c).gregs[REG_RIP]; }
static const void *caller_of(const void *c) { return *(void **)REGISTERS(c).gregs[REG_RSP]; }
static int is_write(const void *c) { return (int)(REGISTERS(c).gregs[REG_ERR] >> 1 & 1); }
#elif defined(__aarch64__)
static const char *pc_of(const void *c) { return (const char *)REGISTERS(c).pc; }
static const void *caller_of(const void *c) { return (const void *)REGISTERS(c).regs[30]; }
static int is_write(const void *c) { return (void)c, -1; }
#else
static const char *pc_of(const void *c) { return (void)c, NULL; }
static const void *caller_of(const void *c) { return (void)c, NULL; }
static int is_write(const void *c) { return (void)c, -1; }
#endif

/* x86-64 reports a misaligned access of 16 bytes or more like an address that no memory can have,
 * and names neither. (gcc's alignment check has caught most of the former before; not those to
 * local variables, and clang's does not see whole structs.) So the instruction is read: the address
 * of its operand in memory, which is of *bytes. NULL: it is none that has such an operand. */
static const char *wide_operand(const void *context, unsigned *bytes) {
#if defined(__x86_64__) && defined(REG_RIP)
    static const int of_number[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15};
    const greg_t *r = REGISTERS(context).gregs;
    const unsigned char *c = (const unsigned char *)r[REG_RIP];
    unsigned extension = 0, disp8 = 1; /* 1: of the base's number, 2: of the index's */
    *bytes = 16;
    while (*c == 0x66)
        c++;
    if ((*c & 0xF0) == 0x40)
        extension = *c++;
    if (*c == 0xC5) { /* the forms of AVX, and of AVX-512 */
        *bytes <<= c[1] >> 2 & 1;
        c += 3;
    } else if (*c == 0xC4) {
        extension = ~c[1] >> 5;
        *bytes <<= c[2] >> 2 & 1;
        c += 4;
    } else if (*c == 0x62) {
        extension = ~c[1] >> 5;
        disp8 = *bytes <<= c[3] >> 5 & 3;
        c += 5;
    } else if (*c == 0x0F) {
        c += c[1] == 0x38 || c[1] == 0x3A ? 3 : 2;
    } else {
        return NULL;
    }
    unsigned mode = *c >> 6, base = *c & 7, has_index = base == 4;
    uint64_t address = 0;
    if (mode == 3 || (mode == 0 && base == 5)) /* a register; a constant's place */
        return NULL;
    if (has_index) {
        unsigned index = (*++c >> 3 & 7) | (extension & 2) << 2;
        base = *c & 7;
        if (index != 4)
            address = (uint64_t)r[of_number[index]] << (*c >> 6);
    }
    c++;
    int32_t away = 0;
    if (mode == 1)
        away = (signed char)*c * (int)disp8;
    else if (mode == 2 || base == 5)
        memcpy(&away, c, sizeof away);
    if (mode || base != 5)
        address += (uint64_t)r[of_number[base | (extension & 1) << 3]];
    return (const char *)(address + (uint64_t)away);
#else
    (void)context, (void)bytes;
    return NULL;
#endif
}
/* What the address of the operand had to be a multiple of; 0: the fault was another one. */
static unsigned wanted_alignment(int number, const siginfo_t *info, const void *context,
                                 const char **address) {
    unsigned bytes = 1;
    if (number != SIGSEGV || info->si_code != SI_KERNEL)
        return 0;
    *address = wide_operand(context, &bytes);
    int64_t top = (int64_t)*address >> 47;
    return (top == 0 || top == -1) && (uintptr_t)*address % bytes ? bytes : 0;
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
        return wanted_alignment(number, info, context, &address) ? ALIGNMENT : IMPOSSIBLE_ADDRESS;
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

/* For ALIGNMENT, where the operand is known. A traced program gives no address, so that it says the
 * same on every run. */
static void describe_alignment(const char *p, unsigned bytes, char *what, size_t size) {
    if (OBSERVED)
        snprintf(what, size, "misaligned address (%s%u bytes past a multiple of %u)",
                 on_own_stack(p) ? "a local variable, " : "", (unsigned)((uintptr_t)p % bytes),
                 bytes);
    else
        snprintf(what, size, "misaligned address %p, must be a multiple of %u", p, bytes);
}

static void say_fault(const struct worker *w, enum fault fault, const void *address,
                      const char *known) {
    char text[500], place[200], what[200];
    kernel_place(place, sizeof place);
    if (fault == STACK)
        snprintf(what, sizeof what, "the thread's stack (%d KiB) is full", STACK_BYTES >> 10);
    else if (*known || faults[fault].plain)
        snprintf(what, sizeof what, "%s", *known ? known : faults[fault].plain);
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

__attribute__((noinline)) int cpu_device_part(void (*part)(const void *), const void *with) {
    const int failed = __builtin_setjmp(part_begin);
    threadIdx.x = CPU_DEVICE_NO_THREAD;
    if (failed)
        self->has_failed = 1;
    else
        part(with);
    threadIdx = (uint3){0, 0, 0};
    return !failed;
}

/* From a handler, which starts without the thread's right to device memory, and without its way to
 * round. */
static _Noreturn void leave_part(int number, const void *context) {
    unblock(number);
    cpu_device_memory_allow(1);
    __builtin_ia32_ldmxcsr(REGISTERS(context).fpregs->mxcsr);
    __asm__ volatile("fldcw %0" : : "m"(REGISTERS(context).fpregs->cwd));
    __builtin_longjmp(part_begin, 1);
}
#endif

static _Noreturn void fault_in_kernel(int number, const siginfo_t *info, const void *context) {
    struct worker *w = self;
    enum fault fault = fault_of(w, number, info, context);
    const char *pc = pc_of(context), *operand;
    char known[100] = "";
    unsigned wanted = wanted_alignment(number, info, context, &operand);
    if (wanted)
        describe_alignment(operand, wanted, known, sizeof known);
    if (!pc && (fault == DIVISION || fault == INSTRUCTION))
        pc = info->si_addr;
    if (OBSERVED)
        cpu_device_observer->dies(faults[fault].error, *known ? known : faults[fault].traced,
                                  fault == CALL || fault == NULL_CALL ? caller_of(context)
                                  : pc                                ? pc + 1
                                                                      : NULL,
                                  info->si_addr);
    else
        say_fault(w, fault, info->si_addr, known);
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

/* The host stores or loads at an address of the device's. */
static void host_uses(const void *address, int stores) {
    char text[500], what[200];
    OBSERVE(host_faulted, address, stores);
    cpu_device_memory_describe(address, what, sizeof what);
    snprintf(text, sizeof text,
             "CPU device: host code used a device pointer, %p: %s. Copy the data with "
             "cudaMemcpy.\n",
             address, what);
    cpu_device_print(text);
}

/* As a GPU's program, which stores there itself; also where no protection key forbids it. */
void cpu_device_result_at(const void *p) {
    if (cpu_device_in_kernel() || cpu_device_memory_find(p).kind != MEMORY_DEVICE)
        return;
    host_uses(p, 1);
    sigaction(SIGSEGV, &previous[SIGSEGV], NULL);
    raise(SIGSEGV);
}

static void on_fault(int number, siginfo_t *info, void *context) {
    const char *address = info->si_addr;
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
    if (cpu_device_memory_ours(address) && (number == SIGSEGV || number == SIGBUS))
        host_uses(address, is_write(context) == 1);
    /* The program ends as it would have without us. */
    sigaction(number, &previous[number], NULL);
    if (info->si_code <= 0)
        raise(number); /* sent, not a fault: it would not come again */
}

void cpu_device_fault_start(void) {
    sanitizer_start();
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_fault;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < 4; i++)
        sigaction(numbers[i], &a, &previous[numbers[i]]);
}
