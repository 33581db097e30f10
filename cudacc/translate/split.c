/*
 * split.c: kernels whose threads run from barrier to barrier, without a stack for each.
 *
 *     s[threadIdx.x] = x;            for each thread: s[threadIdx.x] = x;
 *     __syncthreads();
 *     y = s[31 - threadIdx.x];       for each thread: y = s[31 - threadIdx.x];
 *
 * A function within kernel k does that for a block, where all of k's barriers stand where all
 * threads come or none: under conditions that are the same for all; the block's first thread calls
 * it. It gives the same results: in each part the threads run in order, as they do when each waits
 * on a stack of its own, or take turns in a loop (strides.c). Where that is not certain there is no
 * such function. Only atomic functions of one interval between barriers may come in another order,
 * which CUDA leaves open, too.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "split.h"
#include "uniform.h"
#include "waits.h"

/* Does a type need what the kernel itself declares? */
static bool names_own(int first, int end) {
    for (int i = first; i < end; i++) {
        if (is_one_of(i, "alignas __align__ ") || (is_use(i) && local_of(i) >= 0))
            return true;
        for (int s = 0; s < statement_count && is_name(i) && !is_one_of(i, number_types); s++)
            if (statements[s].kind == PLAIN && stands_outside(s) &&
                (has_word(statements[s].first, statements[s].last, join(i, i)) ||
                 is(statements[s].first + 1, "namespace")))
                return true;
    }
    return false;
}

/* Is the `,` at token i one between arguments? */
static bool in_call(int i, int first) {
    while (--i >= first && !(is_one_of(i, "( { [ ") && tokens[i].match > i))
        i = closes(i) ? tokens[i].match : i;
    return i >= first && is(i, "(") && (is_name(i - 1) || is(i - 1, ">")) &&
           !is_one_of(i - 1, "if ");
}

/* Is it a name from outside: of a type, of a constant, of a function that gets values alone and is
 * none of the user's? */
static bool is_pure(int i) {
    if (is_one_of(i - 1, ". ") || is_one_of(i, "threadIdx blockIdx blockDim gridDim "))
        return is_one_of(i - 2, "threadIdx blockIdx blockDim gridDim ") || !is(i - 1, ".");
    bool found = false;
    for (const struct function *f = NULL; is(i + 1, "(") && (f = function_named(i, false, f));) {
        int open = f->name + 1;
        if (tokens[open].origin == OF_USER || !opens(open) ||
            has_one_of(open, tokens[open].match, "* & "))
            return is_our(i);
        found = true;
    }
    return (found && !is_atomic(i) && !is_one_of(i - 1, ":: ")) || is_uniform(i, i);
}

/* May what stands there have an effect, or what it calls? A call of the user's around the warp
 * function comes after it. */
static bool may_have_effects(int first, int last, int call) {
    for (int i = first; i <= last; i++) {
        int k = is_use(i) ? local_of(i) : -1;
        bool around = is(i + 1, "(") && i < call && tokens[i + 1].match > call;
        if (is_one_of(i, "{ sizeof alignof noexcept "))
            return true;
        if (is_warp_function(i) || (is(i, ",") && in_call(i, first)) || (k < 0 && around))
            continue;
        if (is_one_of(i, "-> , ") || assigns(i) ||
            (is_name(i) &&
             (k < 0 ? !is_pure(i) : is(i + 1, "(") || !(is_plain(&locals[k]) || locals[k].array))))
            return true;
    }
    return false;
}

/* A warp function is done before all else in its statement: may that have to come first? What is
 * assigned comes before where to. */
static bool comes_second(int s) {
    int first = statements[s].open, call = statements[s].first, equals = first;
    int last = is(first, "if") ? call : statement_end(first, token_count - 1);
    first += is(first, "if") ? 2 + is(first + 1, "constexpr") : 0;
    while (equals < last && !assigns(equals))
        equals = opens(equals) ? tokens[equals].match + 1 : equals + 1;
    /* What its arguments change, a value before it must not be. */
    for (int i = call > equals ? equals + 1 : first; i < call; i++)
        if (is_name(i) && !is_number_word(i) && !is_warp_function(i) &&
            may_have_effects(call, tokens[call + 1].match, -1))
            return true;
    if (equals >= last)
        return may_have_effects(first, call - 1, call);
    equals += !is(equals, "=") && !is_one_of(equals, "<<= >>= ");
    return (call < equals && may_have_effects(first, call - 1, call)) ||
           may_have_effects(equals + 1, call < equals ? last : call - 1, call);
}

static const char *cannot_meet(int s) {
    int first, last;
    if (argument_of(statements[s].first, 3, &first, &last) && !is_uniform(first, last))
        return "a shuffle whose width may differ between threads";
    return comes_second(s) ? "a warp function beside what may have to be done first" : NULL;
}

/* A type that is declared in the kernel is no type of cpu_run()'s. */
static bool has_own_type(const struct local *l) {
    return l->statement >= 0 &&
           (names_own(l->base, type_end(l)) || names_own(l->declarator, l->name) ||
            names_own(l->name + 1, l->end));
}

static bool depends_on_threads(const struct local *l) {
    for (int i = l->initial; i >= 0 && i <= l->initial_end; i++)
        if (local_of(i) >= 0 && locals[local_of(i)].use > UNIFORM)
            return true;
    return false;
}

/* Of a KEPT variable: an element of it for each thread. */
static const char *cannot_keep(int k) {
    const struct local *l = &locals[k];
    for (int i = l->end; i <= l->scope_last; i++)
        if (is(i, "case") && local_of(i + 1) == k)
            return "a constant of an unusual kind";
    if (l->reference)
        return "a reference is used after a barrier";
    if (l->automatic)
        return "a variable of type auto is used after a barrier";
    if (l->array && is(l->name + 1, "[") && is(l->name + 2, "]"))
        return "an array without a size is used after a barrier";
    if (l->initial >= 0 && tokens[l->initial].kind == TEXT && l->array)
        return "a text is used after a barrier";
    return has_own_type(l) ? "a type that is declared in the kernel is used after a barrier" : NULL;
}

static const char *cannot_declare(int k) {
    const struct local *l = &locals[k];
    bool unnamed = l->use == INSIDE && !l->reference && !is_plain(l);
    if ((unnamed && (l->automatic || has_own_type(l))) ||
        (is_ambiguous(l) && names_own(l->base, type_end(l))))
        return "a variable of a type that only the compiler knows";
    if (l->use == OUTSIDE && depends_on_threads(l))
        return "a constant that is found by what each thread has";
    return l->use == KEPT ? cannot_keep(k) : NULL;
}

static const char *cannot_write(int *because) {
    const char *why = NULL;
    for (int s = 0; s < statement_count && !why; s++) {
        *because = statements[s].first;
        why = statements[s].kind == WARP ? cannot_meet(s) : NULL;
    }
    for (int k = 0; k < local_count && !why; k++) {
        *because = locals[k].name;
        why = cannot_declare(k);
    }
    return why;
}

/* May one thread do it twice? Numbers may be declared, from others and from what is loaded. */
static bool may_be_repeated(int s) {
    const struct statement *t = &statements[s];
    for (int k = t->locals; k < t->locals + t->local_count; k++) {
        if (!is_plain(&locals[k]))
            return false;
        for (int i = locals[k].initial; i >= 0 && i <= locals[k].initial_end; i++) {
            int n = is_use(i) ? local_of(i) : -1;
            bool part = is(i - 1, ".") && is_one_of(i - 2, "threadIdx blockIdx blockDim gridDim ");
            if (is_name(i) && !part && !is(i, "threadIdx") &&
                !(n >= 0 ? is_plain(&locals[n]) && !is(i + 1, "(") : is_uniform(i, i)))
                return false;
            if (is(i, "[") ? !is(i - 1, "]") && local_of(i - 1) < 0
                           : is_one_of(i, "= { -> ") || shift(i, "+") || shift(i, "-"))
                return false;
        }
    }
    return t->local_count || stands_outside(s);
}

/* Both ways to run a kernel use the same __shared__ variables: it begins when these are known. */
static const char *find_begin(struct writer *w, int open, int *because) {
    bool repeated = true;
    int close = tokens[open].match;
    w->begin_after = open;
    for (int s = statements[0].inner; s >= 0; s = statements[s].next) {
        *because = statements[s].first;
        if (!declares_shared(s)) {
            repeated &= may_be_repeated(s);
            continue;
        }
        if (statements[s].kind != PLAIN || !statements[s].local_count)
            return "a __shared__ variable within braces";
        if (!repeated)
            return "a __shared__ variable after what is not done twice";
        w->begin_after = statements[s].last;
    }
    *because = close;
    return NULL;
}

/* One without cuts is split, into one part, where no access needs to be looked at for alignment. */
static const char *split(struct writer *w, const struct kernel *k, bool has_cuts, bool plain,
                         bool turns, int *because) {
    int open = tokens[k->body_end].match, parameters = k->name + 1;
    const char *why = NULL;
    if (!opens(parameters) || !is_one_of(k->name - 1, "void ) "))
        return "a kernel that is declared in an unusual way";
    if (waits_unnamed)
        return "the file has a lambda, an operator or a pointer in which threads may wait";
    begin_uses(k->template_header, open);
    int all = read_statements(parameters, open, turns ? has_stride : NULL, because, &why);
    if (all < 0)
        return why;
    if (!has_cuts && !keeps_alignment(parameters, open))
        return "addresses may be misaligned";
    if (!find_uniform(open, because))
        return "a barrier under a condition that may differ between threads";
    *because = k->name;
    if (!(plain ? has_plain_classes : has_numbers_alone)(parameters, tokens[open].match))
        return plain ? "a class of a library" : "the file has classes with a meaning of their own";
    find_regions();
    if ((why = cannot_write(because)) || (why = find_begin(w, open, because)))
        return why;
    w->returns = false;
    for (int s = 0; s < statement_count; s++) {
        w->returns |= statements[s].kind == PLAIN &&
                      has_word(statements[s].first, statements[s].last + 1, "return");
        has_cuts |= statements[s].strided; /* so there is more than one part */
    }
    w->index_is_kept = false;
    for (int i = open; i < tokens[open].match && has_cuts; i++)
        w->index_is_kept |= is(i, "threadIdx") && is_handed_on(i, i + 2 * is(i + 1, "."));
    put_function(w, k);
    return NULL;
}

void split_kernels(void) {
    find_waits();
    const bool plain = file_is_plain();
    const char *foreign = built_ins_are_ours() ? NULL : "a name of the language is declared";
    for (int i = 0; i < token_count; i++)
        if (tokens[i].origin == OF_SYSTEM && is(i, "__device__"))
            foreign = "which functions of a library wait is not known";
    for (int i = 0; i < kernel_count; i++) {
        struct kernel *k = &kernels[i];
        if (k->body_end < 0 || tokens[k->name].origin != OF_USER)
            continue;
        bool cuts = has_cut(tokens[k->body_end].match, k->body_end);
        int because = k->name;
        char *s;
        size_t length;
        struct writer w = {.way = -1, .statement = -1};
        w.out = open_memstream(&s, &length);
        const char *why = !w.out ? "no memory" : foreign;
        if (!why && (why = split(&w, k, cuts, plain, true, &because)))
            why = split(&w, k, cuts, plain, false, &because);
        if (why && cuts) {
            w.begin_after = tokens[k->body_end].match;
            fprintf(w.out, "\n// %s: not split, line %ld: %s", join(k->name, k->name),
                    place_of(because).line, why);
        }
        put_line(&w, w.begin_after, "");
        fclose(w.out);
        if (!why || cuts)
            append(&tokens[w.begin_after].after, s);
        k->split = !why;
        if (k->split) /* it is seldom called for each thread: once is enough */
            append(&tokens[k->name - 1].after, " __attribute__((noinline))");
    }
}
