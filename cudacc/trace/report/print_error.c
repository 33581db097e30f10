/*
 * print_error.c: errors are said once for each kernel and pair of source lines, and at most MOST
 * times of a kind, but once for each kernel; the others are counted.  On stderr at once, in
 * ACCESS_ERRORS=FILE.csv at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST = 10 };

static const char *const kind_name[] = {
    /* clang-format off */
    "out of bounds", "use after free", "misaligned access", "host pointer in a kernel",
    "device pointer on the host", "read of memory never written", "data race",
    "barrier not reached by all threads", "misused warp function", "kernel died",
    "free of a wrong pointer", "wrong argument", "launch refused", "failed call", "lost output",
    "leak"
    /* clang-format on */
};
_Static_assert(sizeof kind_name / sizeof *kind_name == ERROR_KINDS, "kind_name");

/* Of a kind and a kernel, "" for the host: how many there were, how many have been printed. */
struct tally {
    enum error_kind kind;
    const char *kernel;
    unsigned long count, printed;
};
static struct tally *tallies;
static unsigned tally_count;
pthread_mutex_t report_saying = PTHREAD_MUTEX_INITIALIZER;

/* Formats say "bytes", of whatever number. */
static void one_byte(char *text) {
    while ((text = strstr(text, " 1 bytes")))
        memmove(text + 7, text + 8, strlen(text + 7));
}

/* What a function with `format` and more as its last parameters says. */
#define FORMATTED(text, size)                                                                      \
    do {                                                                                           \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        vsnprintf(text, size, format, list);                                                       \
        va_end(list);                                                                              \
        one_byte(text);                                                                            \
    } while (0)

void text_add(char text[TEXT], const char *format, ...) {
    size_t used = strlen(text);
    FORMATTED(text + used, TEXT - used);
}

struct told {
    enum error_kind kind;
    const char *kernel, *name;
    struct trace_source a, b;
};
static struct told *told;
static unsigned told_count;

int same_line(struct trace_source a, struct trace_source b) {
    return a.line == b.line && strcmp(a.file, b.file) == 0;
}

int printed_before(enum error_kind kind, const char *kernel, struct trace_source a,
                   struct trace_source b, const char *name) {
    for (unsigned i = 0; i < told_count; i++)
        if (told[i].kind == kind && a.line && strcmp(told[i].name, name) == 0 &&
            strcmp(told[i].kernel, kernel) == 0 &&
            ((same_line(told[i].a, a) && same_line(told[i].b, b)) ||
             (same_line(told[i].a, b) && same_line(told[i].b, a))))
            return 1;
    TRACE_ADD(told, told_count, (struct told){kind, kernel, trace_must(strdup(name)), a, b});
    return 0;
}

/* What ACCESS_ERRORS=FILE.csv will hold. */
static FILE *csv;
static char *csv_buffer;
static size_t csv_size;

void print_error_csv(enum error_kind kind, const char *kernel, const char *block,
                     const char *thread, const char *file, int line, const char *allocation,
                     const char *detail) {
    if (!getenv("ACCESS_ERRORS") || (!csv && !(csv = open_memstream(&csv_buffer, &csv_size))))
        return;
    char number[16] = "";
    if (line)
        snprintf(number, sizeof number, "%d", line);
    const char *severity = kind & A_NOTE ? "note" : "error";
    const char *field[] = {kernel, block, thread, file, number, allocation, detail, severity};
    fputs(kind_name[kind % A_NOTE], csv);
    for (unsigned i = 0; i < sizeof field / sizeof *field; i++) {
        fputc(',', csv);
        csv_text(csv, field[i]);
    }
    fputc('\n', csv);
}

/* In Chinese where the learner wants that, by what translates the course's other tools: 0, if that
 * is not there. */
int printed_in_chinese(const char *text, int descriptor) {
    static const char *const names[] = {"COURSE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
    const char *folder = trace_own_folder();
    char command[200];
    int is_wanted = 0;
    for (int i = 0; i < 4; i++)
        is_wanted |= getenv(names[i]) && strncmp(getenv(names[i]), "zh", 2) == 0;
    snprintf(command, sizeof command,
             "perl -I\"$CPU_DEVICE_HOME/../tools\" -MChinese "
             "-lne 'print said_of_report($_)' >&%d 2>/dev/null",
             descriptor);
    FILE *f = is_wanted && folder && setenv("CPU_DEVICE_HOME", folder, 1) == 0 ? popen(command, "w")
                                                                               : NULL;
    if (!f)
        return 0;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* where there is no perl, nobody reads */
    fputs(text, f);
    int code = pclose(f);
    signal(SIGPIPE, before);
    return code == 0;
}

/* What comes after the break stands below the words of the line, 4 columns in at least. */
void print_lines(const char *text) {
    if (printed_in_chinese(text, STDERR_FILENO))
        return;
    struct winsize size;
    int is_terminal = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
    size_t columns = !is_terminal ? SIZE_MAX : size.ws_col > 20 ? size.ws_col : 80;
    while (*text) {
        size_t length = strcspn(text, "\n"), blanks = strspn(text, " ");
        size_t indent = blanks + (strncmp(text + blanks, "-> ", 3) == 0 ? 3 : 0), room = columns;
        if (indent < 4)
            indent = 4;
        while (length > room) {
            size_t fits = room;
            while (fits > blanks + 3 && text[fits] != ' ')
                fits--;
            if (text[fits] != ' ')
                fits = strcspn(text + room, " \n") + room; /* a word that is too long */
            if (fits >= length)
                break;
            fprintf(stderr, "%.*s\n%*s", (int)fits, text, (int)indent, "");
            text += fits + 1;
            length -= fits + 1;
            room = columns - indent;
            blanks = 0;
        }
        fprintf(stderr, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void print_line(const char *format, ...) {
    char text[TEXT];
    FORMATTED(text, TEXT);
    print_lines(text);
}

void print_error(enum error_kind kind, const char *kernel, const char *first, const char *more) {
    char text[8 * TEXT];
    struct tally *t = NULL;
    unsigned long of_kind = 0;
    for (unsigned i = 0; i < tally_count; i++) {
        of_kind += tallies[i].kind == kind ? tallies[i].printed : 0;
        if (tallies[i].kind == kind && strcmp(tallies[i].kernel, kernel) == 0)
            t = &tallies[i];
    }
    if (!t) {
        TRACE_ADD(tallies, tally_count, (struct tally){.kind = kind, .kernel = kernel});
        t = &tallies[tally_count - 1];
    }
    if (t->count++ && of_kind >= MOST)
        return;
    t->printed++;
    fflush(stdout);
    snprintf(text, sizeof text, "CPU device: %s%s: %s\n%s", kind & A_NOTE ? "note: " : "",
             kind_name[kind % A_NOTE], first, more);
    print_lines(text);
}

static __thread const void *printed_of;
int host_error_printed(const void *pc) { return pc && printed_of == pc; }

void print_host_error(enum error_kind kind, const void *pc, const char *allocation,
                      const char *format, ...) {
    char text[TEXT];
    FORMATTED(text, TEXT);
    printed_of = pc;
    struct trace_source source = trace_source_find(pc), nothing = {"", "", 0, 0};
    WITH_LOCK(report_saying);
    if (!printed_before(kind, "", source, nothing, "")) {
        print_error(kind, "", text, "");
        print_error_csv(kind, "", "", "", source.file, source.line, allocation, text);
    }
}

int report_is_brief(void) {
    const char *wanted = getenv("ACCESS_TABLE");
    return wanted && strcmp(wanted, "brief") == 0;
}

unsigned long errors_printed(void) {
    unsigned long all = 0, notes = 0;
    for (const struct tally *t = tallies; t < tallies + tally_count; t++) {
        if (t->count > t->printed)
            print_line("CPU device: %s%s%s%s: %lu more", t->kind & A_NOTE ? "note: " : "",
                       kind_name[t->kind % A_NOTE], *t->kernel ? " in kernel " : "", t->kernel,
                       t->count - t->printed);
        *(t->kind & A_NOTE ? &notes : &all) += t->count;
    }
    char and_notes[40] = "";
    if (notes)
        snprintf(and_notes, sizeof and_notes, ", %lu note%s", notes, notes == 1 ? "" : "s");
    if (all || notes || !report_is_brief())
        print_line("CPU device: %lu error%s%s", all, all == 1 ? "" : "s", and_notes);
    const char *path = getenv("ACCESS_ERRORS");
    if (!path || !*path)
        return all;
    FILE *f = csv_open(path, "", "kind,kernel,block,thread,file,line,allocation,detail,severity");
    if (f && csv && !fflush(csv))
        fwrite(csv_buffer, 1, csv_size, f);
    if (f)
        csv_close(f, path, "");
    return all;
}
