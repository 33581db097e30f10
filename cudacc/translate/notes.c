/*
 * notes.c: what a traced program notes for the runtime about names (cpu_device/program_notes.h).
 *
 *   cudaMalloc(&d_x, n)       cpu_device_name(cudaMalloc(&d_x, n), "d_x", 0, "file.cu", 12,
 *                             the size of what it points to)
 *   cudaFree(p);              cpu_device::dropped(cudaFree(p), "cudaFree");
 *   __shared__ float t[32];   the same, a gap behind it, so that running past its end does not
 *                             lead into the next one, and a note of its address and size; a note
 *                             for __device__, __constant__ and __managed__ variables too
 *   __global__ void k(int n)  a note of the parameters' names at the end of the text
 *
 * A note is a function that runs once before main().
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "kernels.h"
#include "passes.h"

enum { GAP_BYTES = 4096 };
static int notes;

const char *note(const char *call, enum scope scope) {
    int n = notes++;
    if (scope == BLOCK) /* a local type, so that each instance of a template has its own */
        return format(" struct cpu_note_%d { static void tell() { %s; } };"
                      " (void)&::cpu_device::note<cpu_note_%d>::entry;",
                      n, call, n);
    return format(" static void cpu_note_%d() { %s; } static const ::cpu_device::note_entry "
                  "cpu_note_entry_%d __attribute__((unused))(cpu_note_%d);",
                  n, call, n, n);
}

/* What a note says of a variable's place: its address and size, of an array its element's, of one
 * with two dimensions its row's. */
static const char *address_of(int name) {
    const char *v = join(name, name), *address = format("(const void *)&%s, sizeof %s", v, v);
    int dimensions = 0;
    for (int i = name + 1; is(i, "[") && opens(i); i = tokens[i].match + 1)
        dimensions++;
    return dimensions == 2   ? format("%s, sizeof %s[0], sizeof %s[0][0]", address, v, v)
           : dimensions == 1 ? format("%s, 0, sizeof %s[0]", address, v)
                             : format("%s, 0, 0", address);
}

/* The gap behind a variable that ends at token i; section: NULL for a shared one. */
static const char *gap(int i, const char *section) {
    bool is_constant = section && strcmp(section, "cpu_device_const") == 0;
    if (is(i, ",")) { /* a constant wants a value, which pointers have, whatever they point to */
        append(
            &tokens[i].before,
            is_constant
                ? format(", *const cpu_gap_%d[%d] __attribute__((used)) = {}", notes, GAP_BYTES / 8)
                : format(", cpu_gap_%d[%d] __attribute__((used))", notes, GAP_BYTES / 4));
        return "";
    }
    return format(" static %s char cpu_gap_%d[%d] __attribute__((used%s))%s;",
                  !section      ? "thread_local"
                  : is_constant ? "const"
                                : "",
                  notes, GAP_BYTES, section ? format(", section(\"%s\")", section) : "",
                  is_constant ? " = {0}" : "");
}

/* A constant without an initializer, which its type need not have, is one that is not set yet; the
 * declarator from `name` ends at token i. */
static const char *kind_of(const char *kind, int name, int i) {
    bool is_open = strcmp(kind, "constant") == 0 && !has_one_of(name, i, "= { ( ");
    return is_open
               ? format("__is_trivially_constructible(decltype(%s)) ? \"open constant\" : \"%s\"",
                        join(name, name), kind)
               : format("\"%s\"", kind);
}

void note_variables(const struct declaration *d, const char *kind, const char *section,
                    enum scope scope) {
    const char *after = "", *function = "";
    bool has_gap = section || strcmp(kind, "shared") == 0;
    if (inside >= 0)
        function = join(bodies[inside].name, bodies[inside].name);
    int end = -1;
    for (int name = d->name; name >= 0; name = next_name(end)) {
        end = declarator_end(d, name);
        const char *address = strcmp(kind, "dynamic") == 0 ? "0, 0, 0, 0" : address_of(name);
        const char *call = format("::cpu_device_trace_variable(%s, \"%s\", %s, \"%s\", %s)",
                                  kind_of(kind, name, end), join(name, name), address, function,
                                  quoted_place(name));
        if (has_gap)
            after = format("%s%s", after, gap(end, section));
        after = format("%s%s", after, note(call, scope));
    }
    append(&tokens[end].after, after);
}

/* Before the end of the text, in its last line. */
void note_kernels(void) {
    const char *main_file = strchr(text, '"'); /* the first marker names it */
    main_file = main_file ? main_file + 1 : "";
    const char *calls =
        format("::cpu_device_trace_text(\"%.*s\", \"%.*s\")", (int)strcspn(main_file, "\"\n"),
               main_file, own_folder ? (int)own_length - 1 : 0, own_folder ? own_folder : "");
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].body_end >= 0)
            calls = format("%s; ::cpu_device_trace_kernel(\"%s\", \"%s\")", calls,
                           join(kernels[i].name, kernels[i].name), kernels[i].parameters.names);
    append(&tokens[token_count - 1].before, note(calls, NAMESPACE));
}

static const char allocating[] = "cudaMalloc cudaMallocManaged cudaMallocHost cudaHostAlloc "
                                 "cudaMallocPitch cudaMalloc3D cudaMallocAsync cudaHostRegister "
                                 "cudaMallocArray cudaMalloc3DArray ";

static int allocation_open(int i) { /* the `(` of the call; -1: token i begins no such call */
    if (!is_name(i) || tokens[i].origin != OF_USER || !is_one_of(i, allocating))
        return -1;
    int open = is(i + 1, "<") ? angle_close(i + 1) + 1 : i + 1;
    return is(open, "(") && opens(open) && !is(open + 1, ")") ? open : -1;
}

/* A call, not a declaration, and not that of a member or of another namespace. */
bool is_allocation(int i, enum scope scope) {
    if (allocation_open(i) < 0)
        return false;
    int before = is(i - 1, "::") ? i - 2 : i - 1;
    if (is_name(before))
        return is_one_of(before, "return else do and or not xor throw case co_return co_await ");
    if (is_one_of(before, ". -> ") || (is(before, ">") && is(i - 1, "::")))
        return false;
    return scope == BLOCK || !is_one_of(before, "; { } ) * & > ");
}

/* Is the pointer one that the function hands on, so that its name says nothing? It came in
 * through a parameter, or it is returned. */
static bool handed_on(int name, bool alone, int call, int call_end) {
    if (inside < 0 || !alone)
        return false;
    const struct body *b = &bodies[inside];
    for (int i = b->parameters; i < b->open; i++)
        if (is_name(i) && same_text(i, name) && is_one_of(i + 1, ", ) = [ "))
            return true;
    for (int i = b->open; i < tokens[b->open].match; i++)
        if (is(i, "return"))
            for (i++; i < token_count && !is(i, ";"); i++)
                if (is_name(i) && same_text(i, name) && !is(b->name, "main") &&
                    (i < call || i > call_end))
                    return true;
    return false;
}

void name_allocation(int i) {
    int open = allocation_open(i), first = open + 1, last;
    read_parameter(first, tokens[open].match, &last);
    /* (void **)&p, reinterpret_cast<void **>(&p) and &p give p. */
    bool address = false;
    for (last--; first < last;) {
        int close = tokens[first].match;
        if (is(first, "(") && close == last)
            first++, last--;
        else if (is(first, "(") && is_one_of(close - (is(close - 1, "&") ? 2 : 1), "* "))
            first = close + 1;
        else if (is_one_of(first, "reinterpret_cast static_cast const_cast ") &&
                 angle_close(first + 1) > 0)
            first = angle_close(first + 1) + 1;
        else if (is(first, "&"))
            first++, address = true;
        else
            break;
    }
    int name = first;
    while (name < last && !is_name(name))
        name++;
    int from = is(i - 1, "::") ? i - 1 : i;
    append(&tokens[from].before, "cpu_device_name(");
    append(&tokens[tokens[open].match].after,
           format(", %s, %d, %s, decltype(::cpu_device::element(%s(%s)))::bytes)",
                  quoted(join(first, last)), handed_on(name, first == last, i, tokens[open].match),
                  quoted_place(i), address ? "&" : "", join(first, last)));
}

void note_dropped_result(int start, int end) {
    const char *name = text + tokens[start].start;
    if (is_one_of(start, "cudaGetLastError cudaPeekAtLastError ") || /* how an error is forgotten */
        tokens[start].origin != OF_USER || !begins(start, "cuda") || name[4] < 'A' ||
        name[4] > 'Z' || !is(start + 1, "(") || tokens[start + 1].match != end - 1)
        return;
    append(&tokens[end - 1].after, format(", ::cpu_device::dropped(\"%s\")", join(start, start)));
}
