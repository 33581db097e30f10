// SPDX-License-Identifier: MIT
// Counts the pages of managed memory that move, as nvprof's table did.
//
//     const char *missing = counters_open();   // NULL: available; else why not
//     counters_start();
//     ...                                      // managed memory is allocated, touched, read
//     struct counters counters = counters_stop();
//
// On a GPU the driver counts, through CUPTI, a part of the CUDA Toolkit. It is loaded while the
// program runs: without it the program works, and says what is missing. Counting takes time, so
// time nothing while it does. On the CPU device nothing moves: it counts what would, by the first
// touches of each page (cudacc/README.md).
#ifndef PAGE_COUNTERS_H
#define PAGE_COUNTERS_H

#include "../../common/experiment/verify.h"

enum traffic { TO_THE_DEVICE, TO_THE_HOST, HOST_FAULTS, DEVICE_FAULTS, TRAFFICS };

// Of one kind of traffic. Faults have no bytes; the host's faults no time.
struct traffic_counter {
    size_t count; // transfers, the host's page faults, groups of the device's page faults
    size_t bytes, least, most;
    size_t faults; // DEVICE_FAULTS: in all groups
    double ms;
};

struct counters {
    struct traffic_counter traffic[TRAFFICS];
};

#ifdef __has_include
#if !defined(__CUDACC_CPU__) && !defined(NO_CUPTI) &&                                              \
    __has_include(<cupti.h>) && __has_include(<dlfcn.h>)
#define PAGE_COUNTERS_CUPTI
#endif
#endif

#if defined(PAGE_COUNTERS_CUPTI)
// ---- CUPTI -------------------------------------------------------------------------------------
#include <cupti.h>
#include <dlfcn.h>

// From CUDA 12.8 on a record has a field more, at its end: what is read here stands first in both.
#if CUDA_VERSION >= 12080
typedef CUpti_ActivityUnifiedMemoryCounter3 counter_record;
#else
typedef CUpti_ActivityUnifiedMemoryCounter2 counter_record;
#endif

// CUPTI's functions by their own names and types, found when the library is.
#define CUPTI_FUNCTIONS(F)                                                                         \
    F(ActivityRegisterCallbacks)                                                                   \
    F(ActivityConfigureUnifiedMemoryCounter)                                                       \
    F(ActivityEnable)                                                                              \
    F(ActivityDisable)                                                                             \
    F(ActivityFlushAll)                                                                            \
    F(ActivityGetNextRecord)                                                                       \
    F(GetResultString)

static struct {
#define DECLARE(name) __typeof__(&cupti##name) name;
    CUPTI_FUNCTIONS(DECLARE)
} cupti;

static struct counters counted;

// CUPTI's kinds of counters, in the order of enum traffic.
enum { FIRST_KIND = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD };

static inline void count_record(const counter_record *record) {
    int kind = (int)record->counterKind - FIRST_KIND;
    if (kind < TO_THE_DEVICE || kind > DEVICE_FAULTS)
        return;
    struct traffic_counter *counter = &counted.traffic[kind];
    size_t bytes = kind <= TO_THE_HOST ? (size_t)record->value : 0;
    counter->least = counter->count == 0 || bytes < counter->least ? bytes : counter->least;
    counter->most = bytes > counter->most ? bytes : counter->most;
    counter->count++;
    counter->bytes += bytes;
    if (kind != HOST_FAULTS) // of which value is where the code was
        counter->ms += (double)(record->end - record->start) * 1e-6; // from ns
    if (kind == DEVICE_FAULTS)
        counter->faults += (size_t)record->value;
}

static inline void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records) {
    *bytes = (size_t)1 << 20;
    *buffer = (uint8_t *)host_malloc(*bytes); // aligned to 8, as CUPTI wants it
    *most_records = 0;                        // as many as fit
}

static inline void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t *buffer, size_t,
                                        size_t valid) {
    CUpti_Activity *record = NULL;
    while (cupti.ActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
            count_record((const counter_record *)record);
    free(buffer);
}

// Looks for the library of this toolkit's version in the loader's places and in the usual ones.
static inline void *load_cupti(void) {
    const char *const folders[] = {"", "/usr/local/cuda/extras/CUPTI/lib64/",
                                   "/usr/local/cuda/lib64/"};
    const char *const names[] = {"%slibcupti.so.%d", "%slibcupti.so.%d.%d", "%slibcupti.so"};
    void *library = NULL;
    for (int i = 0; i < 9 && !library; i++) {
        char path[128];
        snprintf(path, sizeof path, names[i % 3], folders[i / 3], CUDA_VERSION / 1000,
                 CUDA_VERSION % 1000 / 10);
        library = dlopen(path, RTLD_NOW);
    }
    return library;
}

static inline const char *counters_open(void) {
    static char why[200];
    CUpti_ActivityUnifiedMemoryCounterConfig wanted[TRAFFICS];
    void *library = load_cupti();
    if (!library)
        return "libcupti was not found: it is in the CUDA Toolkit's extras/CUPTI/lib64, which "
               "LD_LIBRARY_PATH may name";
#define FIND(name)                                                                                 \
    *(void **)&cupti.name = dlsym(library, "cupti" #name);                                         \
    if (!cupti.name)                                                                               \
        return "libcupti has no cupti" #name ": is it from another version of CUDA?";
    CUPTI_FUNCTIONS(FIND)
    memset(wanted, 0, sizeof wanted);
    for (int i = 0; i < TRAFFICS; i++) {
        wanted[i].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES;
        wanted[i].kind = (CUpti_ActivityUnifiedMemoryCounterKind)(FIRST_KIND + i);
        wanted[i].enable = 1;
    }
    CUptiResult result = cupti.ActivityRegisterCallbacks(give_buffer, take_buffer);
    if (result == CUPTI_SUCCESS)
        result = cupti.ActivityConfigureUnifiedMemoryCounter(wanted, TRAFFICS);
    if (result == CUPTI_SUCCESS) // another tool may have it already
        result = cupti.ActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
    if (result == CUPTI_SUCCESS) // it stays so: disabled at once, CUPTI waits for 2 s
        return NULL;
    const char *text = "";
    cupti.GetResultString(result, &text);
    snprintf(why, sizeof why, "CUPTI refuses: %s (%d)", text, (int)result);
    return why;
}

// What came before does not count.
static inline void counters_start(void) {
    CUDA_CHECK(cudaDeviceSynchronize());
    cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    memset(&counted, 0, sizeof counted);
    cupti.ActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

// The records must have arrived before counting ends: what is unfinished then may be lost.
static inline struct counters counters_stop(void) {
    CUDA_CHECK(cudaDeviceSynchronize());
    cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    cupti.ActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
    return counted;
}

#elif defined(__CUDACC_CPU__)
// ---- CPU device --------------------------------------------------------------------------------
#include <cpu_device/pages.h>

static inline const char *counters_open(void) { return NULL; }

static inline void counters_start(void) { cpu_device_pages_start(); }

static inline struct counters counters_stop(void) {
    struct counters counters;
    struct cpu_device_pages pages;
    CUDA_CHECK(cudaDeviceSynchronize());
    cpu_device_pages_stop(&pages);
    memset(&counters, 0, sizeof counters);
    const size_t count[TRAFFICS] = {pages.to_device, pages.to_host, pages.host_faults,
                                    pages.device_faults};
    for (int i = 0; i < TRAFFICS; i++)
        counters.traffic[i].count = count[i];
    for (int i = TO_THE_DEVICE; i <= TO_THE_HOST; i++) {
        counters.traffic[i].bytes = count[i] * pages.page_bytes;
        counters.traffic[i].least = counters.traffic[i].most = count[i] ? pages.page_bytes : 0;
    }
    counters.traffic[DEVICE_FAULTS].faults = pages.device_faults;
    return counters;
}

#else
// ---- Neither -----------------------------------------------------------------------------------
static inline const char *counters_open(void) {
    return "built without cupti.h: it is in the CUDA Toolkit; add "
           "-I/usr/local/cuda/extras/CUPTI/include";
}

static inline void counters_start(void) {}

static inline struct counters counters_stop(void) {
    struct counters counters;
    memset(&counters, 0, sizeof counters);
    return counters;
}
#endif

#endif
