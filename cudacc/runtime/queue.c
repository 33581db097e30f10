/*
 * queue.c: each stream has a queue and a thread that works it off in order, so that the host really
 * runs on after a launch and an event is stamped when the stream reaches it.  An operation waits
 * for other streams by a list of (stream, number of the operation to wait for), fixed when it is
 * queued: that is how the legacy default stream and cudaStreamWaitEvent are expressed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/capture.h"
#include "runtime/observer.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct CUstream_st *stream_legacy;
__thread int in_host_function;
static struct CUstream_st *streams; /* all that are alive, the legacy stream included */
static __thread struct CUstream_st *per_thread;
static __thread const struct operation *at; /* of a stream's thread: what it does */
static pthread_key_t thread_ends;           /* calls end_per_thread */

/* ---- Streams ----------------------------------------------------------------------------- */

struct CUstream_st *stream_new(unsigned flags) {
    static unsigned long long created;
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (streams)
        OBSERVE(stream_created);
    s->flags = flags;
    s->id = ++created;
    s->references = 1;
    pthread_cond_init(&s->wake, NULL);
    LIST_ADD(streams, s);
    return s;
}

void stream_drop(struct CUstream_st *s) {
    if (!s || --s->references)
        return;
    pthread_cond_destroy(&s->wake);
    free(s);
}

void stream_end(struct CUstream_st *s) {
    s->destroyed = 1;
    capture_discard(s);
    if (s->has_thread)
        pthread_cond_signal(&s->wake);
    else
        LIST_REMOVE(streams, s);
    stream_drop(s);
}

/* A host thread ends, and with it the stream that cudaStreamPerThread stood for in it. */
static void end_per_thread(void *s) {
    WITH_LOCK(cpu_device.lock);
    stream_end(s);
}

static int stream_idle(const struct CUstream_st *s) { return s->completed == s->queued; }

/* ---- Work -------------------------------------------------------------------------------- */

/* o is about to be `of`'s next one. */
static void add_wait(const struct CUstream_st *of, struct operation *o, struct CUstream_st *s,
                     unsigned long number) {
    OBSERVE(operation_after, of->id, of->queued + 1, s->id, number);
    if (s->completed >= number)
        return;
    struct wait_for *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->stream = s;
    w->number = number;
    LIST_ADD(o->waits, w);
    s->references++;
}

static int reached(void *wait) {
    const struct wait_for *w = wait;
    return w->stream->completed >= w->number;
}

static int may_start(struct CUstream_st *s) {
    if (!s->head)
        return 0;
    return !cpu_device.late || cpu_device.hosts_waiting || s->completed < s->released;
}

void streams_release(void) {
    for (struct CUstream_st *s = cpu_device.late ? streams : NULL; s; s = s->next) {
        s->released = s->queued;
        pthread_cond_signal(&s->wake);
    }
}

static void *stream_main(void *argument) {
    struct CUstream_st *s = argument;
    cpu_device_memory_allow(1);
    cpu_device_lock();
    for (;;) {
        while (!may_start(s) && !(s->destroyed && !s->head))
            pthread_cond_wait(&s->wake, &cpu_device.lock);
        if (!s->head)
            break;
        struct operation *o = s->head;
        while (o->waits) {
            struct wait_for *w = o->waits;
            while (!reached(w))
                pthread_cond_wait(&cpu_device.progressed, &cpu_device.lock);
            o->waits = w->next;
            stream_drop(w->stream);
            free(w);
        }
        cpu_device_unlock();
        if (o->run && (o->even_if_lost || !atomic_load(&cpu_device.lost))) {
            cpu_device_pages_operation(1);
            OBSERVE(operation_begins, s->id, s->completed + 1);
            at = o;
            o->run(o->data);
            at = NULL;
            cpu_device_pages_operation(0);
        }
        operation_end(o);
        cpu_device_lock();
        s->head = o->next;
        s->completed++;
        cpu_device_progress();
        free(o);
    }
    OBSERVE(host_after, s->id, s->queued); /* nothing can wait for it any more */
    LIST_REMOVE(streams, s);
    cpu_device_progress();
    stream_drop(s);
    cpu_device_unlock();
    cpu_device_worker_end();
    return NULL;
}

/* ---- The host waits ---------------------------------------------------------------------- */

static int has_room(void *s) {
    return ((struct CUstream_st *)s)->queued - ((struct CUstream_st *)s)->completed < QUEUE_LIMIT;
}

/* A kernel would wait for its own end. */
static void not_in_kernel(void) {
    if (!cpu_device_in_kernel())
        return;
    cpu_device_unlock();
    cpu_device_die(cudaErrorLaunchFailure,
                   "a call that waits for the device, in a kernel, which would wait for itself",
                   cpu_device_call.pc ? cpu_device_call.pc : __builtin_return_address(0));
}

/* Waits, up to a second, for anything to be done; `from`: the CPU time when it last was. A kernel
 * may have no end, which cannot be told from a slow one: it is named, once, and goes on. (A traced
 * program says it in more detail: watchdog.c.) */
static void wait_for_progress(double *from) {
    static int told;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec++;
    if (pthread_cond_timedwait(&cpu_device.progressed, &cpu_device.lock, &t) != ETIMEDOUT) {
        *from = cpu_device_seconds(CLOCK_PROCESS_CPUTIME_ID);
        return;
    }
    double seconds = cpu_device.patience * cpu_device.workers;
    for (const struct CUstream_st *s = streams; s && !told && !OBSERVED; s = s->next)
        if (s->head && s->head->kernel && !s->head->waits &&
            cpu_device_seconds(CLOCK_PROCESS_CPUTIME_ID) - *from > seconds) {
            told = 1;
            fprintf(stderr,
                    "CPU device: kernel %s has run for %g s of processor time; if that is a loop "
                    "without an end, cudacc --trace ends it and shows the line\n",
                    s->head->kernel, seconds);
        }
}

void cpu_device_host_wait(int (*done)(void *), void *argument) {
    not_in_kernel();
    if (done(argument) || in_host_function)
        return;
    cpu_device.hosts_waiting++;
    streams_release();
    double from = cpu_device_seconds(CLOCK_PROCESS_CPUTIME_ID);
    unsigned how = atomic_load(&cpu_device.host_flags) & cudaDeviceScheduleMask;
    while (!done(argument)) {
        if (how == cudaDeviceScheduleSpin || how == cudaDeviceScheduleYield) {
            unsigned long seen = atomic_load(&cpu_device.progress);
            cpu_device_unlock();
            while (atomic_load(&cpu_device.progress) == seen)
                if (how == cudaDeviceScheduleYield)
                    sched_yield();
            cpu_device_lock();
        } else {
            wait_for_progress(&from);
        }
    }
    cpu_device.hosts_waiting--;
}

struct CUstream_st *stream_of(cudaStream_t handle) {
    handle = cpu_device_stream(handle);
    if (!handle || handle == cudaStreamLegacy)
        return stream_legacy;
    if (handle == cudaStreamPerThread) {
        if (!per_thread && (per_thread = stream_new(cudaStreamDefault))) {
            per_thread->of_thread = 1;
            pthread_setspecific(thread_ends, per_thread);
        }
        return per_thread;
    }
    return LIST_FIND(streams, s, s == handle && !s->destroyed);
}

static void start_thread(struct CUstream_st *s) {
    pthread_t t;
    s->references++; /* the thread's own */
    s->has_thread = 1;
    int refused = pthread_create(&t, NULL, stream_main, s);
    if (refused) { /* ulimit -u, a container's limit; a core file would be of no use */
        fprintf(stderr, "CPU device: cannot start a thread for a stream: %s\n", strerror(refused));
        syscall(SYS_exit_group, 3); /* not _exit(), for which the tracer stands in */
    }
    pthread_detach(t);
}

unsigned long stream_put(struct CUstream_st *s, struct operation work, struct CUstream_st *after,
                         unsigned long number) {
    s->references++; /* waiting for room gives the lock away */
    if (after)
        after->references++;
    cpu_device_host_wait(has_room, s);
    struct operation *o = malloc(sizeof *o);
    if (!o)
        abort();
    static unsigned long turns;
    *o = work;
    o->turn = ++turns;
    OBSERVE(operation_put, s->id, s->queued + 1);
    if (after) {
        add_wait(s, o, after, number);
        stream_drop(after);
    }
    if (s == stream_legacy) {
        for (struct CUstream_st *other = streams; other; other = other->next)
            if (other != s && !(other->flags & cudaStreamNonBlocking))
                add_wait(s, o, other, other->queued);
    } else if (!(s->flags & cudaStreamNonBlocking)) {
        add_wait(s, o, stream_legacy, stream_legacy->queued);
    }
    if (s->head)
        s->tail->next = o;
    else
        s->head = o;
    s->tail = o;
    unsigned long put = ++s->queued;
    if (!s->has_thread)
        start_thread(s);
    pthread_cond_signal(&s->wake);
    stream_drop(s);
    return put;
}

void stream_wait_for(struct CUstream_st *s, unsigned long number) {
    struct wait_for w = {s, number, NULL};
    s->references++;
    cpu_device_host_wait(reached, &w);
    OBSERVE(host_after, s->id, number);
    stream_drop(s);
}

cudaError_t cpu_device_stream_enqueue(cudaStream_t handle, struct operation work, int wait) {
    if (in_host_function) {
        operation_end(&work);
        return cudaErrorNotPermitted;
    }
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_refuses(s) : cudaErrorInvalidResourceHandle;
    int captured = !e && capture_status(s) != cudaStreamCaptureStatusNone;
    if (captured)
        e = capture_add(s, work);
    if (e || captured) {
        cpu_device_unlock();
        if (!captured)
            operation_end(&work);
        return e;
    }
    unsigned long number = stream_put(s, work, NULL, 0);
    if (wait)
        stream_wait_for(s, number);
    cpu_device_unlock();
    if (wait)
        cpu_device_printf_flush();
    return cudaSuccess;
}

int cpu_device_stream_captures(cudaStream_t handle) {
    WITH_LOCK(cpu_device.lock);
    struct CUstream_st *s = stream_of(handle);
    return s && capture_status(s) != cudaStreamCaptureStatusNone;
}

void cpu_device_stream_spoil(cudaStream_t handle) {
    WITH_LOCK(cpu_device.lock);
    struct CUstream_st *s = stream_of(handle);
    if (s)
        capture_spoil(s);
}

/* Is all done, or all that was queued before this operation? */
static int all_done(void *operation) {
    const struct operation *o = operation;
    return !LIST_FIND(streams, s, !stream_idle(s) && !(o && s->head->turn >= o->turn));
}

cudaError_t cpu_device_wait(void) { return cpu_device_wait_so(NULL, 1); }
cudaError_t cpu_device_wait_so(const void *p, int shows) {
    if (in_host_function)
        return cudaErrorNotPermitted;
    cpu_device_lock();
    cpu_device_host_wait(all_done, NULL);
    if (p)
        OBSERVE(freed_unwaited, p);
    for (struct CUstream_st *s = streams; s; s = s->next)
        OBSERVE(host_after, s->id, s->queued);
    cpu_device_unlock();
    if (shows)
        cpu_device_printf_flush();
    return cudaSuccess;
}

void cpu_device_let_run(void) {
    cpu_device_lock();
    cpu_device.hosts_waiting++;
    streams_release();
    for (int ms = 0; ms < 2000 && !in_host_function && !all_done((void *)at); ms++) {
        cpu_device_unlock();
        usleep(1000);
        cpu_device_lock();
    }
    cpu_device.hosts_waiting--;
    cpu_device_unlock();
}

static int is_of(const struct CUstream_st *other, const struct CUstream_st *s) {
    return other == s || (s == stream_legacy && !(other->flags & cudaStreamNonBlocking));
}
int stream_done(void *argument) {
    if (LIST_FIND(streams, s, is_of(s, argument) && !stream_idle(s)))
        return 0;
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (is_of(s, argument))
            OBSERVE(host_after, s->id, s->queued);
    return 1;
}

/* ---- The beginning, the end -------------------------------------------------------------- */

int stream_is_own(const struct CUstream_st *s) { return s == stream_legacy || s->of_thread; }

void streams_start(void) {
    pthread_key_create(&thread_ends, end_per_thread);
    stream_legacy = stream_new(cudaStreamDefault);
    if (!stream_legacy)
        abort();
    stream_legacy->legacy = 1;
}

void streams_end(void) {
    WITH_LOCK(cpu_device.lock);
    LIST_EACH (streams, s)
        if (!stream_is_own(s) && !s->destroyed)
            stream_end(s);
}
