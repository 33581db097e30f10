/*
 * shared_names.c: the __shared__ variables of the program, as each worker has them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h" /* dl_iterate_phdr() */
#include "trace/names/shared_names.h"
#include "trace/names/allocations.h"
#include "trace/names/lines.h"
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* All threads of a process have their thread-local variables at equal distances. */
static __thread char anchor;
enum { GAP_BYTES = 4096 };

static struct trace_variable *declared, *dynamic; /* as the notes have brought them */
static struct trace_variable **shared;            /* by offset */
static size_t shared_count;
static int unsorted;
static struct trace_variable any_dynamic = {
    .name = "dynamic shared memory", .function = "", .first = &any_dynamic};

void cpu_device_trace_variable(const char *kind, const char *name, const void *base, size_t bytes,
                               size_t row, size_t element, const char *function, const char *file,
                               int line) {
    struct trace_variable **list = strcmp(kind, "shared") == 0    ? &declared
                                   : strcmp(kind, "dynamic") == 0 ? &dynamic
                                                                  : NULL;
    if (!list) {
        trace_variable_declared(kind, name, base, bytes, element, file, line);
        return;
    }
    static unsigned number;
    WITH_LOCK(lock);
    struct trace_variable *v = trace_must(calloc(1, sizeof *v));
    *v = (struct trace_variable){.name = name,
                                 .function = function,
                                 .file = file,
                                 .line = line,
                                 .bytes = bytes,
                                 .row = row,
                                 .element = element,
                                 .offset = base ? (const char *)base - &anchor : 0,
                                 .first = v,
                                 .number = number++,
                                 .next = *list};
    *list = v;
    unsorted = 1;
}

static int by_offset(const void *a, const void *b) {
    const struct trace_variable *x = *(struct trace_variable *const *)a,
                                *y = *(struct trace_variable *const *)b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_source(const void *a, const void *b) {
    const struct trace_variable *x = *(struct trace_variable *const *)a,
                                *y = *(struct trace_variable *const *)b;
    return strcmp(x->file, y->file)
               ?: strcmp(x->function, y->function)
               ?: (x->line > y->line) - (x->line < y->line)
               ?: (x->number > y->number) - (x->number < y->number);
}

/* nvcc lays the variables of a function one after another, each as its elements want it: here
 * taken from their size. Of a template, the first instance stands for all. */
static void lay_out(struct trace_variable **list, size_t count) {
    size_t end = 0;
    qsort(list, count, sizeof *list, by_source);
    for (size_t i = 0; i < count; i++) {
        struct trace_variable *v = list[i], *same = NULL;
        const struct trace_variable *before = i ? list[i - 1] : NULL;
        v->first = v;
        if (before && !strcmp(v->function, before->function) && !strcmp(v->file, before->file))
            v->first = before->first;
        for (size_t k = i; k-- && list[k]->first == v->first && list[k]->line == v->line && !same;)
            same = strcmp(list[k]->name, v->name) ? NULL : list[k];
        size_t alignment = v->element ? v->element : v->bytes;
        alignment &= -alignment;
        if (alignment > 16)
            alignment = 16;
        v->place = same            ? same->place
                   : v->first == v ? 0
                                   : (end + alignment - 1) / alignment * alignment;
        if (!same)
            end = v->place + v->bytes;
    }
}

void trace_shared_start(void) {
    WITH_LOCK(lock);
    if (unsorted) {
        size_t count = 0;
        struct trace_variable **list = NULL; /* the old one may be in use */
        for (struct trace_variable *v = declared; v; v = v->next)
            TRACE_ADD(list, count, v);
        lay_out(list, count);
        qsort(list, count, sizeof *list, by_offset);
        __atomic_store_n(&shared_count, 0, __ATOMIC_SEQ_CST);
        shared = list;
        __atomic_store_n(&shared_count, count, __ATOMIC_SEQ_CST);
        unsorted = 0;
    }
}

static int in_dynamic(const char *p) {
    return p >= cpu_device_dynamic_shared && p < cpu_device_dynamic_shared + SHARED_OPTIN;
}

const struct trace_variable *trace_shared_find(const void *address) {
    if (in_dynamic(address))
        return &any_dynamic;
    ptrdiff_t offset = (const char *)address - &anchor;
    size_t above = TRACE_FIRST(__atomic_load_n(&shared_count, __ATOMIC_RELAXED), i,
                               shared[i]->offset > offset);
    if (!above || (size_t)(offset - shared[above - 1]->offset) >= shared[above - 1]->bytes)
        return NULL;
    return shared[above - 1];
}

const char *trace_shared_base(const struct trace_variable *v) { return &anchor + v->offset; }

void trace_shared_variables(uintptr_t *from, size_t *bytes) {
    size_t count = __atomic_load_n(&shared_count, __ATOMIC_RELAXED);
    *from = *bytes = 0;
    if (!count)
        return;
    const struct trace_variable *last = shared[count - 1];
    *from = (uintptr_t)trace_shared_base(shared[0]);
    *bytes = (size_t)(last->offset - shared[0]->offset) + last->bytes;
}

void trace_shared_range(uintptr_t *from, size_t *bytes) {
    trace_shared_variables(from, bytes);
    if (*bytes)
        *from -= GAP_BYTES, *bytes += 2 * GAP_BYTES;
}

int trace_shared_near(const void *address) {
    uintptr_t from;
    size_t bytes;
    trace_shared_range(&from, &bytes);
    return in_dynamic(address) || (uintptr_t)address - from < bytes;
}

/* The compiler keeps a byte beside a variable with a constructor: the ABI's name for it. */
static ptrdiff_t *guards;
static size_t guard_count;
static int find_guards(struct dl_phdr_info *info, size_t size, void *data) {
    int file = open(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    off_t bytes = file < 0 || !info->dlpi_tls_data ? 0 : lseek(file, 0, SEEK_END);
    const char *text = bytes > 0 ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    const ElfW(Ehdr) *head = text == MAP_FAILED ? NULL : (const void *)text;
    for (int i = 0; head && i < head->e_shnum; i++) {
        const ElfW(Shdr) *s = (const void *)(text + head->e_shoff);
        const ElfW(Sym) *symbol = (const void *)(text + s[i].sh_offset);
        size_t count = s[i].sh_type == SHT_SYMTAB ? s[i].sh_size / sizeof *symbol : 0;
        for (const ElfW(Sym) *end = symbol + count; symbol < end; symbol++)
            if (ELF64_ST_TYPE(symbol->st_info) == STT_TLS &&
                !strncmp(text + s[s[i].sh_link].sh_offset + symbol->st_name, "_ZGV", 4))
                TRACE_ADD(guards, guard_count,
                          (char *)info->dlpi_tls_data + symbol->st_value - &anchor);
    }
    close(file);
    (void)size, (void)data;
    return 0;
}

int trace_is_guard(const void *address) {
    static int is_known;
    size_t i = 0;
    WITH_LOCK(lock);
    if (!is_known)
        dl_iterate_phdr(find_guards, NULL);
    for (is_known = 1; i < guard_count && guards[i] != (const char *)address - &anchor;)
        i++;
    return i < guard_count;
}

const char *trace_dynamic_name(const char *kernel) {
    const char *name = NULL;
    int same = 1;
    for (const struct trace_variable *v = dynamic; v; v = v->next) {
        if (strcmp(v->function, kernel) == 0)
            return v->name;
        same &= !name || strcmp(name, v->name) == 0;
        name = v->name;
    }
    return name && same ? name : any_dynamic.name;
}
