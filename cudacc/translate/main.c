/*
 * main.c: translate, from CUDA C++ to C++.  Reads preprocessed text, writes the same text with what
 * a host compiler does not know rewritten.  Everything else passes through byte for byte, and no
 * rewrite adds or removes a line, so that the compiler's messages stay located in the user's file.
 *
 *     translate [OPTION]... [FILE] >TEXT
 *
 *     --rdc     as nvcc -rdc=true
 *     --trace   for a traced build: names for the report, kernels that stay functions
 *     --kernel=ATTRIBUTE     what a kernel gets, and what calls it
 *     --loop-free=ATTRIBUTE   what a kernel without loops gets in it
 *     --no-hoist=OPTION      how one is compiled whose loads and stores must stay in their loop
 *     --latches  in a traced build: loops that have no end of an iteration get one
 *     --entries  in a traced build: all ways into a loop lead to one place before it
 *     --color    messages are colored
 *     --split    kernels run from barrier to barrier where that is certain to do the same
 *     --vectors  where no thread needs to say that it is the one that runs, it does not
 *     --calls    launches become calls: for the compiler's messages about their arguments
 *     --merge=DEVICE   only merges the text with that for a GPU: merge.c
 *
 *   k<<<grid, block>>>(x)     cpu_device::bind(k, ..., cpu_device::config(grid, block))(x)
 *   __global__ void k() {}    void k() {} and an entry in the list of kernels
 *   __device__ float x;       static float x in a section that the runtime knows; so for
 *                             __constant__ and __managed__
 *   __shared__ float t[32];   static thread_local float t[32];
 *   v[i] = v[j];              cpu_device::in_step<1, 1>(v, 2)[i] = ..., if v is
 *                             volatile and no thread's own
 *   extern __shared__ T s[];  extern __thread T s[], an alias of the launch's shared memory
 *
 * This folder is a program of its own: it uses nothing else of the CPU device, and only cudacc
 * calls it.  What it writes calls launch.h, parts.h and, in a traced build, program_notes.h.  The
 * passes over the text, in passes.h, use what functions.h and kernels.h find in it; split.h has the
 * files that split a kernel.  All of them use declarations, messages, and the text as tokens.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include "extra/translate/rewrite_ptx.h"
#include "kernels.h"
#include "messages.h"
#include "options.h"
#include "passes.h"
#include "split.h"

static int fails(const char *what) {
    fprintf(stderr, "translate: %s: %s\n", what, strerror(errno));
    return 2;
}

enum { MOST_SECONDS = 300 }; /* of CPU time; large texts take a few */

static void give_up(int signal) {
    (void)signal;
    if (struct_in_hand >= 0)
        report(struct_in_hand, "the CPU time is used up, the translator was at this struct");
    else
        fprintf(stderr, "translate: %s: the CPU time is used up\n", file_name);
    _exit(1);
}

static void limit_time(void) {
    struct rlimit limit;
    signal(SIGXCPU, give_up);
    if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur <= MOST_SECONDS)
        return;
    limit.rlim_cur = MOST_SECONDS;
    setrlimit(RLIMIT_CPU, &limit);
}

static bool rewrite(bool latches, bool entries, bool split) {
    find_columns();
    rewrite_scopes();
    refuse_calls();
    if (errors)
        return false;
    if (!launches_as_calls)
        rewrite_kernels();
    rewrite_ptx();
    give_steps();
    if (tracing) {
        note_kernels();
        rewrite_tables();
        rewrite_copies();
    }
    if (tracing && latches)
        give_latches();
    if (tracing && entries)
        give_entries();
    if (copies_are_calls && any_must_not_be_copied()) {
        append(&tokens[token_count - 1].before, "\n// classes that must not be copied\n");
        copies_are_calls = false;
    }
    /* gcc makes a function part of another only if both follow the jumps, or neither. */
    if (tracing && *loop_free_attribute && !any_in_pieces() && mark_loop_free_kernels())
        append(&tokens[token_count - 1].before, "\n// kernels without loops\n");
    if (tracing && mark_hoisting(no_hoist_option))
        append(&tokens[token_count - 1].before, "\n// no hoisting\n");
    if (split)
        split_kernels();
    rewrite_launches();
    return true;
}

int main(int argc, char **argv) {
    FILE *in = stdin;
    const char *merged_with = NULL;
    bool latches = false, entries = false, split = false;
    const struct {
        const char *name;
        bool *is_given;
        const char **value;
    } options[] = {{"--rdc", &separate, NULL},
                   {"--trace", &tracing, NULL},
                   {"--copies", &copies_are_calls, NULL},
                   {"--latches", &latches, NULL},
                   {"--entries", &entries, NULL},
                   {"--split", &split, NULL},
                   {"--vectors", &vectors, NULL},
                   {"--color", &colored, NULL},
                   {"--calls", &launches_as_calls, NULL},
                   {"--kernel=", NULL, &kernel_attribute},
                   {"--loop-free=", NULL, &loop_free_attribute},
                   {"--no-hoist=", NULL, &no_hoist_option},
                   {"--merge=", NULL, &merged_with}};
    enum { OPTIONS = sizeof options / sizeof *options };
    for (int i = 1, k; i < argc; i++) {
        for (k = 0; k < OPTIONS && strncmp(argv[i], options[k].name, strlen(options[k].name)); k++)
            ;
        if (k == OPTIONS)
            file_name = argv[i];
        else if (options[k].value)
            *options[k].value = argv[i] + strlen(options[k].name);
        else
            *options[k].is_given = true;
    }
    limit_time();
    if (strcmp(file_name, "<stdin>") != 0)
        in = fopen(file_name, "r");
    if (!in)
        return fails(file_name);
    read_text(in);
    if (merged_with) {
        size_t host = text_length;
        in = fopen(merged_with, "r");
        if (!in)
            return fails(merged_with);
        read_text(in);
        tokenize();
        write_merged(stdout, host);
    } else {
        tokenize();
        if (!rewrite(latches, entries, split))
            return 1;
        write_text(stdout);
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        return fails("cannot write the result");
    return 0;
}
