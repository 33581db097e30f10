/*
 * lines.c: the source line of an address in the program, by addr2line of binutils.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/names/lines.h"
#include "runtime/runtime.h"
#include "trace/names/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { AT_A_TIME = 1000 }; /* addresses that one addr2line is asked for */

struct known {
    const void *pc;
    struct trace_source source;
    struct known *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *table[1024];
static const char *main_files[16]; /* the files that were translated */
static int main_count;
static const char *own_folder; /* of the CPU device: its headers are not the user's */

void cpu_device_trace_text(const char *file, const char *folder) {
    WITH_LOCK(lock);
    if (*folder)
        own_folder = folder;
    for (int i = 0; i < main_count; i++)
        if (strcmp(main_files[i], file) == 0)
            return;
    if (main_count < (int)(sizeof main_files / sizeof *main_files))
        main_files[main_count++] = file;
}

const char *trace_own_folder(void) { return own_folder; }

static struct known **slot(const void *pc) {
    return LIST_PLACE(table[hash64((uintptr_t)pc) >> 54], k, k->pc == pc);
}

const char *trace_keep(const char *text) {
    static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
    static const char **kept;
    static size_t count;
    size_t i = 0;
    WITH_LOCK(keeping);
    while (i < count && strcmp(kept[i], text) != 0)
        i++;
    if (i == count)
        TRACE_ADD(kept, count, trace_must(strdup(text)));
    return kept[i];
}

const char *trace_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The same file? The debugger's path is absolute, the compiler was given one from its folder. */
static int is_main(const char *path) {
    if (main_count != 1)
        return 0; /* of several files each must say its name */
    const char *file = main_files[0];
    while (strncmp(file, "./", 2) == 0 || strncmp(file, "../", 3) == 0)
        file = strchr(file, '/') + 1;
    size_t n = strlen(path), m = strlen(file);
    return n >= m && strcmp(path + n - m, file) == 0 && (n == m || path[n - m - 1] == '/');
}

/* What the user did not write: our headers, the runtime, which is compiled under this name wherever
 * it lies, and the C++ library. */
static int is_foreign(const char *path) {
    size_t n = own_folder ? strlen(own_folder) : 0;
    if (n && strncmp(path, own_folder, n) == 0 &&
        (strncmp(path + n, "/include/", 9) == 0 || strncmp(path + n, "/extra/include/", 15) == 0))
        return 1;
    return strncmp(path, "/cudacc/", 8) == 0 || strstr(path, "/include/c++/");
}

int trace_source_is_ours(const struct trace_source *s) { return is_foreign(s->path); }

/* X::X(X const&), X::operator=(X&&): most often no one wrote them; ours (trace_copies.h) never. */
static int is_copy(const char *function) {
    const char *type = strchr(function, '('), *end = type ? strstr(type, " const&)") : NULL;
    if (type && !end)
        end = strstr(type, "&&)");
    if (type && strncmp(type, "(cpu_device::moved<", 19) == 0)
        return 1;
    return end && strncmp(function, type + 1, (size_t)(end - type - 1)) == 0 &&
           strncmp(function + (end - type - 1), "::", 2) == 0;
}

/* Starts addr2line for `count` addresses of an object file; its output, or NULL without it. */
static FILE *ask(const char *object, char *const *addresses, size_t count, pid_t *child) {
    char *arguments[AT_A_TIME + 5] = {"addr2line", "-aifC", "-e", (char *)object};
    memcpy(arguments + 4, addresses, count * sizeof *addresses);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *answer = failed ? NULL : fdopen(ends[0], "r");
    if (!answer)
        close(ends[0]);
    return answer;
}

/* addr2line writes the address, then two lines for each function inlined there, from the inside
 * out: its name, and file:line. */
static void read_answer(FILE *answer, struct known **asked, size_t count) {
    char text[4096];
    size_t i = 0;
    int found = 0, is_place = 0, copy = 0;
    while (fgets(text, sizeof text, answer)) {
        text[strcspn(text, "\n")] = 0;
        if (strncmp(text, "0x", 2) == 0) {
            i++, found = is_place = 0;
            continue;
        }
        is_place = !is_place;
        if (is_place && i > 0 && i <= count) {
            asked[i - 1]->source.function = trace_keep(text); /* the outermost one stays */
            asked[i - 1]->source.inlined = found;
        }
        if (is_place)
            copy = is_copy(text);
        if (is_place || found || i == 0 || i > count)
            continue;
        char *colon = strstr(text, " (discriminator");
        if (colon)
            *colon = 0;
        colon = strrchr(text, ':');
        int line = colon ? atoi(colon + 1) : 0;
        if (line <= 0)
            continue;
        *colon = 0;
        struct trace_source *s = &asked[i - 1]->source;
        if (s->line && (copy || is_foreign(text)))
            continue; /* the innermost one stays if all are foreign */
        found = !copy && !is_foreign(text);
        s->path = trace_keep(text);
        s->file = trace_file_name(s->path);
        s->line = line;
        s->main = is_main(s->path);
    }
}

/* The object file that holds a pc, and where it was loaded. */
struct object {
    uintptr_t pc, load;
    const char *name;
};
static int find_object(struct dl_phdr_info *info, size_t size, void *data) {
    struct object *o = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && o->pc - info->dlpi_addr - h->p_vaddr < h->p_memsz) {
            o->load = info->dlpi_addr;
            o->name = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
            return 1;
        }
    }
    return 0;
}
static struct object object_of(const void *pc) {
    struct object o = {(uintptr_t)pc - 1, 0, NULL}; /* into the call */
    dl_iterate_phdr(find_object, &o);
    return o;
}

int trace_same_object(const void *a, const void *b) {
    return object_of(a).name == object_of(b).name;
}

/* /proc/self would be addr2line's own. */
static const char *own_path(const char *name, char *path, size_t size) {
    if (strcmp(name, "/proc/self/exe") != 0)
        return name;
    ssize_t n = readlink(name, path, size - 1);
    if (n <= 0)
        return name;
    path[n] = 0;
    return path;
}

void trace_sources_look_up(const void *const *pcs, size_t count) {
    struct known *asked[AT_A_TIME];
    char *addresses[AT_A_TIME], path[4096];
    WITH_LOCK(lock);
    for (size_t n = 1; n;) { /* those of one object file at a time */
        const char *object = NULL;
        n = 0;
        for (size_t i = 0; i < count && n < AT_A_TIME; i++) {
            struct known **k = slot(pcs[i]);
            if (*k)
                continue;
            struct object o = object_of(pcs[i]);
            if (object && o.name && strcmp(object, o.name) != 0)
                continue;
            *k = trace_must(calloc(1, sizeof **k));
            (*k)->pc = pcs[i];
            (*k)->source = (struct trace_source){.file = "", .path = "", .function = ""};
            if (!o.name)
                continue;
            object = o.name;
            asked[n] = *k;
            addresses[n] = trace_must(malloc(32));
            snprintf(addresses[n++], 32, "0x%zx", (size_t)(o.pc - o.load));
        }
        pid_t child;
        object = n ? own_path(object, path, sizeof path) : NULL;
        FILE *answer = n ? ask(object, addresses, n, &child) : NULL;
        if (answer) {
            read_answer(answer, asked, n);
            fclose(answer);
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                ;
        }
        for (size_t i = 0; i < n; i++)
            free(addresses[i]);
    }
}

/* "void space::k<(mode)1, 33>(float*)": k */
static const char *plain_name(char *text) {
    static const char anonymous[] = "(anonymous namespace)::";
    for (char *p; (p = strstr(text, anonymous));)
        memmove(p, p + sizeof anonymous - 1, strlen(p + sizeof anonymous - 1) + 1);
    char *end = text;
    int depth = 0;
    for (; *end && (depth || *end != '('); end++)
        depth += (*end == '<') - (*end == '>');
    if (end > text && end[-1] == '>')
        do {
            end--;
            depth += (*end == '>') - (*end == '<');
        } while (depth && end > text);
    *end = 0;
    while (end > text && !strchr(" :", end[-1]))
        end--;
    return end;
}

struct trace_source trace_source_find(const void *pc) {
    trace_sources_look_up(&pc, 1);
    WITH_LOCK(lock);
    return (*slot(pc))->source;
}

const char *trace_kernel_name(const char *name, const void *function) {
    char text[4096];
    if (!function || strcmp(name, "kernel") != 0)
        return name;
    struct trace_source s = trace_source_find((const char *)function + 1); /* no return address */
    snprintf(text, sizeof text, "%s", s.function);
    return !*text || *text == '?' ? name : trace_keep(plain_name(text));
}

size_t trace_pc_in_file(const void *pc) {
    struct object o = object_of(pc);
    return (size_t)(o.pc - o.load);
}

static char here[4096]; /* the current directory, with a slash */
static void find_here(void) {
    if (!getcwd(here, sizeof here - 1))
        here[0] = 0;
    else if (strcmp(here, "/") != 0)
        strcat(here, "/");
}

const char *trace_path_shown(const char *path) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_here);
    if (path[0] == '/' && here[0] && strncmp(path, here, strlen(here)) == 0)
        return path + strlen(here);
    if (path[0] != '/' && strncmp(path, "../", 3) != 0 && access(path, R_OK) == 0)
        return strncmp(path, "./", 2) == 0 ? path + 2 : path;
    return trace_file_name(path);
}

const char *trace_place(const void *pc) {
    char text[4200];
    struct trace_source s = trace_source_find(pc);
    if (s.line)
        snprintf(text, sizeof text, "%s:%d", trace_path_shown(s.path), s.line);
    else
        snprintf(text, sizeof text, "pc %#zx (addr2line of binutils would name the line)",
                 trace_pc_in_file(pc));
    return trace_keep(text);
}
