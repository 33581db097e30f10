/*
 * device.c: the one device: its lock, its state, and who watches it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/observer.h"

struct device cpu_device;
const struct observer *cpu_device_observer;
__thread struct api_call cpu_device_call;
int cpu_device_per_thread_default_stream;

double cpu_device_seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cpu_device_lock(void) { pthread_mutex_lock(&cpu_device.lock); }
void cpu_device_unlock(void) { pthread_mutex_unlock(&cpu_device.lock); }

void cpu_device_progress(void) {
    atomic_fetch_add(&cpu_device.progress, 1);
    pthread_cond_broadcast(&cpu_device.progressed);
}

void cpu_device_lose(cudaError_t e) {
    int none = 0;
    atomic_compare_exchange_strong(&cpu_device.lost, &none, (int)e);
}
