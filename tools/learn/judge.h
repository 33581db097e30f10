// SPDX-License-Identifier: MIT
// One check.cu, two processes. The *worker* is linked with the learner's object: it makes the
// cases, calls the learner's functions and records what comes of it. The *judge* holds none of the
// learner's code: it makes the same cases from the same seed, reads the records and compares. So
// whatever code runs in the worker, it has to come up with the right values.
//
//     OBSERVE(ms, time_work_ms());   worker: calls, records ms.  judge: reads ms
//     SEEN(launches);                worker: records a variable as it is now.  judge: reads it
//     LEARNER(process(a, b));        worker: calls.  judge: nothing
//     if (judging()) ...             what is expected is computed nowhere else
//
// The worker learns the seed of a case when the judge has all of the one before. Each record begins
// with a seal that the judge has chosen: the worker reads it before any code of the learner's runs,
// and the page that holds it can be neither read nor written while that code runs.
//
// What the judge reports is read by Check.pm; tests/teach/attacks.t tries what a learner may do.
#ifndef JUDGE_H
#define JUDGE_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "../../common/experiment/verify.h"

enum { SEAL = 16 };
static struct {
    int judging;
    char seal[SEAL];                 // the judge's
    char *page;                      // the worker's
    unsigned long long master, seed; // of the run: the judge's alone; of this case
    unsigned case_number;
    char calling[96]; // what the learner's code is asked for now
} check_run;

static inline int judging(void) { return check_run.judging; }

#define LEARNER(...)                                                                               \
    do {                                                                                           \
        if (!judging()) {                                                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)
#define SEEN(variable) exchange(&(variable), sizeof(variable))
#define OBSERVE(variable, ...)                                                                     \
    do {                                                                                           \
        LEARNER((variable) = (__VA_ARGS__));                                                       \
        SEEN(variable);                                                                            \
    } while (0)

// ---- The judge's report: lines on stdout, fields between tabs -----------------------------------
__attribute__((format(printf, 1, 2))) static inline void report(const char *format, ...) {
    va_list list;
    if (!judging())
        return;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    fflush(stdout);
}

// ---- Records -----------------------------------------------------------------------------------
// The worker's descriptor 3 is the judge's 0, and vice versa.
enum { RECORDS_FROM = 0, RECORDS_TO = 3, SEEDS_FROM = 0, SEEDS_TO = 3 };
enum record_kind { VALUES = 0x76616c75, CASE = 0x63617365, FAILED = 0x6661696c, END = 0x656e6421 };

struct record_head {
    uint32_t kind, reserved;
    uint64_t bytes; // that follow
};

static inline int write_all(int file, const void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t now = write(file, (const char *)data + done, bytes - done);
        if (now < 0 && errno != EINTR)
            return 0;
        done += now > 0 ? (size_t)now : 0;
    }
    return 1;
}

static inline int read_all(int file, void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t now = read(file, (char *)data + done, bytes - done);
        if (now == 0 || (now < 0 && errno != EINTR))
            return 0;
        done += now > 0 ? (size_t)now : 0;
    }
    return 1;
}

__attribute__((constructor(101))) static void take_seal(void) {
    if (!getenv("CHECK_WORKER"))
        return;
    void *page = mmap(NULL, SEAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || !read_all(SEEDS_FROM, page, SEAL) ||
        mprotect(page, SEAL, PROT_NONE) ||
        prctl(PR_SET_DUMPABLE, 0)) // no reading of /proc/self/mem
        exit(1);
    check_run.page = (char *)page;
}

static inline int write_seal(void) {
    return check_run.page && !mprotect(check_run.page, SEAL, PROT_READ) &&
           write_all(RECORDS_TO, check_run.page, SEAL) &&
           !mprotect(check_run.page, SEAL, PROT_NONE);
}

static inline void record(enum record_kind kind, const void *data, size_t bytes) {
    struct record_head head = {(uint32_t)kind, 0, bytes};
    if (!write_seal() || !write_all(RECORDS_TO, &head, sizeof head) ||
        !write_all(RECORDS_TO, data, bytes))
        exit(1); // the judge has ended
}

// The judge has its verdict. The worker finds no further seed, and is heard out to its end.
__attribute__((noreturn)) static inline void judge_ends(const char *last) {
    static char rest[65536];
    report("%s", last);
    close(SEEDS_TO);
    while (read(RECORDS_FROM, rest, sizeof rest) > 0)
        ;
    exit(0);
}

// The worker's own failure, "reason\ttext". It is believed: no one gains by it.
__attribute__((noreturn)) static inline void judge_relays(size_t bytes) {
    char text[600] = "";
    if (bytes >= sizeof text || !read_all(RECORDS_FROM, text, bytes))
        judge_ends("cut");
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' && *p != '\t')
            *p = ' ';
    report("fail\t%s", text);
    judge_ends("end");
}

// What the judge reads next has to be this; anything else is no pass.
static inline void expect_record(enum record_kind kind, void *data, size_t bytes) {
    char seal[SEAL];
    struct record_head head;
    if (!read_all(RECORDS_FROM, seal, SEAL))
        judge_ends("cut");
    if (memcmp(seal, check_run.seal, SEAL) != 0)
        judge_ends("malformed");
    if (!read_all(RECORDS_FROM, &head, sizeof head))
        judge_ends("cut");
    if (head.kind == FAILED)
        judge_relays(head.bytes);
    if (head.kind != (uint32_t)kind || head.bytes != bytes)
        judge_ends("malformed");
    if (!read_all(RECORDS_FROM, data, bytes))
        judge_ends("cut");
}

static inline void exchange(void *data, size_t bytes) {
    if (judging())
        expect_record(VALUES, data, bytes);
    else
        record(VALUES, data, bytes);
}

// What a function with `format` and more as its last parameters says.
#define FORMATTED(text, size)                                                                      \
    do {                                                                                           \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        vsnprintf(text, size, format, list);                                                       \
        va_end(list);                                                                              \
    } while (0)

// ---- Failure, cases ----------------------------------------------------------------------------
// The first thing that is wrong ends the check. `reason` is one word: a mutant names it.
__attribute__((format(printf, 2, 3), noreturn)) static inline void //
fail(const char *reason, const char *format, ...) {
    char text[400], line[560];
    FORMATTED(text, sizeof text);
    snprintf(line, sizeof line, "%s\t%s%s%s", reason, check_run.calling,
             *check_run.calling ? ": " : "", text);
    if (!judging()) {
        record(FAILED, line, strlen(line));
        exit(1);
    }
    report("fail\t%s", line);
    judge_ends("end");
}

// Says what is called next. returned() says that it came back, and looks for errors it left.
__attribute__((format(printf, 1, 2))) static inline void calling(const char *format, ...) {
    FORMATTED(check_run.calling, sizeof check_run.calling);
    report("calling\t%s", check_run.calling);
}

// A whole number that `state` leads to, and the next state.
static inline unsigned long long mixed(unsigned long long *state) {
    *state += 0x9E3779B97F4A7C15u;
    unsigned long long z = (*state ^ *state >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// Hands the seed of the next case from the judge to the worker.
static inline void next_seed(void) {
    if (judging()) {
        check_run.seed = mixed(&check_run.master);
        // A worker that has ended is found out later.
        (void)write_all(SEEDS_TO, &check_run.seed, sizeof check_run.seed);
    } else if (!read_all(SEEDS_FROM, &check_run.seed, sizeof check_run.seed)) {
        exit(1);
    }
}

static inline void passed(void) {
    unsigned number = ++check_run.case_number, seen = 0;
    if (judging()) {
        expect_record(CASE, &seen, sizeof seen);
        if (seen != number)
            judge_ends("malformed");
    } else {
        record(CASE, &number, sizeof number);
    }
    report("case\t%s", check_run.calling);
    *check_run.calling = '\0';
    next_seed();
}

#endif
