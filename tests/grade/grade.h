// SPDX-License-Identifier: MIT
// The frame of every exercise's check.cu: main, the report, buffers between guards, comparison.
//
// check.cu and the learner's exercise.cu are compiled apart and linked, so nothing here can be
// reached by name from there. check.cu has these functions:
//
//     check_cases()   calls the learner's functions in every case; returns when all is right
//     check_facts()   one case alone, for the access report; goals and limits for it
//     check_time()    on a GPU, where there is a solution: the two against each other (time.h)
//
// With GRADE_REPORT set the report goes to file descriptor 3, else to stdout: a line each, fields
// between tabs. The last line holds a number that tests/grade/exercises has handed in on stdin, so
// nothing that a learner's code prints counts.
#ifndef GRADE_H
#define GRADE_H

#include <stdarg.h>
#include <unistd.h>
#include "../../common/verify.h"

static void check_cases(void);
static void check_facts(void);
#ifdef GRADE_TIME
static void check_time(void);
#endif

static struct {
    FILE *report;
    unsigned long long nonce, seed;
    unsigned arrays;  // handed out so far, so that no two hold the same values
    char calling[96]; // what the learner's code is asked for now
} grade;

// ---- Report ------------------------------------------------------------------------------------
__attribute__((format(printf, 1, 2))) static inline void report(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(grade.report, format, list);
    va_end(list);
    fputc('\n', grade.report);
    fflush(grade.report);
}

// The first thing that is wrong ends the check. `reason` is one word: a mutant names it.
__attribute__((format(printf, 2, 3), noreturn)) static inline void //
fail(const char *reason, const char *format, ...) {
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    report("fail\t%s\t%s%s%s", reason, grade.calling, *grade.calling ? ": " : "", text);
    report("end\t%llu", grade.nonce);
    exit(1);
}

// Says what is called next. returned() says that it came back, and looks for errors it left.
__attribute__((format(printf, 1, 2))) static inline void calling(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(grade.calling, sizeof grade.calling, format, list);
    va_end(list);
    report("calling\t%s", grade.calling);
}

static inline void must(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        fail("error", "%s: %s (%d), %s", what, cudaGetErrorName(error), (int)error,
             cudaGetErrorString(error));
}

static inline void returned(void) {
    must(cudaGetLastError(), "an error is left");
    must(cudaDeviceSynchronize(), "a kernel went wrong");
}

static inline void passed(void) {
    report("case\t%s", grade.calling);
    *grade.calling = '\0';
}

// ---- Facts: the checker compares them with the access report ------------------------------------
// A query is "METRIC OP" or "METRIC OP KERNEL": OP is ld, st, atomic or all; METRIC is requests,
// sectors, useful, moved (bytes), sectors/request, share (useful / moved, %), bytes/request,
// launches, threads (of all), block (threads of the largest), width (blockDim.x of the narrowest);
// of shared memory: shared (requests), wavefronts, turns (wavefronts of a request).
// "QUERY / NUMBER" divides.

// A label says what is counted, "sectors per load", or has a # where the figure stands.

// Scored: no points at `start`, all at `ideal`.
static inline void goal(const char *label, const char *query, double start, double ideal) {
    report("goal\t%s\t%s\t%.17g\t%.17g", label, query, start, ideal);
}

// Needed, not scored. For what the check knows itself `query` is a number.
static inline void limit(const char *label, const char *query, double least, double most) {
    report("limit\t%s\t%s\t%.17g\t%.17g", label, query, least, most);
}

// A prediction and what comes of it. `why` explains the answer: it is shown when all are given.
static inline void predict(const char *label, double predicted, const char *query, double tolerance,
                           const char *why) {
    report("predict\t%s\t%.17g\t%s\t%.17g\t%s", label, predicted, query, tolerance, why);
}

// A sentence that explains the query's value where it lies in this range, good or bad.
static inline void explain(const char *query, double least, double most, const char *sentence) {
    report("explain\t%s\t%.17g\t%.17g\t%s", query, least, most, sentence);
}

static inline const char *number(double value) { // for a query
    static char text[8][32];
    static int next;
    char *p = text[next++ % 8];
    snprintf(p, sizeof text[0], "%.17g", value);
    return p;
}

// ---- Chance ------------------------------------------------------------------------------------
// A whole number in [0, below), another one in each run: the checker hands in a fresh seed.
static inline unsigned chance(unsigned below) {
    grade.seed += 0x9E3779B97F4A7C15u;
    unsigned long long z = (grade.seed ^ grade.seed >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (unsigned)((z ^ z >> 31) % below);
}

// ---- Buffers -----------------------------------------------------------------------------------
// n floats. h holds what an input was filled with; in an output it is room for what is expected.
struct buffer {
    const char *name;
    float *d, *h;
    size_t n;
};

// Where every access is seen, no guards: an access past the end must be one outside.
static inline void *device_array(size_t bytes) {
#ifdef CPU_DEVICE_TRACE
    void *d = NULL;
    must(cudaMalloc(&d, bytes ? bytes : 1), "cudaMalloc");
    must(cudaMemset(d, POISON_BYTE, bytes), "cudaMemset");
    return d;
#else
    return guarded_malloc(bytes);
#endif
}

static inline void device_array_free(void *d) {
#ifdef CPU_DEVICE_TRACE
    must(cudaFree(d), "cudaFree");
#else
    guarded_free(d);
#endif
}

// Fills an input with fresh whole numbers in [0, below): sums of few are exact in a float.
static inline void refill(struct buffer *b, unsigned below) {
    unsigned salt = chance(1u << 24);
    for (size_t i = 0; i < b->n; i++)
        b->h[i] = (float)((unsigned)fill_value(i, salt) % below);
    must(cudaMemcpy(b->d, b->h, b->n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
}

// Makes an output NaN again, in a pattern by which elements never written are known.
static inline void repoison(struct buffer *b) {
    must(cudaMemset(b->d, POISON_BYTE, b->n * sizeof(float)), "cudaMemset");
}

static inline struct buffer output(const char *name, size_t n) {
    size_t bytes = n * sizeof(float);
    struct buffer b = {name, (float *)device_array(bytes), (float *)host_malloc(bytes), n};
    return b;
}

static inline struct buffer input(const char *name, size_t n, unsigned below) {
    struct buffer b = output(name, n);
    refill(&b, below);
    return b;
}

static inline void release(struct buffer *b) {
    device_array_free(b->d);
    free(b->h);
}

// What is at one float, for a message. No arithmetic makes all bits 1.
static inline const char *describe(float value) {
    static char text[32];
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits == 0xFFFFFFFFu)
        return "was never written";
    snprintf(text, sizeof text, value != value ? "is nan" : "is %.9g", value);
    return text;
}

// What an array on the host must hold, to the bit: inputs are such that every result is exact.
static inline void check_values(const char *name, const float *actual, const float *expected,
                                size_t n) {
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < n; i++)
        if (!(actual[i] == expected[i]) && wrong++ == 0)
            first = i;
    if (wrong)
        fail("values", "%s[%zu] %s, expected %.9g; %zu of %zu elements are wrong", name, first,
             describe(actual[first]), expected[first], wrong, n);
}

// The same for a buffer and its h; an input must be as it was. Then its guards.
static inline void check_buffer(const struct buffer *b) {
    size_t bytes = b->n * sizeof(float);
    float *actual = (float *)host_malloc(bytes);
    must(cudaMemcpy(actual, b->d, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check_values(b->name, actual, b->h, b->n);
    free(actual);
#ifndef CPU_DEVICE_TRACE
    size_t damaged = count_guard_damage(b->d, bytes, NULL);
    if (damaged)
        fail("guard", "%zu bytes outside of %s were overwritten", damaged, b->name);
#endif
}

// Awkward ones first, so that the first mismatch is in a small array; one comes twice in a row,
// and then both runs of a loop over sizes use fresh inputs.
static const size_t sizes[] = {0,  1,   2,    3,    4,    5,    31,    32,      33,           34,
                               35, 255, 1023, 1024, 1024, 1025, 10000, 1 << 20, (1 << 20) + 1};
enum { SIZES = sizeof sizes / sizeof *sizes };

// ---- Main --------------------------------------------------------------------------------------
// Takes the number and a seed from stdin before any code of the learner's can run, even that of a
// static initializer: no other code finds them there. The C library itself is not ready yet.
__attribute__((no_sanitize("thread"))) static void read_number(int, char **, char **environment) {
    char text[64], *p = text;
    unsigned long long *numbers[] = {&grade.nonce, &grade.seed};
    for (; *environment && strncmp(*environment, "GRADE_REPORT=", 13); environment++)
        ;
    long bytes = *environment ? read(0, text, sizeof text) : 0;
    for (int k = 0; k < 2; k++, p++)
        for (; p < text + bytes && *p >= '0' && *p <= '9'; p++)
            *numbers[k] = *numbers[k] * 10 + (unsigned)(*p - '0');
}
__attribute__((section(".preinit_array"),
               used)) static void (*const first_of_all)(int, char **, char **) = read_number;

int main(int argc, char **argv) {
    grade.report = getenv("GRADE_REPORT") ? fdopen(3, "w") : stdout;
    // A kernel that is loaded at its first launch may wait for one that a check holds at a gate.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        fprintf(stderr, "no usable CUDA device\n");
        return 77;
    }
    if (argc > 1 && !strcmp(argv[1], "facts"))
        check_facts();
#ifdef GRADE_TIME
    else if (argc > 1 && !strcmp(argv[1], "time"))
        check_time();
#endif
    else
        check_cases();
    report("end\t%llu", grade.nonce);
    return 0;
}

#endif
