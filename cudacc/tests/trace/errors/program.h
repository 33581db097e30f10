// What the programs beside it share: several are in one file, and `./file name` runs one of them.
//
//     // ---- name: what it shows
//     kernels
//     PROGRAM(name, what cudaDeviceSynchronize() returns at its end) { its host part }
//
// SPDX-License-Identifier: MIT
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_RESULT = -1, ANY_ERROR = -2 };

struct program {
    const char *name;
    void (*run)(void);
    int expected;
    struct program *next;
    program(const char *name, void (*run)(void), int expected = cudaSuccess);
};
static struct program *programs;
inline program::program(const char *name, void (*run)(void), int expected)
    : name(name), run(run), expected(expected), next(programs) {
    programs = this;
}

#define PROGRAM(name, ...)                                                                         \
    static void name(void);                                                                        \
    static struct program program_##name(#name, name, ##__VA_ARGS__);                              \
    static void name(void)

// What a program has set to another number than 0 has gone wrong.
static int exit_code;

// Memory and streams that are declared, made and kept in one line, until the program has ended.
static struct {
    void *p;
    cudaError_t (*free)(void *);
} ends[16];
static int end_count;
static inline void at_end(void *p, cudaError_t (*free)(void *)) {
    ends[end_count].p = p;
    ends[end_count++].free = free;
}
static inline cudaError_t end_stream(void *stream) {
    return cudaStreamDestroy((cudaStream_t)stream);
}

#define ARRAY(type, name, n)                                                                       \
    type *name;                                                                                    \
    cudaMalloc(&name, (n) * sizeof *name);                                                         \
    at_end(name, cudaFree)
#define ZEROES(type, name, n)                                                                      \
    ARRAY(type, name, n);                                                                          \
    cudaMemset(name, 0, (n) * sizeof *name)
#define COPY_OF(type, name, array)                                                                 \
    ARRAY(type, name, sizeof array / sizeof *array);                                               \
    cudaMemcpy(name, array, sizeof array, cudaMemcpyHostToDevice)
#define MANAGED(type, name, n)                                                                     \
    type *name;                                                                                    \
    cudaMallocManaged(&name, (n) * sizeof *name);                                                  \
    at_end(name, cudaFree)
#define PINNED(type, name, n)                                                                      \
    type *name;                                                                                    \
    cudaMallocHost(&name, (n) * sizeof *name);                                                     \
    at_end(name, cudaFreeHost)
#define STREAM(name)                                                                               \
    cudaStream_t name;                                                                             \
    cudaStreamCreate(&name);                                                                       \
    at_end(name, end_stream)
#define NON_BLOCKING_STREAM(name)                                                                  \
    cudaStream_t name;                                                                             \
    cudaStreamCreateWithFlags(&name, cudaStreamNonBlocking);                                       \
    at_end(name, end_stream)

int main(int count, char **arguments) {
    for (struct program *p = programs; p; p = p->next) {
        if (count != 2 || strcmp(p->name, arguments[1]) != 0)
            continue;
        p->run();
        int e = cudaDeviceSynchronize();
        for (int i = 0; i < end_count; i++)
            (void)ends[i].free(ends[i].p);
        return exit_code ||
               (p->expected == ANY_ERROR ? e == cudaSuccess
                                         : p->expected != ANY_RESULT && e != p->expected);
    }
    fprintf(stderr, "usage: %s PROGRAM, one of", arguments[0]);
    for (struct program *p = programs; p; p = p->next)
        fprintf(stderr, " %s", p->name);
    fprintf(stderr, "\n");
    return 2;
}
