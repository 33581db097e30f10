/*
 * tracer.c connects the parts of the tracer. The runtime tells record/ what threads do, names/ what
 * the program allocates, and report/ which calls were wrong. At the program's end it says the last
 * word: the report, the errors, the exit code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/queue.h"
#include "trace/check/check.h"
#include "trace/check/streams.h"
#include "trace/record/record.h"
#include "trace/count/count.h"
#include "trace/report/report.h"
#include <sys/syscall.h>
#include <unistd.h>

static const struct trace_reporter reporter = {
    .launch_ended = report_findings,
    .on_host = report_on_host,
};

/* ---- What the runtime reports ----------------------------------------------------------- */

static void argument(struct cpu_device_launch *l, unsigned number, const void *p,
                     const struct cpu_device_element *element) {
    const struct trace_allocation *variable = trace_argument(l, number, p, element);
    if (variable)
        trace_argument_variable(number, variable);
}

static void copied(struct api_call call, void *to, const void *from, size_t bytes) {
    trace_memory_read(call, to, from, bytes);
    trace_memory_written(to, from, bytes);
    trace_constant_set(to, bytes);
    trace_streams_called(call, from, bytes, TRACE_LOAD);
    trace_streams_called(call, to, bytes, TRACE_STORE);
    trace_unseen_copied(to, from, bytes);
}
static void set(struct api_call call, void *p, size_t bytes) { copied(call, p, NULL, bytes); }

static void host_faulted(const void *address, int is_write) {
    trace_check_host(address, 0, is_write ? TRACE_STORE : TRACE_LOAD, trace_caller());
}

static void launch_queued(struct cpu_device_launch *l) {
    trace_launch_queued(l);
    trace_streams_launch();
    trace_order_queued();
}
static void kernel_ended(struct cpu_device_launch *l) {
    trace_order_ended(l->name);
    trace_launch_end(l);
}
static void operation_put(unsigned long long stream, unsigned long number) {
    trace_order_put();
    trace_streams_put(stream, number);
}
static void given(const void *base) { trace_streams_given(base, cpu_device_call); }
static const void *allocation_of(const void *p) { return trace_allocation_near(p); }

static const struct observer tracer = {
    .started = trace_start,
    .allocating = trace_allocating,
    .allocated = trace_allocated,
    .pitched = trace_pitched,
    .given = given,
    .freed = trace_check_freed,
    .freed_unwaited = trace_check_freed_unwaited,
    .free_failed = trace_free_failed,
    .asked_for = trace_asked_for,
    .variable_fits = trace_variable_fits,
    .host_fits = trace_host_fits,
    .call_outside = trace_call_outside,
    .call_direction = trace_call_direction,
    .call_wrong = trace_call_wrong,
    .call_overlaps = trace_call_overlaps,
    .call_variable = trace_call_variable,
    .copying = trace_unseen_copying,
    .copied = copied,
    .set = set,
    .print_lost = trace_print_lost,
    .allocation_of = allocation_of,
    .error_asked = trace_error_asked,
    .returns = trace_order_returns,
    .host_faulted = host_faulted,
    .argument = argument,
    .launch_refused = trace_launch_refused,
    .launch_queued = launch_queued,
    .stream_created = trace_streams_created,
    .operation_put = operation_put,
    .operation_after = trace_streams_after,
    .graph_put = trace_streams_graph,
    .host_after = trace_streams_host_after,
    .operation_begins = trace_streams_begins,
    .node_begins = trace_streams_node,
    .host_function = trace_streams_host_function,
    .launch_begins = trace_launch_begin,
    .launch_ended = kernel_ended,
    .launch_lost = trace_launch_lost,
    .worker_joins = trace_join,
    .worker_leaves = trace_leave,
    .thread_ends = trace_thread_ends,
    .block_begins = trace_block_begin,
    .block_ended = trace_block_end,
    .stack = trace_stack,
    .fast_path_left = trace_left_plain_loop,
    .thread_begins = trace_thread_begin,
    .thread_ended = trace_thread_end,
    .suspended = trace_suspend,
    .released = trace_released,
    .resumed = trace_resume,
    .polled = trace_polled,
    .warp_together = trace_warp_together,
    .warp_called = trace_warp_called,
    .warp_without = trace_warp_without,
    .warp_misused = trace_warp_misused,
    .barrier_reached = trace_barrier_wait,
    .grid_barrier = trace_grid_barrier,
    .texel = trace_texel,
    .copy_begun = trace_copy_begun,
    .copy_arrived = trace_copy_arrived,
    .past_end = trace_past_end,
    .barrier_complete = trace_barrier,
    .deadlock = trace_deadlock,
    .dies = trace_dies,
    .died = trace_died,
};

/* ---- The end ----------------------------------------------------------------------------- */

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

/* This runs before the program's constructors, which may call CUDA, and so on_end after its own
 * handlers. */
__attribute__((constructor(101))) static void watch(void) {
    trace_reporter = &reporter;
    cpu_device_observer = &tracer;
    started = getpid();
#ifdef __GLIBC__
    on_exit(on_end, NULL);
#else
    atexit(on_end);
#endif
}
