/*
 * lines.h: the source line of an address in the program.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stddef.h>

struct trace_source {
    const char *file; /* without folders; "" when not known */
    const char *path;
    int line;
    const char *function; /* that the compiler has put it into; "" when not known */
    int inlined;          /* into it: the line is another function's */
    int main;             /* in the .cu file that was compiled: its name need not be said */
};
/* pcs are return addresses. Asks addr2line once for all that are not known yet. */
void trace_sources_look_up(const void *const *pcs, size_t count);
struct trace_source trace_source_find(const void *pc);
const char *trace_keep(const char *text); /* the same text is the same pointer, forever */
const char *trace_own_folder(void); /* of the CPU device, where the program was compiled; or NULL */
int trace_source_is_ours(const struct trace_source *s); /* the CPU device's, or the C++ library's */
/* A launch through a pointer does not know its kernel's name and calls it "kernel": the name. */
const char *trace_kernel_name(const char *name, const void *function);
int trace_same_object(const void *a, const void *b); /* of the same program or library? */
size_t trace_pc_in_file(const void *pc);             /* as addr2line wants it */
const char *trace_file_name(const char *path);       /* without folders */
/* A file as an editor opens it from here: its path below the current directory; where it is not
 * below that, its name. */
const char *trace_path_shown(const char *path);
/* "folder/file.cu:12", or the address with what to install. */
const char *trace_place(const void *pc);
