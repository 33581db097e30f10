/*
 * translate_trace.h: the part of translate.c that serves traced builds.
 *
 * With --trace the runtime is told the names that its report shows (trace_names.h):
 *
 *   cudaMalloc(&d_x, n)       cpu_device_name(cudaMalloc(&d_x, n), "d_x", 0, "file.cu", 12,
 *                             the size of what it points to)
 *   __shared__ float t[32];   the same, a gap behind it, so that running past its end does not
 *                             lead into the next one, and a note of its address and size; a note
 *                             for __device__, __constant__ and __managed__ variables too
 *   __global__ void k(int n)  attributes that keep the kernel one function, and a note of the
 *                             parameters' names at the end of the text
 *                             and, where it has no loops, the ATTRIBUTE of --straight=ATTRIBUTE
 *
 * A note is a function that runs once before main().
 *
 * SPDX-License-Identifier: MIT
 */
enum { GAP_BYTES = 4096 };

/* The functions outside of other functions. */
enum course { NOT_ASKED, ASKED, STRAIGHT, LOOPING };
struct body {
    int name, start, parameters, open; /* parameters: their `(`, or the body for operators */
    const char *scope;
    enum course course;
    bool implicit; /* called without its name: a constructor, a destructor, an operator */
    bool of_class; /* defined in a class: inline without saying so */
    bool member;   /* of a class, or of a namespace that its name names */
    bool kernel;
    bool inlined; /* made so */
};
static struct body *bodies;
static int body_count;
static int inside = -1; /* the body that walk() is in */
static int notes;

static int trace_function(int start, int open, enum scope scope, const char *path) {
    struct declaration d = parse_declaration(start);
    if (!d.function || d.name < 0 || (opens(d.end) && tokens[d.end].match > open))
        return inside; /* a brace within parentheses is no body */
    struct body b = {.name = d.name,
                     .start = start,
                     .parameters = d.end,
                     .open = open,
                     .scope = path,
                     .implicit = is(d.name, "operator"),
                     .of_class = scope == CLASS,
                     .member = scope == CLASS || d.qualified,
                     .kernel = d.at[GLOBAL] >= 0};
    if (b.implicit || !opens(d.end))
        b.parameters = open;
    /* No type before the name: a constructor or, with `~`, a destructor. */
    int words_before = 0;
    for (int i = start; i < d.name; i++) {
        if (is(i, "template") && is(i + 1, "<") && angle_close(i + 1) > 0)
            i = angle_close(i + 1);
        else if (is_one_of(i, attributes) && opens(i + 1))
            i = tokens[i + 1].match;
        else if (is_name(i) && !is(i + 1, "::") && !same_text(i, d.name) &&
                 !is_one_of(i, "__host__ __device__ inline constexpr __forceinline__ explicit "))
            words_before++;
    }
    b.implicit |= !words_before;
    if (body_count % 1024 == 0)
        bodies = grow(bodies, ((size_t)body_count + 1024) * sizeof *bodies);
    bodies[body_count] = b;
    return body_count++;
}

static bool structs_apart; /* some have functions of their own by that: their copies */

static bool in_main_file(int i) { /* the first marker names it */
    const char *name = strchr(text, '"');
    struct place at = place_of(i);
    return name && strncmp(name + 1, at.name, (size_t)at.name_length) == 0 &&
           name[1 + at.name_length] == '"';
}

/* Is a struct nothing but numbers and pointers, not all of them of 4 bytes? Where there are unions,
 * or when it is declared in a header that C files may include, it must stay as it is. */
static bool is_mixed(int open) {
    static const char words[] =
        "float int unsigned signed char short long double bool const * , ; ";
    static const char fours[] = "float int unsigned signed const , ; ";
    bool others = false;
    for (int i = open + 1; i < tokens[open].match; i++) {
        bool is_declared = is_one_of(i + 1, ", ; ") && is_name(i) && !is_one_of(i, words);
        if (!is_one_of(i, words) && !is_declared)
            return false;
        others |= !is_one_of(i, fours) && !is_declared;
    }
    for (int i = 0; i < token_count; i++)
        if (tokens[i].origin == OF_USER && is(i, "union"))
            return false;
    return others && in_main_file(open);
}

/* nvcc moves a struct member by member, but as a whole if it has an alignment of its own, like the
 * vector types (vector_types.h has both of these members). What gcc does with words of 4 bytes is
 * known: trace.c, range(). */
static void trace_struct(int start, int open) {
    int close = tokens[open].match;
    if (tokens[open].origin == OF_SYSTEM || has_word(start, open, "union") ||
        has_word(open, close, "cpu_device_whole"))
        return;
    if (has_word(start, open, "__align__") || has_word(start, open, "alignas") ||
        has_word(start, open, "aligned") || has_word(start, open, "__aligned__"))
        append(&tokens[close].before, " __extension__ volatile char cpu_device_whole[0];");
    else if (has_word(start, open, "struct") && !has_word(start, open, ":") && is_mixed(open))
        append(&tokens[close].before, " __extension__ ::cpu_device_apart cpu_apart[0];"),
            structs_apart = true;
}

static const char *quoted(const char *s) {
    char *q = grow(NULL, 2 * strlen(s) + 3), *p = q;
    *p++ = '"';
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            *p++ = '\\';
        *p++ = *s;
    }
    memcpy(p, "\"", 2);
    return q;
}
/* `"file", line`; a line marker's name is a string already. */
static const char *quoted_place(int i) {
    struct place at = place_of(i);
    return format("\"%.*s\", %ld", at.name_length, at.name, at.line);
}

/* What tells the runtime something before main(), to stand where a declaration may. */
static const char *note(const char *call, enum scope scope) {
    int n = notes++;
    if (scope == BLOCK) /* a local type, so that each instance of a template has its own */
        return format(" struct cpu_note_%d { static void tell() { %s; } };"
                      " (void)&::cpu_device::note<cpu_note_%d>::entry;",
                      n, call, n);
    return format(" static void cpu_note_%d() { %s; } static const ::cpu_device::note_entry "
                  "cpu_note_entry_%d __attribute__((unused))(cpu_note_%d);",
                  n, call, n, n);
}

/* Kind: "shared", "dynamic", "device", "constant" or "managed". */
static void trace_variables(const struct declaration *d, const char *kind, enum scope scope) {
    const char *after = "", *function = "";
    if (inside >= 0)
        function = join(bodies[inside].name, bodies[inside].name);
    for (int i = d->end, name = d->name; i < token_count; name = i++) {
        while (i < token_count && !is_one_of(i, ", ; "))
            i = opens(i) ? tokens[i].match + 1 : i + 1;
        const char *text_of = join(name, name);
        int dimensions = 0;
        for (int k = name + 1; is(k, "[") && opens(k); k = tokens[k].match + 1)
            dimensions++;
        const char *address = format("(const void *)&%s, sizeof %s", text_of, text_of);
        if (strcmp(kind, "dynamic") == 0)
            address = "0, 0, 0, 0";
        else if (dimensions == 2)
            address = format("%s, sizeof %s[0], sizeof %s[0][0]", address, text_of, text_of);
        else
            address = format("%s, 0, 0", address);
        const char *call = format("::cpu_device_trace_variable(\"%s\", \"%s\", %s, \"%s\", %s)",
                                  kind, text_of, address, function, quoted_place(name));
        const char *gap = "";
        bool is_shared = strcmp(kind, "shared") == 0;
        bool has_gap = is_shared || (strcmp(kind, "constant") == 0 && !d->constant &&
                                     !has_word(d->start, d->end, "constexpr"));
        if (has_gap && is(i, ","))
            append(&tokens[i].before,
                   format(", cpu_gap_%d[%d] __attribute__((used))", notes, GAP_BYTES / 4));
        else if (has_gap)
            gap = format(" static %s char cpu_gap_%d[%d] __attribute__((used%s));",
                         is_shared ? "thread_local" : "", notes, GAP_BYTES,
                         is_shared ? "" : ", section(\"cpu_constant_data\")");
        after = format("%s%s%s", after, gap, note(call, scope));
        if (!is(i, ",")) {
            append(&tokens[i].after, after);
            return;
        }
        for (i++; is_one_of(i, "* & ( const volatile __restrict__ "); i++)
            ;
    }
}

static const char allocating[] = "cudaMalloc cudaMallocManaged cudaMallocHost cudaHostAlloc "
                                 "cudaMallocPitch cudaMalloc3D cudaMallocAsync cudaHostRegister ";

static int allocation_open(int i) { /* the `(` of the call; -1: token i begins no such call */
    if (!is_name(i) || tokens[i].origin != OF_USER || !is_one_of(i, allocating))
        return -1;
    int open = is(i + 1, "<") ? angle_close(i + 1) + 1 : i + 1;
    return is(open, "(") && opens(open) && !is(open + 1, ")") ? open : -1;
}

/* A call, not a declaration, and not that of a member or of another namespace. */
static bool is_allocation(int i, enum scope scope) {
    if (allocation_open(i) < 0)
        return false;
    int before = is(i - 1, "::") ? i - 2 : i - 1;
    if (is_name(before))
        return is_one_of(before, "return else do and or not xor throw case co_return co_await ");
    if (is_one_of(before, ". -> ") || (is(before, ">") && is(i - 1, "::")))
        return false;
    return scope == BLOCK || !is_one_of(before, "; { } ) * & > ");
}

/* Is the pointer one that the function hands on, so that its name tells nothing? It came in
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

static void trace_allocation(int i) {
    int open = allocation_open(i), first = open + 1, last = first;
    while (last < tokens[open].match && !is(last, ",")) {
        if (is(last, "<") && is_name(last - 1) && angle_close(last) > 0)
            last = angle_close(last);
        last = opens(last) ? tokens[last].match + 1 : last + 1;
    }
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

/* ---- Tracing: which kernels have no loops ------------------------------------------------- */

/* In a kernel without loops no jump leads back, and the tracer need not follow the jumps. Unless
 * that is certain of a kernel and all that it calls, it counts as one with loops. */

static bool of_library(const struct body *b) {
    return strncmp(b->scope, "::std", 5) == 0 || strncmp(b->scope, "::__", 4) == 0;
}

/* What else may be called: the user's variables outside of functions. */
struct variable {
    int name;
    enum scope scope;
};
static struct variable *variables;
static int variable_count;

static void record_variables(int start, int end, enum scope scope) {
    static const char none[] = "bool char short int long float double signed unsigned size_t "
                               "struct class union enum namespace ";
    struct declaration d = parse_declaration(start);
    if (d.function || d.name < 0 || d.end > end || has_word(start, d.name, "typedef") ||
        is(start, "using") || is_one_of(d.name - 1, none))
        return;
    for (int i = d.name; i < end; i++) {
        variables = grow(variables, ((size_t)variable_count + 1) * sizeof *variables);
        variables[variable_count++] = (struct variable){i, scope};
        while (i < end && !is(i, ","))
            i = opens(i) ? tokens[i].match + 1 : i + 1;
        while (is_one_of(i + 1, "* & ( const "))
            i++;
    }
}

/* Functions that are declared, perhaps not defined, to be called in kernels. */
struct prototype {
    int name;
    const char *signature;
};
static struct prototype *prototypes;
static int prototype_count;

/* What tells overloads apart, also of operators. */
static const char *signature(int name) {
    int open = name + 1;
    if (is(name, "operator") && is(open, "("))
        open = tokens[open].match + 1;
    while (open < token_count && !is_one_of(open, "( ; { } "))
        open = is(open, "<") && angle_close(open) > 0 ? angle_close(open) + 1 : open + 1;
    bool defaults = false;
    const char *names;
    return format("%s %s", is(name, "operator") ? join(name, open - 1) : "",
                  parameter_types(open, tokens[open].match, &defaults, &names));
}

static void record_prototype(const struct declaration *d) {
    if (tokens[d->start].origin != OF_USER)
        return;
    prototypes = grow(prototypes, ((size_t)prototype_count + 1) * sizeof *prototypes);
    prototypes[prototype_count++] = (struct prototype){d->name, signature(d->name)};
}

static bool defines(const struct body *b, const struct prototype *p) {
    return same_text(b->name, p->name) && strcmp(signature(b->name), p->signature) == 0;
}

static bool has_body(const struct prototype *p) {
    int i = 0;
    while (i < body_count && !defines(&bodies[i], p))
        i++;
    return i < body_count;
}

/* Is it the host's alone? Its definition need not repeat what its declaration says. */
static bool of_host(const struct body *b) {
    if (tokens[b->name].origin != OF_USER || has_word(b->start, b->open, "__device__") ||
        has_word(b->start, b->open, "constexpr"))
        return false;
    for (int i = 0; i < prototype_count; i++)
        if (defines(b, &prototypes[i]))
            return false;
    return true;
}

/* Does token i declare a variable: is there a type before it, and what follows a declarator? */
static bool declares_variable(int i) {
    static const char words_before[] =
        "return else do case goto throw new delete struct class union enum typename using operator "
        "sizeof and or not co_return co_await ";
    int before = i - 1;
    if (is_name(before))
        return !is_one_of(before, words_before) && is_one_of(i + 1, ", ) = ; [ { : > ( ");
    if (is(i + 1, "(")) { /* of a class, with what its constructor takes? */
        while (is_one_of(before, "* & && "))
            before--;
        if (is(before, ">"))
            return is_name(angle_open(before) - 1);
        return before < i - 1 && is_name(before) && is_one_of(before - 1, "; { } const ");
    }
    return is_one_of(before, "* & && > ... , [ ") && is_one_of(i + 1, ", ) = ; [ { : > ");
}

/* Does a name stand for a member of an object? */
static bool of_object(int name) {
    return is_one_of(is(name - 1, "template") ? name - 2 : name - 1, ". -> ");
}

/* May a call in a function's body be that of a variable: of a lambda or through a pointer? */
static bool calls_variable(const struct body *b, int name) {
    bool object = of_object(name), qualified = is(name - 1, "::");
    for (int i = b->start; i < tokens[b->open].match && !object && !qualified; i++)
        if (i != b->name && same_text(i, name) && !is_one_of(i - 1, ". -> :: ") &&
            declares_variable(i))
            return true;
    for (int i = 0; i < variable_count; i++)
        if (same_text(variables[i].name, name) &&
            (variables[i].scope == NAMESPACE ? !object : object || qualified || b->member))
            return true;
    return false;
}

/* May a call in a kernel, or in what it calls, be that of this function? */
static bool may_call(int name, const struct body *b) {
    return same_text(b->name, name) && !b->kernel && (b->member || !of_object(name)) && !of_host(b);
}

static bool straight(struct body *b);

static bool straight_call(const struct body *caller, int name) {
    static const char types[] = "void bool char short int long float double signed unsigned ";
    static const char others[] = "if switch return sizeof alignof noexcept static_assert typeid "
                                 "asm __asm__ __asm ";
    if (is_one_of(name, types) || is_one_of(name, others) || is_one_of(name, attributes) ||
        is_one_of(name, "static_cast reinterpret_cast const_cast ") ||
        (tokens[name].length > 10 && !strncmp(text + tokens[name].start, "__builtin_", 10)))
        return true;
    bool defined = false, declared = false;
    if (calls_variable(caller, name))
        return false;
    for (int i = 0; i < body_count; i++) {
        if (!may_call(name, &bodies[i]))
            continue;
        if (of_library(&bodies[i]) && !using_directives && !is(name - 1, "::"))
            continue; /* std::min is not min */
        if (!straight(&bodies[i]))
            return false;
        defined = true;
    }
    /* What only a header declares is compiled elsewhere, without tracing. */
    for (int i = 0; i < function_count && !of_object(name); i++) {
        if (!same_text(functions[i].name, name))
            continue;
        if (!defined && tokens[functions[i].name].origin == OF_USER)
            return false;
        declared = true;
    }
    for (int i = 0; i < prototype_count && separate; i++)
        if (same_text(prototypes[i].name, name) && !has_body(&prototypes[i]))
            return false; /* another file may define this overload */
    return defined || declared;
}

/* (float)(...): the cast's parentheses hold nothing but words of types. */
static bool is_cast(int open) {
    int i = open + 1;
    while (is_one_of(i, "bool char short int long float double signed unsigned const void * ") ||
           is_one_of(i, "size_t int32_t uint32_t int64_t uint64_t "))
        i++;
    return i > open + 1 && i == tokens[open].match;
}

static bool template_parameter(const struct body *b, int name) {
    for (int i = b->start; i < b->name; i++)
        if (is_one_of(i, "typename class ") && same_text(i + 1, name))
            return true;
    return false;
}

static bool straight(struct body *b) {
    if (b->course != NOT_ASKED)
        return b->course == STRAIGHT; /* ASKED: it calls itself */
    if (tokens[b->name].origin != OF_USER) {
        /* What runs in loops of the CPU device is not recorded; the system stays as it is. */
        b->course = tokens[b->name].origin == OF_CPU_DEVICE ? STRAIGHT : LOOPING;
        return b->course == STRAIGHT;
    }
    b->course = ASKED;
    bool found = false;
    for (int i = b->parameters; i < tokens[b->open].match && !found; i++) {
        int open = is(i + 1, "<") && angle_close(i + 1) > 0 ? angle_close(i + 1) + 1 : i + 1;
        if (is_one_of(i, "for while do goto "))
            found = true;
        else if (is_name(i) && is(open, "("))
            found = !straight_call(b, i) && !template_parameter(b, i);
        else if (is(i, ")") && is(i + 1, "(")) /* a call through an expression? */
            found = !is_cast(tokens[i].match) &&
                    !is_one_of(tokens[i].match - 1, "if switch while sizeof __attribute__ ");
        else if (is(i, "]") && is(i + 1, "(")) /* or a lambda */
            found = is_name(tokens[i].match - 1) || is_one_of(tokens[i].match - 1, ") ] ");
    }
    b->course = found ? LOOPING : STRAIGHT;
    return !found;
}

/* gcc inlines a function into one with other attributes of sanitizers only if it must. */
static void force_inline(struct body *b) {
    int first = b->start;
    while ((is(first, "template") && is(first + 1, "<") && angle_close(first + 1) > 0) ||
           (is(first, "[") && is(first + 1, "[") && opens(first)))
        first = is(first, "[") ? tokens[first].match + 1 : angle_close(first + 1) + 1;
    bool stated = has_word(first, b->name, "inline") || has_word(first, b->name, "__inline__") ||
                  has_word(first, b->name, "__inline") || has_word(first, b->name, "constexpr") ||
                  b->of_class;
    if (b->inlined || has_word(first, b->open, "__forceinline__") ||
        has_word(first, b->open, "__noinline__") || has_word(first, b->open, "always_inline") ||
        has_word(first, b->open, "noinline"))
        return;
    b->inlined = true;
    if (!stated && separate && !has_word(first, b->name, "static"))
        return; /* another file may call it */
    /* A function of the host, too, is called by other files. */
    bool kept = !stated && first == b->start && has_word(first, b->name, "__host__") &&
                !has_word(first, b->name, "static");
    append(&tokens[first].before, format("%s__attribute__((always_inline%s)) ",
                                         stated ? "" : "inline ", kept ? ", used" : ""));
}

/* Marks what a function calls, and what that calls. */
static void force_calls_inline(const struct body *b) {
    for (int i = b->parameters; i < tokens[b->open].match; i++) {
        int open = is(i + 1, "<") && angle_close(i + 1) > 0 ? angle_close(i + 1) + 1 : i + 1;
        if (!is_name(i) || !is(open, "("))
            continue;
        for (int k = 0; k < body_count; k++)
            if (may_call(i, &bodies[k]) && straight(&bodies[k]) && !bodies[k].inlined) {
                force_inline(&bodies[k]);
                bodies[k].inlined = true;
                force_calls_inline(&bodies[k]);
            }
    }
}

/* True: that is all kernels. */
static bool mark_straight_kernels(void) {
    bool any = false, all = true;
    /* Constructors and operators need no name to be called: one with a loop spoils all. */
    for (int i = 0; i < body_count; i++) {
        struct body *b = &bodies[i];
        if (b->implicit && tokens[b->start].origin == OF_USER && !of_host(b) && !straight(b))
            return false;
    }
    for (int i = 0; i < body_count; i++)
        for (int k = bodies[i].start; k < bodies[i].name; k++)
            if (is(k, "__global__") && !straight(&bodies[i])) {
                all = false;
            } else if (is(k, "__global__")) {
                tokens[k].instead = format("%s %s ", tokens[k].instead, straight_attribute);
                force_calls_inline(&bodies[i]);
                any = true;
            }
    for (int i = 0; i < body_count && any; i++)
        if (bodies[i].implicit && tokens[bodies[i].start].origin != OF_SYSTEM &&
            !of_host(&bodies[i]))
            force_inline(&bodies[i]);
    return any && all;
}

/* Before the end of the text, in its last line. */
static void trace_end(void) {
    const char *main_file = strchr(text, '"'); /* the first marker names it */
    main_file = main_file ? main_file + 1 : "";
    const char *calls =
        format("::cpu_device_trace_text(\"%.*s\", \"%.*s\")", (int)strcspn(main_file, "\"\n"),
               main_file, own_headers ? (int)own_length - 1 : 0, own_headers ? own_headers : "");
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].body_end >= 0)
            calls = format("%s; ::cpu_device_trace_kernel(\"%s\", \"%s\")", calls,
                           join(kernels[i].name, kernels[i].name),
                           kernels[i].names ? kernels[i].names : "");
    append(&tokens[token_count - 1].before, note(calls, NAMESPACE));
    /* gcc makes a function part of another only if both follow the jumps, or neither. */
    if (*straight_attribute && !structs_apart && mark_straight_kernels())
        append(&tokens[token_count - 1].before, "\n// straight kernels\n");
}
