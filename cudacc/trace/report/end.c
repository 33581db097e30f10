/*
 * end.c: the last word of a traced program: the report, the errors, the exit code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/queue.h"
#include "trace/record/record.h"
#include "trace/report/report.h"
#include "trace/report/print_error.h"
#include <sys/syscall.h>
#include <unistd.h>

enum { EXIT_CODE = 4 };

static pid_t started; /* a child made by fork has nothing to say */

static void at_end(int status) {
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (getpid() != started || atomic_flag_test_and_set(&told))
        return;
    if (!trace_started() && status)
        return; /* the device could not start, or was not needed */
    if (cpu_device_in_kernel()) {
        /* A kernel calls exit(): it will not end, so nothing is waited for. */
        report_findings(trace_exits());
    } else if (trace_started()) {
        const void *pc;
        cpu_device_wait_so(NULL, 0);
        size_t left = cpu_device_printf_left(&pc);
        if (left && !atomic_load(&cpu_device.lost))
            trace_print_lost(left, 0, pc);
    }
    fflush(stdout);
    trace_report();
    report_calls(status == 0);
    if (errors_printed() && !status) {
        fflush(NULL);
        syscall(SYS_exit_group, EXIT_CODE);
    }
}

/* _exit(0) leaves without the handlers of exit(), but not without the findings. */
#pragma GCC visibility push(default)
_Noreturn void _exit(int status) {
    at_end(status);
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}
_Noreturn void _Exit(int status) { _exit(status); }
#pragma GCC visibility pop

#ifdef __GLIBC__
static void on_end(int status, void *unused) {
    (void)unused;
    at_end(status);
}
#else
static void on_end(void) { at_end(0); } /* no way to ask: found errors make it 4 */
#endif

/* Before the program's own handlers, so that they have run. */
__attribute__((constructor)) static void register_end(void) {
    started = getpid();
#ifdef __GLIBC__
    on_exit(on_end, NULL);
#else
    atexit(on_end);
#endif
}
