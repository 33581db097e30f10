/*
 * csv.c: the one way in which the tracer writes CSV files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/csv.h"
#include "trace/names/allocations.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void csv_text(FILE *f, const char *s) {
    if (!strpbrk(s, ",\"\n")) {
        fputs(s, f);
        return;
    }
    putc('"', f);
    for (; *s; s++) {
        if (*s == '"')
            putc('"', f);
        putc(*s, f);
    }
    putc('"', f);
}

/* FILE.csv and ".pages" are FILE.pages.csv; to be freed. */
static char *path_of(const char *path, const char *suffix) {
    size_t n = strlen(path), stem = n > 4 && strcmp(path + n - 4, ".csv") == 0 ? n - 4 : n;
    char *name = trace_must(malloc(n + strlen(suffix) + sizeof ".csv"));
    sprintf(name, "%.*s%s.csv", (int)stem, path, suffix);
    return *suffix ? name : strcpy(name, path);
}

static void failed(const char *name) {
    fprintf(stderr, "access report: cannot write %s: %s\n", name, strerror(errno));
}

FILE *csv_open(const char *path, const char *suffix, const char *columns) {
    char *name = path_of(path, suffix);
    FILE *f = fopen(name, "w");
    if (f)
        fprintf(f, "%s\n", columns);
    else
        failed(name);
    free(name);
    return f;
}

void csv_close(FILE *f, const char *path, const char *suffix) {
    char *name = path_of(path, suffix);
    if (fflush(f) || ferror(f))
        failed(name);
    fclose(f);
    free(name);
}
