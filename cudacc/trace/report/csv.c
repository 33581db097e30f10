/*
 * csv.c: the one way in which the tracer writes CSV files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include "trace/names/allocations.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

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

/* "fd:5:FILE.csv": a table is written whole when it is closed, after its name and its size, to a
 * descriptor that the program was started with. "sealed:5:FILE.csv": and after the seal, 32 bytes
 * that the reader at the other end of this socket has sent. It is read before any code of the
 * program runs, and while that runs the page that holds it can be neither read nor written. */
enum { SEAL = 32 };
static char *seal;

__attribute__((constructor(101))) static void read_seal(void) {
    const char *errors = getenv("ACCESS_ERRORS");
    int fd;
    if (!errors || sscanf(errors, "sealed:%d:", &fd) != 1)
        return;
    seal = mmap(NULL, SEAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (seal == MAP_FAILED || read(fd, seal, SEAL) != SEAL)
        seal = NULL;
    else if (mprotect(seal, SEAL, PROT_NONE) || prctl(PR_SET_DUMPABLE, 0))
        abort();
}

static struct {
    FILE *f;
    char *text;
    size_t bytes;
} held[8];
enum { HELD = sizeof held / sizeof *held };

static FILE *hold(void) {
    for (int i = 0; i < HELD; i++)
        if (!held[i].f)
            return held[i].f = open_memstream(&held[i].text, &held[i].bytes);
    return NULL;
}

static int write_all(int fd, const char *text, size_t bytes) {
    for (ssize_t now; bytes; text += now, bytes -= (size_t)now)
        if ((now = write(fd, text, bytes)) < 0 && errno != EINTR)
            return 0;
        else if (now < 0)
            now = 0;
    return 1;
}

/* 0: it cannot be written. */
static int send(FILE *f, const char *name) {
    int i = 0, at = 0, fd = -1;
    char head[300];
    while (i < HELD && held[i].f != f)
        i++;
    int sealed = name[0] == 's';
    if (i == HELD || fclose(f) || sscanf(name, "%*[^:]:%d:%n", &fd, &at) != 1 || !at)
        return 0;
    if (name[at + (int)strcspn(name + at, " \n")])
        return 0; /* the program may have changed its environment: no tables in a name */
    int length = snprintf(head, sizeof head, "%s %zu\n", name + at, held[i].bytes);
    int done = length < (int)sizeof head &&
               (!sealed || (seal && !mprotect(seal, SEAL, PROT_READ) && write_all(fd, seal, SEAL) &&
                            !mprotect(seal, SEAL, PROT_NONE))) &&
               write_all(fd, head, (size_t)length) && write_all(fd, held[i].text, held[i].bytes);
    free(held[i].text);
    held[i].f = NULL;
    return done;
}

static int is_descriptor(const char *name) {
    return strncmp(name, "fd:", 3) == 0 || strncmp(name, "sealed:", 7) == 0;
}

static void failed(const char *name) {
    fprintf(stderr, "access report: cannot write %s: %s\n", name, strerror(errno));
}

FILE *csv_open(const char *path, const char *suffix, const char *columns) {
    char *name = path_of(path, suffix);
    FILE *f = is_descriptor(name) ? hold() : fopen(name, "w");
    if (f)
        fprintf(f, "%s\n", columns);
    else
        failed(name);
    free(name);
    return f;
}

void csv_close(FILE *f, const char *path, const char *suffix) {
    char *name = path_of(path, suffix);
    int has_failed = fflush(f) || ferror(f);
    if (is_descriptor(name) ? !send(f, name) : fclose(f) || has_failed)
        failed(name);
    free(name);
}
