/*
 * fiber.c: fibers: a stack each, and the switch from one to another.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

__thread struct worker *self;
__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;
__thread int cpu_device_one_by_one;
__thread char cpu_device_dynamic_shared[SHARED_OPTIN] __attribute__((aligned(128)));

int sanitizer_linked;

int cpu_device_in_kernel(void) { return self && self->in_kernel; }

/* ---- The switch -------------------------------------------------------------------------- */

#if defined(__x86_64__) && !defined(CPU_DEVICE_UCONTEXT)
__asm__(".text\n"
        ".globl cpu_device_switch\n"
        ".hidden cpu_device_switch\n"
        ".type cpu_device_switch, @function\n"
        "cpu_device_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    movq %rdx, %rax\n" /* where the other one waits in cpu_device_meet */
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    popq %rcx\n"
        "    jmp *%rcx\n" /* as in cpu_device_meet */
        ".size cpu_device_switch, .-cpu_device_switch\n");

static void fiber_prepare(struct fiber *f, char *top, void (*entry)(void)) {
    void **sp = (void **)top;
    *--sp = NULL; /* keeps the stack aligned as after a call */
    *--sp = (void *)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    f->sp = sp;
}

#elif defined(__aarch64__) && !defined(CPU_DEVICE_UCONTEXT)
__asm__(".text\n"
        ".globl cpu_device_switch\n"
        ".hidden cpu_device_switch\n"
        ".type cpu_device_switch, %function\n"
        "cpu_device_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size cpu_device_switch, .-cpu_device_switch\n");

static void fiber_prepare(struct fiber *f, char *top, void (*entry)(void)) {
    void **sp = (void **)(top - 160);
    memset(sp, 0, 160);
    sp[11] = (void *)entry; /* x30, the return address */
    f->sp = sp;
}

#else /* any other machine: slower, since swapcontext makes a system call */
static void *context_of(struct fiber *f) {
    if (!f->context)
        f->context = calloc(1, sizeof(ucontext_t));
    return f->context;
}
static void fiber_prepare(struct fiber *f, char *top, void (*entry)(void)) {
    ucontext_t *u = context_of(f);
    getcontext(u);
    u->uc_stack.ss_sp = f->stack;
    u->uc_stack.ss_size = (size_t)(top - f->stack);
    makecontext(u, entry, 0);
}
NOT_COUNTED void fiber_switch(struct fiber *from, struct fiber *to) {
    swapcontext(context_of(from), to->context);
}
#endif

/* ---- Stacks ------------------------------------------------------------------------------ */

/* Stacks that no worker needs now. A page that faults lies below each, as long as that does not
 * take too many of the mappings that Linux allows a process (65530). */
static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fiber *spare_stacks;
static struct slab { /* all that there are: what an error left in the middle is in no other list */
    struct fiber fiber[STACKS_AT_A_TIME];
    struct slab *next;
} * slabs;
static unsigned guard_pages;
enum { GUARD_PAGES = 16384, PAGE_COLOURS = 16 };

static void take_stacks(struct worker *w) {
    WITH_LOCK(stacks_lock);
    if (!spare_stacks) {
        char *p = mmap(NULL, (size_t)STACKS_AT_A_TIME * STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        struct slab *slab = aligned_alloc(_Alignof(struct slab), sizeof *slab);
        if (p == MAP_FAILED || !slab) {
            fprintf(stderr, "CPU device: no memory for the stacks of a block's threads\n");
            abort();
        }
        memset(slab, 0, sizeof *slab);
        LIST_ADD(slabs, slab);
        struct fiber *f = slab->fiber;
        for (int i = 0; i < STACKS_AT_A_TIME; i++) {
            f[i].stack = p + (size_t)i * STACK_BYTES;
            sanitizer_new_stack(f[i].stack, STACK_BYTES);
            if (guard_pages < GUARD_PAGES) {
                mprotect(f[i].stack, cpu_device.page, PROT_NONE);
                guard_pages++;
            }
            f[i].next = spare_stacks;
            spare_stacks = &f[i];
        }
    }
    for (int i = 0; i < STACKS_AT_A_TIME && spare_stacks; i++) {
        struct fiber *f = LIST_TAKE(spare_stacks);
        LIST_ADD(w->free, f);
        w->stacks++;
    }
}

int cpu_device_in_stacks(const void *p) {
    const uintptr_t bytes = (uintptr_t)STACKS_AT_A_TIME * STACK_BYTES;
    WITH_LOCK(stacks_lock);
    return LIST_FIND(slabs, s, (uintptr_t)p - (uintptr_t)s->fiber[0].stack < bytes) != NULL;
}

void fibers_give_back(struct worker *w) {
    if (!w->free)
        return;
    struct fiber **end = LIST_PLACE(w->free, i, 0);
    WITH_LOCK(stacks_lock);
    *end = spare_stacks;
    spare_stacks = w->free;
    w->free = NULL;
    w->stacks = 0;
}

struct fiber *fiber_get(struct worker *w) {
    if (!w->free)
        take_stacks(w);
    struct fiber *f = LIST_TAKE(w->free);
    /* Stacks lie many pages apart: spread their tops over the sets of the caches, that of
     * translated addresses included. */
    size_t number = (uintptr_t)f->stack / STACK_BYTES;
    size_t colour = number % 64 * 128 + number % PAGE_COLOURS * 4096;
    fiber_prepare(f, f->stack + STACK_BYTES - colour, w->main);
    sanitizer_fresh_stack(&f->sanitizer, f->stack, STACK_BYTES);
    return f;
}
void fiber_put(struct worker *w, struct fiber *f) { LIST_ADD(w->free, f); }
