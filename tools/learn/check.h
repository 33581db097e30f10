// SPDX-License-Identifier: MIT
// The frame of every exercise's check.cu: main, facts, buffers between guards, comparison.
//
// check.cu and the learner's exercise.cu are compiled apart and linked, so nothing here can be
// reached by name from there. check.cu has these functions:
//
//     check_cases()   calls the learner's functions in every case; returns when all is right
//     check_facts()   one case alone, for the access report; goals and limits for it
//
// Each runs in two processes, a worker and a judge: judge.h. The judge reports; what its report
// is worth is decided in Check.pm.
//
// To change here: what every check.cu may call. A new kind of fact needs a line in Facts.pm, which
// reads it; a new reason to fail, one in Show.pm, which says what to do next. An exercise's own
// cases and limits are in its check.cu.
#ifndef CHECK_H
#define CHECK_H

#include <signal.h>
#ifdef CPU_DEVICE_TRACE
#include <cpu_device/stores.h>
#define GUARD_BYTES 0
#endif
#include "judge.h"

static void check_cases(void);
static void check_facts(void);

// ---- Errors ------------------------------------------------------------------------------------
static inline void must(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        fail("error", "%s: %s (%d), %s", what, cudaGetErrorName(error), (int)error,
             cudaGetErrorString(error));
}

static inline void returned(void) {
    if (judging())
        return;
    must(cudaGetLastError(), "an error is left");
    must(cudaDeviceSynchronize(), "a kernel went wrong");
}

// A text, good until eight more are made.
__attribute__((format(printf, 1, 2))) static inline const char *words(const char *format, ...) {
    static char text[8][80];
    static int next;
    char *p = text[next++ % 8];
    FORMATTED(p, sizeof text[0]);
    return p;
}

__attribute__((unused)) static int in_default_stream; // launches, and what api_calls.h watches
__attribute__((unused)) static int launches_here;     // on the CPU device
#ifdef __CUDACC_CPU__
// A launch that no device takes has one error, whatever is wrong: this says which number it is.
extern "C" void cpu_device_launches(const char *name, const void *stream, const unsigned grid[3],
                                    const unsigned block[3]) {
    unsigned long long threads = (unsigned long long)block[0] * block[1] * block[2];
    launches_here++;
    in_default_stream += !stream;
    const char *why = !grid[0] || !grid[1] || !grid[2] ? "a grid of 0 blocks; 1 is the least"
                      : threads - 1 < 1024
                          ? NULL
                          : words("blocks of %llu threads; 1 to 1024 may be", threads);
    if (why)
        fprintf(stderr, "CPU device: %s was not launched: %s\n", name, why);
}
#endif

// ---- Facts: Facts.pm compares them with the access report ---------------------------------------
// A query is "METRIC OP" or "METRIC OP KERNEL": OP is ld, st (an atomic is both), atomic or all;
// METRIC is requests, sectors, useful, moved (bytes), sectors/request, share (useful / moved, %),
// bytes/request, threads (of all), block (threads of the largest), width (blockDim.x of the
// narrowest);
// of shared memory: shared (requests), turns (wavefronts of a request).
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

// A prediction and what comes of it. explained.base64 has a line for each label.
static inline void predict(const char *label, double predicted, const char *query,
                           double tolerance) {
    report("predict\t%s\t%.17g\t%s\t%.17g", label, predicted, query, tolerance);
}

// What an exercise of predictions asks first: the learner's function puts a number in place of each
// UNKNOWN (given.h). From there on the judge is alone: who measures has none of the learner's code.
#define ASK(function, answers, NUMBER)                                                             \
    do {                                                                                           \
        for (size_t k_ = 0; k_ < sizeof(answers) / sizeof(NUMBER); k_++)                           \
            ((NUMBER *)(answers))[k_] = UNKNOWN;                                                   \
        calling(#function "()");                                                                   \
        LEARNER(function(answers));                                                                \
        SEEN(answers);                                                                             \
        passed();                                                                                  \
    } while (0)

// A sentence that explains the query's value where it lies in this range, good or bad.
static inline void explain(const char *query, double least, double most, const char *sentence) {
    report("explain\t%s\t%.17g\t%.17g\t%s", query, least, most, sentence);
}

static inline const char *number(double value) { return words("%.17g", value); }
static inline const char *per(const char *query, size_t n) { return words("%s / %zu", query, n); }

// In check_facts(): all of the n floats at p, in memory that a cuda function gave, are as a kernel
// has stored them, there or where they were copied from: neither the host nor a memset computes.
static inline void limit_from_kernels(const char *name, const float *p, size_t n) {
    size_t bytes = 0;
    (void)p;
#ifdef CPU_DEVICE_TRACE
    OBSERVE(bytes, cpu_device_stored(p, n * sizeof *p));
#endif
    limit(words("# %% of %s come from a kernel", name),
          number((double)(bytes / sizeof *p * 100 / n)), 100, 100);
}

// Counts are worth nothing where a kernel has changed memory by stores that are not among them.
static inline void check_unseen(void) {
    size_t bytes = 0;
#ifdef CPU_DEVICE_TRACE
    OBSERVE(bytes, cpu_device_unseen());
#endif
    if (bytes == (size_t)-1)
        fail("unseen",
             "whether each store was seen is not known: there is too little memory, or not all "
             "blocks are traced");
    if (bytes)
        fail("unseen", "a kernel has changed %zu byte%s of device memory, and no store was seen",
             bytes, bytes == 1 ? "" : "s");
}

// ---- Chance ------------------------------------------------------------------------------------
// A whole number in [0, below), another one in each case.
static inline unsigned chance(unsigned below) { return (unsigned)(mixed(&check_run.seed) % below); }

// ---- Buffers -----------------------------------------------------------------------------------
// n floats. h holds what an input was filled with; in an output it is room for what is expected,
// which the judge alone computes. The judge has no d.
struct buffer {
    const char *name;
    float *d, *h;
    size_t n;
    unsigned salt, below; // what it was filled with last
};

static inline float filled(const struct buffer *b, size_t i) {
    return (float)((unsigned)fill_value(i, b->salt) % b->below);
}

// Fills an input with fresh whole numbers in [0, below): sums of few are exact in a float.
static inline void refill(struct buffer *b, unsigned below) {
    b->salt = chance(1u << 24);
    b->below = below;
    for (size_t i = 0; i < b->n; i++)
        b->h[i] = filled(b, i);
    if (!judging())
        must(cudaMemcpy(b->d, b->h, b->n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
}

// Makes an output NaN again, in a pattern by which elements never written are known.
static inline void repoison(struct buffer *b) {
    if (!judging())
        must(cudaMemset(b->d, POISON_BYTE, b->n * sizeof(float)), "cudaMemset");
}

static inline struct buffer output(const char *name, size_t n) {
    size_t bytes = n * sizeof(float);
    struct buffer b = {name, NULL, (float *)host_malloc(bytes), n, 0, 0};
    if (!judging())
        b.d = (float *)guarded_malloc(bytes);
    return b;
}

static inline struct buffer input(const char *name, size_t n, unsigned below) {
    struct buffer b = output(name, n);
    refill(&b, below);
    return b;
}

static inline void release(struct buffer *b) {
    if (!judging())
        guarded_free(b->d);
    free(b->h);
}

// What is at one float, for a message. No arithmetic makes all bits 1.
static inline const char *describe(float value, int is_old) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == 0xFFFFFFFFu ? "was never written"
           : value != value    ? "is nan"
                               : words(is_old ? "is still %.9g" : "is %.9g", value);
}

// What an array on the host must hold, to the bit: inputs are such that every result is exact.
// `actual` is what the worker sees; `expected` counts in the judge; `was`: the buffer as it was.
static inline void check_values(const char *name, const float *actual, const float *expected,
                                size_t n, const struct buffer *was = NULL) {
    size_t wrong = 0, first = 0;
    if (!judging()) {
        record(VALUES, actual, n * sizeof *actual);
        return;
    }
    float *seen = (float *)host_malloc(n * sizeof *seen);
    expect_record(VALUES, seen, n * sizeof *seen);
    for (size_t i = 0; i < n; i++)
        if (!(seen[i] == expected[i]) && wrong++ == 0)
            first = i;
    if (wrong)
        fail("values", "%s[%zu] %s, expected %.9g; %zu of %zu %s wrong", name, first,
             describe(seen[first], was && was->below && seen[first] == filled(was, first)),
             expected[first], wrong, n, n == 1 ? "element is" : "elements are");
    free(seen);
}

// The same for a buffer and its h; an input must be as it was. Then its guards.
static inline void check_buffer(const struct buffer *b) {
    size_t bytes = b->n * sizeof(float), damaged = 0;
    float *actual = NULL;
    if (!judging()) {
        actual = (float *)host_malloc(bytes);
        must(cudaMemcpy(actual, b->d, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    }
    check_values(b->name, actual, b->h, b->n, b);
    free(actual);
    OBSERVE(damaged, count_guard_damage(b->d, bytes, NULL));
    if (damaged)
        fail("guard", "outside of %s %zu byte%s overwritten", b->name, damaged,
             damaged == 1 ? " was" : "s were");
}

// Edge sizes first, so that the first mismatch is in a small array; one comes twice in a row,
// and then both runs of a loop over sizes use fresh inputs.
static const size_t sizes[] = {0,  1,   2,    3,    4,    5,    31,    32,      33,           34,
                               35, 255, 1023, 1024, 1024, 1025, 10000, 1 << 18, (1 << 18) + 1};
enum { SIZES = sizeof sizes / sizeof *sizes };

// ---- Main --------------------------------------------------------------------------------------
// worker: check MODE.  judge: check MODE SEED
int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "cases";
    int count = 0;
    char end = 0;
    check_run.judging = argc > 2;
    check_run.master = judging() ? strtoull(argv[2], NULL, 10) : 0;
    signal(SIGPIPE, SIG_IGN);
    // A kernel that is loaded at its first launch may wait for one that a check holds at a gate.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        if (!judging())
            fail("device", "no usable device");
        return 77;
    }
    if (judging() &&
        (getentropy(check_run.seal, SEAL) || !write_all(SEEDS_TO, check_run.seal, SEAL)))
        judge_ends("cut");
    next_seed();
    if (!strcmp(mode, "facts"))
        check_facts(), check_unseen();
    else
        check_cases();
    if (judging())
        expect_record(END, &end, 1),
            judge_ends(read_all(RECORDS_FROM, &end, 1) ? "malformed" : "end");
    record(END, &end, 1);
    return 0;
}

#endif
