// SPDX-License-Identifier: MIT
// A loop over a large array in host memory, shared among the host's threads. Filling and comparing
// are not what is measured, but one thread would take longer for them than the device for its work.
//
//     in_parts(n, fill_part, &context); // fill_part(&context, from, to) for parts of 0 to n - 1
//
// To change: how many threads at most, and from how many elements on there is more than one.
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { MOST_THREADS = 16, FOR_ONE_THREAD = 1 << 22 };

// Does elements from <= i < to of what the context describes; others do the rest at the same time.
typedef void part_function(void *context, size_t from, size_t to);

struct part {
    part_function *work;
    void *context;
    size_t from, to;
};

static inline void *do_part(void *argument) {
    const struct part *part = (const struct part *)argument;
    part->work(part->context, part->from, part->to);
    return NULL;
}

// Returns when all n are done. A thread that cannot be had, this one stands in for.
static inline void in_parts(size_t n, part_function *work, void *context) {
    struct part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    int started[MOST_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = n > FOR_ONE_THREAD && cores > 1 ? (size_t)cores : 1;
    if (count > MOST_THREADS)
        count = MOST_THREADS;
    for (size_t i = 0; i < count; i++) {
        parts[i].work = work, parts[i].context = context;
        parts[i].from = n / count * i, parts[i].to = i + 1 < count ? n / count * (i + 1) : n;
        started[i] = i > 0 && pthread_create(&threads[i], NULL, do_part, &parts[i]) == 0;
    }
    for (size_t i = 0; i < count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            do_part(&parts[i]);
}

#endif
