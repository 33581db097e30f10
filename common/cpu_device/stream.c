/*
 * stream.c: streams, events, launches and copies.
 *
 * Each stream has a queue and a thread that works it off in order, so that the host really runs
 * on after a launch and an event is stamped when the stream reaches it.  An operation waits for
 * other streams by a list of (stream, number of the operation to wait for), fixed when it is
 * queued: that is how the legacy default stream and cudaStreamWaitEvent are expressed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime.h"
#include "trace_hooks.h"
#include "trace_names.h"
#include "device_abi.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SHARED = 48 << 10 }; /* bytes that a block may have */

struct device cpu_device;

struct wait_for {
    struct CUstream_st *stream;
    unsigned long number;
    struct wait_for *next;
};

struct operation {
    void (*run)(void *data);
    void *data;
    struct wait_for *waits;
    struct operation *next;
};

struct CUstream_st {
    unsigned flags;
    unsigned long long id; /* never used again, unlike the address */
    int references, destroyed, has_thread;
    int of_thread; /* a cudaStreamPerThread: lives as long as its thread */
    unsigned long queued, completed, released; /* operations so far; released: `late` only */
    struct operation *head, *tail;
    pthread_cond_t wake;
    struct CUstream_st *next;
};

struct CUevent_st {
    unsigned flags;
    int references, destroyed;
    struct CUstream_st *stream; /* of the newest record */
    unsigned long number;       /* of the newest record in that stream; 0: never recorded */
    double time_ns;
    struct CUevent_st *next;
};

static struct CUstream_st *streams; /* all that are alive, the legacy stream included */
static struct CUstream_st *legacy;
static __thread struct CUstream_st *per_thread;
static pthread_key_t thread_ends; /* calls end_per_thread */
static struct CUevent_st *events;
static __thread cudaError_t last_error;
static __thread int in_host_function; /* on a stream's thread, which must not wait for itself */

double cpu_device_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

void cpu_device_lock(void) { pthread_mutex_lock(&cpu_device.lock); }
void cpu_device_unlock(void) { pthread_mutex_unlock(&cpu_device.lock); }

void cpu_device_progress(void) {
    atomic_fetch_add(&cpu_device.progress, 1);
    pthread_cond_broadcast(&cpu_device.progressed);
}

/* ---- Errors ------------------------------------------------------------------------------ */

cudaError_t cpu_device_return(cudaError_t e) {
    int lost = atomic_load(&cpu_device.lost);
    if (in_host_function)
        e = cudaErrorNotPermitted;
    if (lost)
        e = (cudaError_t)lost;
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last_error = e;
    return e;
}

void cpu_device_lose(cudaError_t e) {
    int none = 0;
    atomic_compare_exchange_strong(&cpu_device.lost, &none, (int)e);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t e = last_error;
    last_error = cudaSuccess;
    trace_error_asked();
    return e;
}

cudaError_t cudaPeekAtLastError(void) {
    trace_error_asked();
    return last_error;
}

/* ---- Starting ---------------------------------------------------------------------------- */

static void read_schedule(void) {
    const char *s = getenv("CPU_DEVICE_SCHEDULE");
    if (!s || !*s || !strcmp(s, "inorder"))
        return;
    char *end = NULL;
    if (!strcmp(s, "late")) {
        cpu_device.late = 1;
    } else if (!strcmp(s, "reversed")) {
        cpu_device.schedule = REVERSED;
    } else if (!strncmp(s, "shuffled:", 9)) {
        cpu_device.schedule = SHUFFLED;
        cpu_device.seed = (unsigned)strtoul(s + 9, &end, 10);
    }
    if ((cpu_device.schedule == SHUFFLED && (end == s + 9 || *end)) ||
        (!cpu_device.late && cpu_device.schedule == IN_ORDER)) {
        fprintf(stderr,
                "CPU device: CPU_DEVICE_SCHEDULE is late, reversed or shuffled:SEED, not "
                "'%s'\n",
                s);
        exit(2);
    }
}

static struct CUstream_st *stream_new(unsigned flags) {
    static unsigned long long created;
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->flags = flags;
    s->id = ++created;
    s->references = 1;
    pthread_cond_init(&s->wake, NULL);
    s->next = streams;
    streams = s;
    return s;
}

static void end_per_thread(void *stream);

static void start(void) {
    cpu_set_t set;
    cpu_device.workers = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    if (cpu_device.workers > MAX_WORKERS)
        cpu_device.workers = MAX_WORKERS;
    cpu_device.page = (size_t)sysconf(_SC_PAGESIZE);
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    cpu_device.launch_blocking = blocking && !strcmp(blocking, "1");
    read_schedule();
    pthread_mutex_init(&cpu_device.lock, NULL);
    pthread_cond_init(&cpu_device.progressed, NULL);
    pthread_key_create(&thread_ends, end_per_thread);
    cpu_device_memory_start();
    trace_start();
    cpu_device_block_start();
    legacy = stream_new(cudaStreamDefault);
    if (!legacy)
        abort();
}

void cpu_device_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

/* ---- Queues ------------------------------------------------------------------------------ */

static void stream_drop(struct CUstream_st *s) {
    if (--s->references)
        return;
    pthread_cond_destroy(&s->wake);
    free(s);
}

static void stream_unlink(struct CUstream_st *s) {
    for (struct CUstream_st **p = &streams; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            return;
        }
}

/* No new work; the thread, if there is one, ends with the work that is queued. Lock held. */
static void stream_end(struct CUstream_st *s) {
    s->destroyed = 1;
    if (s->has_thread)
        pthread_cond_signal(&s->wake);
    else
        stream_unlink(s);
    stream_drop(s);
}

/* A host thread ends, and with it the stream that cudaStreamPerThread stood for in it. */
static void end_per_thread(void *s) {
    cpu_device_lock();
    stream_end(s);
    cpu_device_unlock();
}

static int stream_idle(void *s) {
    return ((struct CUstream_st *)s)->completed == ((struct CUstream_st *)s)->queued;
}

static void add_wait(struct operation *o, struct CUstream_st *s, unsigned long number) {
    if (s->completed >= number)
        return;
    struct wait_for *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->stream = s;
    w->number = number;
    w->next = o->waits;
    o->waits = w;
    s->references++;
}

static int may_start(struct CUstream_st *s) {
    if (!s->head)
        return 0;
    return !cpu_device.late || cpu_device.hosts_waiting || s->completed < s->released;
}

/* In the schedule `late` work starts only when the host waits; this is where it does. */
static void release_all(void) {
    for (struct CUstream_st *s = streams; s; s = s->next) {
        s->released = s->queued;
        pthread_cond_signal(&s->wake);
    }
}

/* What runs even when the device is lost, since it holds something. */
static void run_launch(void *data);
static void run_stamp(void *data);

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
            while (w->stream->completed < w->number)
                pthread_cond_wait(&cpu_device.progressed, &cpu_device.lock);
            o->waits = w->next;
            stream_drop(w->stream);
            free(w);
        }
        cpu_device_unlock();
        if (o->run == run_launch || o->run == run_stamp ||
            (o->run && !atomic_load(&cpu_device.lost))) {
            cpu_device_pages_operation(1);
            o->run(o->data);
            cpu_device_pages_operation(0);
        }
        cpu_device_lock();
        s->head = o->next;
        s->completed++;
        cpu_device_progress();
        free(o->data);
        free(o);
    }
    stream_unlink(s);
    cpu_device_progress();
    stream_drop(s);
    cpu_device_unlock();
    cpu_device_worker_end();
    return NULL;
}

struct waited {
    struct CUstream_st *stream;
    unsigned long number;
};
static int reached(void *w) {
    return ((struct waited *)w)->stream->completed >= ((struct waited *)w)->number;
}
static int has_room(void *s) {
    return ((struct CUstream_st *)s)->queued - ((struct CUstream_st *)s)->completed < QUEUE_LIMIT;
}

void cpu_device_host_wait(int (*done)(void *), void *argument) {
    if (done(argument) || in_host_function)
        return;
    cpu_device.hosts_waiting++;
    if (cpu_device.late)
        release_all();
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
            pthread_cond_wait(&cpu_device.progressed, &cpu_device.lock);
        }
    }
    cpu_device.hosts_waiting--;
}

/* The stream that a handle stands for, with the lock held; NULL: no such stream. */
static struct CUstream_st *stream_of(cudaStream_t handle) {
    handle = cpu_device_stream(handle);
    if (!handle || handle == cudaStreamLegacy)
        return legacy;
    if (handle == cudaStreamPerThread) {
        if (!per_thread && (per_thread = stream_new(cudaStreamDefault))) {
            per_thread->of_thread = 1;
            pthread_setspecific(thread_ends, per_thread);
        }
        return per_thread;
    }
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (s == handle && !s->destroyed)
            return s;
    return NULL;
}

/* With the lock held. Returns the number of the operation in its stream. */
static unsigned long enqueue(struct CUstream_st *s, void (*run)(void *), void *data,
                             struct CUevent_st *event) {
    s->references++; /* waiting for room gives the lock away */
    cpu_device_host_wait(has_room, s);
    struct operation *o = calloc(1, sizeof *o);
    if (!o)
        abort();
    o->run = run;
    o->data = data;
    if (event)
        add_wait(o, event->stream, event->number);
    if (s == legacy) {
        for (struct CUstream_st *other = streams; other; other = other->next)
            if (other != s && !(other->flags & cudaStreamNonBlocking))
                add_wait(o, other, other->queued);
    } else if (!(s->flags & cudaStreamNonBlocking)) {
        add_wait(o, legacy, legacy->queued);
    }
    if (s->head)
        s->tail->next = o;
    else
        s->head = o;
    s->tail = o;
    unsigned long number = ++s->queued;
    if (!s->has_thread) {
        pthread_t t;
        s->references++; /* the thread's own */
        s->has_thread = 1;
        if (pthread_create(&t, NULL, stream_main, s)) {
            fprintf(stderr, "CPU device: cannot start a thread for a stream\n");
            abort();
        }
        pthread_detach(t);
    }
    pthread_cond_signal(&s->wake);
    stream_drop(s);
    return number;
}

cudaError_t cpu_device_stream_enqueue(cudaStream_t handle, void (*run)(void *), void *data,
                                      int wait) {
    cpu_device_start();
    if (in_host_function) {
        free(data);
        return cudaErrorNotPermitted;
    }
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    if (!s) {
        cpu_device_unlock();
        free(data);
        return cudaErrorInvalidResourceHandle;
    }
    unsigned long number = enqueue(s, run, data, NULL);
    if (wait) {
        struct waited w = {s, number};
        s->references++;
        cpu_device_host_wait(reached, &w);
        stream_drop(s);
    }
    cpu_device_unlock();
    if (wait)
        cpu_device_printf_flush();
    return cudaSuccess;
}

static int all_idle(void *unused) {
    (void)unused;
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (!stream_idle(s))
            return 0;
    return 1;
}

cudaError_t cpu_device_wait(void) {
    cpu_device_start();
    if (in_host_function)
        return cudaErrorNotPermitted;
    cpu_device_lock();
    cpu_device_host_wait(all_idle, NULL);
    cpu_device_unlock();
    cpu_device_printf_flush();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) { return cpu_device_return(cpu_device_wait()); }

/* Everything back to the start. A lost device stays lost, as on a GPU (seen on an H200: 46 from
 * then on): only a new process gets it back. */
cudaError_t cudaDeviceReset(void) {
    cpu_device_wait();
    for (;;) {
        cpu_device_lock();
        struct CUstream_st *s = streams;
        while (s && (s == legacy || s->of_thread || s->destroyed))
            s = s->next;
        cpu_device_unlock();
        if (!s)
            break;
        cudaStreamDestroy(s);
    }
    cpu_device_memory_reset();
    atomic_store(&cpu_device.host_flags, 0);
    last_error = cudaSuccess;
    if (atomic_load(&cpu_device.lost))
        atomic_store(&cpu_device.lost, cudaErrorDevicesUnavailable);
    return cudaSuccess;
}

/* ---- Launches ---------------------------------------------------------------------------- */

struct launch_data {
    struct cpu_device_launch *launch;
};
static void run_launch(void *data) {
    struct cpu_device_launch *l = ((struct launch_data *)data)->launch;
    if (!atomic_load(&cpu_device.lost)) {
        cpu_device_pages_launch();
        cpu_device_kernel_run(l);
    }
    l->destroy(l->arguments);
    free(l);
}

static struct cpu_device_kernel *_Atomic kernels; /* grows at its head, read without the lock */

static struct cpu_device_kernel *kernel_find(const void *function) {
    struct cpu_device_kernel *k = kernels;
    while (k && k->function != function)
        k = k->next;
    return k;
}

static unsigned most_threads(const struct cpu_device_launch *l) { /* of a block */
    const struct cpu_device_kernel *k = kernel_find(l->function);
    return k && k->max_threads ? (unsigned)k->max_threads : 1024;
}

static cudaError_t check_launch(const struct cpu_device_launch *l) {
    unsigned long long threads =
        (unsigned long long)l->block_dim[0] * l->block_dim[1] * l->block_dim[2];
    if (!l->grid_dim[0] || !l->grid_dim[1] || !l->grid_dim[2] || l->grid_dim[0] > 2147483647u ||
        l->grid_dim[1] > 65535 || l->grid_dim[2] > 65535)
        return cudaErrorInvalidConfiguration;
    if (!threads || l->block_dim[0] > 1024 || l->block_dim[1] > 1024 || l->block_dim[2] > 64 ||
        threads > 1024)
        return cudaErrorInvalidConfiguration;
    if (l->shared_bytes > MOST_SHARED)
        return cudaErrorInvalidValue;
    return threads > most_threads(l) ? cudaErrorInvalidValue : cudaSuccess;
}

void cpu_device_launch_queue(struct cpu_device_launch *l) {
    cpu_device_start();
    if (cpu_device_in_kernel())
        cpu_device_trap(cudaErrorNotSupported, "a kernel launches a kernel: not supported");
    cudaError_t e = check_launch(l);
    if (e)
        trace_launch_refused(l, most_threads(l));
    e = cpu_device_return(e);
    struct launch_data *d = e ? NULL : malloc(sizeof *d);
    if (!d) {
        l->destroy(l->arguments);
        free(l->trace_arguments);
        free(l);
        return;
    }
    cpu_device_printf_flush();
    d->launch = l;
    trace_launch_queued(l);
    e = cpu_device_stream_enqueue((cudaStream_t)l->stream, run_launch, d,
                                  cpu_device.launch_blocking);
    /* What goes wrong in the kernel shows in a later call, however fast it was. */
    if (e || cpu_device.launch_blocking)
        cpu_device_return(e);
}

void cpu_device_register(struct cpu_device_kernel *k) {
    k->next = kernels;
    kernels = k;
}

void cpu_device_learn(const void *function,
                      void (*launch)(const void *, const struct cpu_device_launch *, void **)) {
    cpu_device_start();
    cpu_device_lock();
    struct cpu_device_kernel *k = kernel_find(function) ? NULL : calloc(1, sizeof *k);
    if (k) {
        k->function = function;
        k->name = "kernel";
        k->launch = launch;
        cpu_device_register(k);
    }
    cpu_device_unlock();
}

const char *cpu_device_kernel_name(const void *function) {
    struct cpu_device_kernel *k = kernel_find(function);
    return k ? k->name : "kernel";
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
    struct cpu_device_kernel *k = kernel_find(function);
    if (!k)
        return cpu_device_return(cudaErrorInvalidDeviceFunction);
    struct cpu_device_launch l;
    memset(&l, 0, sizeof l);
    l.grid_dim[0] = grid.x, l.grid_dim[1] = grid.y, l.grid_dim[2] = grid.z;
    l.block_dim[0] = block.x, l.block_dim[1] = block.y, l.block_dim[2] = block.z;
    l.shared_bytes = shared_bytes;
    l.stream = stream;
    cudaError_t before = last_error;
    last_error = cudaSuccess;
    k->launch(function, &l, arguments);
    cudaError_t e = last_error;
    trace_error_asked(); /* this call tells it */
    if (!e)
        last_error = before;
    return e;
}

/* What a program has set for a kernel; it is told again and has no effect. */
struct kernel_settings {
    const void *function;
    int dynamic_shared, carveout;
    struct kernel_settings *next;
};
static struct kernel_settings *kernel_settings;

/* With the lock held. */
static struct kernel_settings *settings_of(const void *function) {
    struct kernel_settings *s = kernel_settings;
    while (s && s->function != function)
        s = s->next;
    return s;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function) {
    if (!a || !function)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_start();
    struct cpu_device_kernel *k = kernel_find(function);
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = k && k->max_threads ? k->max_threads : 1024;
    a->maxDynamicSharedSizeBytes = MOST_SHARED;
    a->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    cpu_device_lock();
    const struct kernel_settings *s = settings_of(function);
    if (s) {
        a->maxDynamicSharedSizeBytes = s->dynamic_shared;
        a->preferredShmemCarveout = s->carveout;
    }
    cpu_device_unlock();
    return cpu_device_return(cudaSuccess);
}

static int attribute_allows(enum cudaFuncAttribute attribute, int value) {
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return value >= 0 && value <= MOST_SHARED;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared;
    default:
        return attribute > cudaFuncAttributePreferredSharedMemoryCarveout &&
               attribute < cudaFuncAttributeMax;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
    if (!function)
        return cpu_device_return(cudaErrorInvalidDeviceFunction);
    if (!attribute_allows(attribute, value))
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_start();
    cpu_device_lock();
    struct kernel_settings *s = settings_of(function);
    if (!s && (s = malloc(sizeof *s))) {
        *s = (struct kernel_settings){function, MOST_SHARED, cudaSharedmemCarveoutDefault,
                                      kernel_settings};
        kernel_settings = s;
    }
    if (s && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        s->dynamic_shared = value;
    if (s && attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        s->carveout = value;
    cpu_device_unlock();
    return cpu_device_return(s ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* ---- Streams ----------------------------------------------------------------------------- */

/* Any priority becomes the only one there is. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    (void)priority;
    cpu_device_start();
    if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    *stream = stream_new(flags);
    cpu_device_unlock();
    return cpu_device_return(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

/* Returns at once; what is queued still runs. */
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    int right = s && s != legacy && s != per_thread;
    if (right)
        stream_end(s);
    cpu_device_unlock();
    return cpu_device_return(right ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cpu_device_stream_check(cudaStream_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cpu_device_unlock();
    return s ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* Work before this call in a stream, and, for the legacy stream, in those that it waits for. */
static int stream_done(void *argument) {
    struct CUstream_st *s = argument;
    if (!stream_idle(s))
        return 0;
    if (s == legacy)
        for (struct CUstream_st *other = streams; other; other = other->next)
            if (!(other->flags & cudaStreamNonBlocking) && !stream_idle(other))
                return 0;
    return 1;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    if (s) {
        s->references++;
        cpu_device_host_wait(stream_done, s);
        stream_drop(s);
    }
    cpu_device_unlock();
    cpu_device_printf_flush();
    return cpu_device_return(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    int done = s && stream_done(s);
    if (cpu_device.late)
        release_all(); /* after the look, so that a loop of queries ends */
    cpu_device_unlock();
    return cpu_device_return(!s     ? cudaErrorInvalidResourceHandle
                             : done ? cudaSuccess
                                    : cudaErrorNotReady);
}

/* What a program may ask of a stream. */
struct description {
    unsigned flags;
    unsigned long long id;
};
static cudaError_t describe(cudaStream_t handle, const void *answer, struct description *d) {
    cpu_device_start();
    cpu_device_lock();
    const struct CUstream_st *s = stream_of(handle);
    if (s)
        *d = (struct description){s->flags, s->id};
    cpu_device_unlock();
    return cpu_device_return(!s       ? cudaErrorInvalidResourceHandle
                             : answer ? cudaSuccess
                                      : cudaErrorInvalidValue);
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
    struct description d;
    cudaError_t e = describe(handle, flags, &d);
    if (!e)
        *flags = d.flags;
    return e;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    struct description d;
    cudaError_t e = describe(handle, priority, &d);
    if (!e)
        *priority = 0;
    return e;
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
    struct description d;
    cudaError_t e = describe(handle, id, &d);
    if (!e)
        *id = d.id;
    return e;
}
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *number) {
    struct description d;
    cudaError_t e = describe(handle, number, &d);
    if (!e)
        *number = 0;
    return e;
}

struct host_data {
    cudaHostFn_t function;
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void *argument;
};
static void run_host(void *data) {
    struct host_data *h = data;
    cpu_device_memory_allow(0);
    in_host_function = 1;
    if (h->function)
        h->function(h->argument);
    else
        h->callback(h->stream, cudaSuccess, h->argument);
    in_host_function = 0;
    cpu_device_memory_allow(1);
}
static cudaError_t enqueue_host(cudaStream_t stream, cudaHostFn_t function,
                                cudaStreamCallback_t callback, void *argument) {
    if (!function && !callback)
        return cudaErrorInvalidValue;
    struct host_data *h = calloc(1, sizeof *h);
    if (!h)
        return cudaErrorMemoryAllocation;
    h->function = function;
    h->callback = callback;
    h->stream = stream;
    h->argument = argument;
    return cpu_device_stream_enqueue(stream, run_host, h, 0);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
    return cpu_device_return(enqueue_host(stream, function, NULL, argument));
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *argument, unsigned flags) {
    if (flags)
        return cpu_device_return(cudaErrorInvalidValue);
    return cpu_device_return(enqueue_host(stream, NULL, callback, argument));
}

/* ---- Events ------------------------------------------------------------------------------ */

static struct CUevent_st *event_of(cudaEvent_t handle) {
    for (struct CUevent_st *e = events; e; e = e->next)
        if (e == handle && !e->destroyed)
            return e;
    return NULL;
}

static void event_drop(struct CUevent_st *e) {
    if (--e->references)
        return;
    for (struct CUevent_st **p = &events; *p; p = &(*p)->next)
        if (*p == e) {
            *p = e->next;
            break;
        }
    if (e->stream)
        stream_drop(e->stream);
    free(e);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    cpu_device_start();
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || flags & ~known)
        return cpu_device_return(cudaErrorInvalidValue);
    struct CUevent_st *e = calloc(1, sizeof *e);
    if (!e)
        return cpu_device_return(cudaErrorMemoryAllocation);
    e->flags = flags;
    e->references = 1;
    cpu_device_lock();
    e->next = events;
    events = e;
    cpu_device_unlock();
    *event = e;
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUevent_st *e = event_of(handle);
    if (e) {
        e->destroyed = 1;
        event_drop(e);
    }
    cpu_device_unlock();
    return cpu_device_return(e ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

struct stamp_data {
    struct CUevent_st *event;
};
static void run_stamp(void *data) {
    struct CUevent_st *e = ((struct stamp_data *)data)->event;
    double t = cpu_device_now_ns();
    cpu_device_lock();
    e->time_ns = t;
    event_drop(e);
    cpu_device_unlock();
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    cpu_device_start();
    if (flags != cudaEventRecordDefault) /* cudaEventRecordExternal is for captures */
        return cpu_device_return(cudaErrorInvalidValue);
    struct stamp_data *d = calloc(1, sizeof *d);
    if (!d)
        return cpu_device_return(cudaErrorMemoryAllocation);
    cpu_device_lock();
    struct CUevent_st *e = event_of(handle);
    struct CUstream_st *s = stream_of(stream);
    if (!e || !s) {
        cpu_device_unlock();
        free(d);
        return cpu_device_return(cudaErrorInvalidResourceHandle);
    }
    d->event = e;
    e->references++;
    unsigned long number = enqueue(s, run_stamp, d, NULL);
    if (e->stream != s) {
        if (e->stream)
            stream_drop(e->stream);
        e->stream = s;
        s->references++;
    }
    e->number = number;
    cpu_device_unlock();
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

static int event_done(void *argument) {
    struct CUevent_st *e = argument;
    return !e->number || e->stream->completed >= e->number;
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUevent_st *e = event_of(handle);
    int done = e && event_done(e);
    if (cpu_device.late)
        release_all();
    cpu_device_unlock();
    return cpu_device_return(!e     ? cudaErrorInvalidResourceHandle
                             : done ? cudaSuccess
                                    : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUevent_st *e = event_of(handle);
    if (e && e->number) {
        struct waited w = {e->stream, e->number};
        w.stream->references++;
        cpu_device_host_wait(reached, &w);
        stream_drop(w.stream);
    }
    cpu_device_unlock();
    cpu_device_printf_flush();
    return cpu_device_return(e ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start_handle, cudaEvent_t end_handle) {
    cpu_device_start();
    if (!ms)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t result = cudaSuccess;
    cpu_device_lock();
    struct CUevent_st *a = event_of(start_handle), *b = event_of(end_handle);
    if (!a || !b || !a->number || !b->number || (a->flags | b->flags) & cudaEventDisableTiming)
        result = cudaErrorInvalidResourceHandle;
    else if (!event_done(a) || !event_done(b))
        result = cudaErrorNotReady;
    else
        *ms = (float)((b->time_ns - a->time_ns) / 1e6);
    if (cpu_device.late)
        release_all(); /* as in cudaEventQuery */
    cpu_device_unlock();
    return cpu_device_return(result);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
    cpu_device_start();
    if (flags != cudaEventWaitDefault) /* cudaEventWaitExternal is for captures */
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    struct CUevent_st *e = event_of(handle);
    struct CUstream_st *s = stream_of(stream);
    if (e && s && e->number) {
        e->references++; /* as the stream has: waiting for room gives the lock away */
        enqueue(s, NULL, NULL, e);
        event_drop(e);
    }
    cpu_device_unlock();
    return cpu_device_return(e && s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
