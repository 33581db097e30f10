/*
 * uses.c: what the text of a kernel does with a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "uses.h"

const char number_words[] = "bool char short int long float double signed unsigned ";

const char *proofs = "";

void prove(const char *claim) {
    char *more = format(" && %s", claim);
    if (!strstr(proofs, more))
        proofs = format("%s%s", proofs, more);
}

bool is_literal(int i) {
    return tokens[i].kind == NUMBER &&
           strspn(text + tokens[i].start, "0123456789abcdefABCDEFxXuUlLpP.+-'") >= tokens[i].length;
}
bool is_number_word(int i) { return is_one_of(i, number_words) || is(i, "const"); }

bool is_plain(const struct local *l) {
    if (l->automatic || l->reference)
        return false;
    for (int i = l->base; i < type_end(l) && !l->pointer; i++)
        if (!is_one_of(i, number_types) &&
            !is_one_of(i, "const constexpr extern __shared__ static "))
            return false;
    return true;
}

bool assigns(int i) {
    if (is(i, "=") || is_one_of(i, "<<= >>= "))
        return true;
    return is_one_of(i, "+ - * / % & | ^ ") && !tokens[i + 1].spaced &&
           (is(i + 1, "=") || ((is(i, "+") || is(i, "-")) && same_text(i, i + 1)));
}

static int header = -1; /* of the kernel's template parameters, their `<` */

static int body; /* its `{` */

void begin_uses(int template_header, int open) {
    header = template_header;
    body = open;
    proofs = "";
}

bool is_declared_within(int type) {
    for (int k = body; k < tokens[body].match; k++)
        if (same_text(k, type) &&
            (is_one_of(k - 1, "using struct class union enum ") || is(start_of(k), "typedef")))
            return true;
    return false;
}

bool is_binary(int i) {
    if (tokens[i - 1].kind == PUNCTUATION ? !is_one_of(i - 1, ") ] ")
                                          : is_one_of(i - 1, "return else do case "))
        return false;
    int open = tokens[i - 1].match;
    if (!is(i - 1, ")") || (is_name(open - 1) && !is_one_of(open - 1, "return else do case ")))
        return !is(i - 1, ")") || !is_control(i - 1);
    for (int k = open + 1; k < i - 1; k++)
        if (tokens[k].kind == NUMBER || (local_of(k) >= 0 && !is_name(k - 1)) ||
            is_one_of(k, "+ - / % . "))
            return true;
        else if (is_one_of(k, "[ < "))
            k = past(k) - 1;
    return is(open - 1, ">") && angle_open(open - 1) > 0 &&
           is(angle_open(open - 1) - 1, "static_cast");
}

bool is_template_type(int i) {
    for (int k = header + 1; header >= 0 && k < angle_close(header); k++)
        if (same_text(k, i) && is_one_of(k - 1, "class typename "))
            return true;
    return false;
}

bool is_scalar(const struct local *l) {
    return !l->array && !l->reference && !l->memory &&
           (l->plain_type || l->pointer ||
            (is_template_type(l->base) && l->base + 1 == l->declarator));
}

/* ---- What the user's text declares --------------------------------------------------------- */

/* May the name before token i make it the name of a declaration? */
static bool declares(int i) {
    if (is_name(i - 1))
        return !is_one_of(i - 1, "return else do case goto new delete throw sizeof ");
    int k = i - 1;
    while (is(k, "::") || (is_name(k) && k < i - 1))
        k--;
    return is(i - 1, "::") && is(k + (is_name(k) ? 0 : 1), "using");
}

bool is_our(int i) {
    for (int k = 0; k < token_count; k++)
        if (tokens[k].origin == OF_USER && same_text(k, i) && !is_one_of(k - 1, ". -> ") &&
            (declares(k) || !is(k + 1, "(") || is_one_of(k - 1, "& * > ")))
            return false;
    return is_one_of(i, "min max ") && !is_one_of(i - 1, ". -> :: ");
}

bool built_ins_are_ours(void) {
    for (int i = 0; i < token_count; i++) {
        if (tokens[i].origin != OF_USER || is_one_of(i - 1, ". -> ") ||
            !is_one_of(i, "threadIdx blockIdx blockDim gridDim warpSize "))
            continue;
        int before = i - 1 - is(i - 1, "&");
        bool used = is(i, "warpSize") ? !is_one_of(i + 1, "= { ( [ ")
                                      : is(i + 1, ".") || is_one_of(before, "( , = { return ");
        if (declares(i) || is(i - 1, "::") || !used)
            return false;
    }
    return true;
}

/* Does a declaration of that name say so, wherever it stands? */
bool is_declared(int name, const char *words) {
    for (int i = 0; i < token_count; i++) {
        if (tokens[i].origin != OF_USER || !same_text(i, name) || is_one_of(i - 1, ". -> "))
            continue;
        for (int k = i; k > 0 && !is_one_of(k, "; { } ( "); k--)
            if (is_one_of(k, words))
                return true;
    }
    return false;
}

bool is_member_chain(int i, int *end) {
    for (*end = i; is(*end + 1, ".") && is_name(*end + 2); *end += 2)
        if (is_declared(*end + 2, "static "))
            return false;
    int close = is(*end + 1, "<") ? angle_close(*end + 1) : -1;
    return *end > i && !is(close < 0 ? *end + 1 : close + 1, "("); /* a function */
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* Are the parameters of a function, from its `(`, numbers and pointers? Ours: no references. */
static bool are_values(int open) {
    for (int i = open + 1; i < tokens[open].match; i++)
        if (tokens[i].origin == OF_CPU_DEVICE ? is_one_of(i, "& && ... ")
            : is_name(i)
                ? !is_one_of(i, number_types) && !is_one_of(i, "const void __restrict__ ") &&
                      !is_one_of(i - 1, number_types) && !is(i - 1, "*") && !is(i + 1, "*")
                : !is_one_of(i, "* , "))
            return false;
        else if (is_one_of(i, number_types) && !is_number_word(i) && tokens[i].origin == OF_USER)
            prove(format("::cpu_device::is_type<%s, true>()", join(i, i)));
    return true;
}

/* Does the function that is called at the `(` get values alone, whichever it is? */
static bool takes_values(int open) {
    int name = open - 1;
    bool found = false;
    if (is(name, ">") && angle_open(name) > 0)
        name = angle_open(name) - 1;
    if (!is_name(name) || local_of(name) >= 0 || is_one_of(name - 1, ". -> ") || is_method(name) ||
        declares(name) ||
        (is_one_of(name - 1, "& && ") &&
         (is(name - 2, ">") || (is_name(name - 2) && local_of(name - 2) < 0)))) /* T &name(v); */
        return false;
    for (const struct function *f = NULL; (f = function_named(name, false, f));)
        if (opens(f->name + 1)) {
            found = true;
            if (!are_values(f->name + 1))
                return false;
        }
    for (int k = 0; k < token_count && found; k++) /* an object that is called? */
        found = tokens[k].origin != OF_USER || !same_text(k, name) || is_one_of(k + 1, "( < ");
    return found;
}

/* ---- Uses ---------------------------------------------------------------------------------- */

static const char operators[] = "+ - * / % < > & | ^ == != <= >= && || ";

/* Does a cast to a number end at the `)` of token i? */
static bool is_number_cast(int i) {
    for (int k = tokens[i].match + 1; k < i; k++)
        if (!is_one_of(k, number_types) && !is_one_of(k, "const * "))
            return false;
    return true;
}

static enum what of_expression(int first, int last);

/* Is what a variable begins with, or gets, its value, and no reference's object? */
static bool is_value_of(int equals) {
    bool compound = is(equals, "=") && is_one_of(equals - 1, operators) && !tokens[equals].spaced;
    int k = equals - 1 - compound;
    while (is(k, "]") && closes(k))
        k = tokens[k].match - 1;
    if (!is_name(k) || is_one_of(k - 1, "& && "))
        return false;
    int start = k;
    while (start > 0 && !is_one_of(start - 1, "; { } : else do ") && !opens(start - 1) &&
           !(is(start - 1, ")") && is_control(start - 1)))
        start = closes(start - 1) ? tokens[start - 1].match : start - 1;
    while (is_one_of(start, "const constexpr static volatile register "))
        start++;
    if (start == k || !is_name(start) || is_one_of(start, number_types) || is(start, "auto") ||
        is(k - 1, "*"))
        return true;
    int end = start + is(start, "typename"); /* `T v = x`: may T be a reference? */
    while (is(end + 1, "::") && is_name(end + 2))
        end += 2;
    if (!is_name(end + 1))
        return !is_one_of(end + 1, "* < ( :: ");
    if (is_one_of(start, "struct class union enum ") || is_declared_within(start))
        return false;
    prove(format("!::std::is_reference<%s>::value", join(start, end)));
    return true;
}

/* An argument, or a part of a list, which the `(` or `{` begins. */
static enum what of_argument(int open) {
    for (int n = 0; n < local_count; n++)
        if (locals[n].initial == open)
            return is_plain(&locals[n]) ? READS : HANDS_ON;
    if (!is(open, "("))
        return HANDS_ON;
    if (is_our(open - 1))
        return of_expression(open - 1, tokens[open].match);
    if (is_one_of(open - 1, number_words) || is_one_of(open - 1, "sizeof "))
        return READS;
    if (is(open - 1, ">") && angle_open(open - 1) > 0 &&
        is(angle_open(open - 1) - 1, "static_cast")) {
        for (int i = angle_open(open - 1) + 1; i < open - 1; i++)
            if (!is_number_word(i) && !is(i, "*"))
                return HANDS_ON;
        return READS;
    }
    return takes_values(open) ? READS : HANDS_ON;
}

/* To the left, as far as the token before is not one of those. */
static int left_to(int first, const char *ends) {
    while (!is_one_of(first - 1, ends) && first > 0)
        first = closes(first - 1) ? tokens[first - 1].match : first - 1;
    return first;
}

static enum what of_choice(int first, int last) {
    first = left_to(first, "( [ { , ; = return ");
    return is_one_of(first - 1, "; { ")
               ? HANDS_ON
               : of_expression(first, find(last + 1, token_count, ") ] } , ; ") - 1);
}

/* `++`, `--` and assignments change it, if nothing uses what they give. */
static bool is_changed(int first, int last, enum what *what) {
    int before = first - 1, next = last + 1;
    if (is_one_of(before, "+ - ") && same_text(before - 1, before) && !tokens[before].spaced)
        *what = begins_statement(before - 1) && is_one_of(next, "; ) ") ? CHANGES : HANDS_ON;
    else if (assigns(next))
        *what = begins_statement(first) ? CHANGES : HANDS_ON;
    else
        return false;
    return true;
}

/* `&x`, and `(T)&x`, perhaps; not `a & x`. */
static bool takes_address(int before) {
    return is(before, "&") &&
           (is(before - 1, ")") ||
            (!is_name(before - 1) && tokens[before - 1].kind != NUMBER && !is(before - 1, "]")));
}

static enum what of_bracketed(int first, int last) {
    int before = first - 1, next = last + 1;
    if (is(before, "(") && is(next, ")") && is_control(next))
        return READS;
    if (is(before, "(") && is(next, ")") && !is_name(before - 1) &&
        !is_one_of(before - 1, "> ) ] } "))
        return of_expression(before, next);
    if (is_one_of(before, "( { , ") && is_one_of(next, ", ) } "))
        return of_argument(left_to(first, "( [ { ; ") - 1);
    return is_one_of(before, "; { } ") && is(next, ";") ? READS : HANDS_ON;
}

/* What becomes of the variable, or of its value, for which these tokens stand? */
static enum what of_expression(int first, int last) {
    int before = first - 1, next = last + 1;
    enum what what;
    if (is_changed(first, last, &what))
        return what;
    if (takes_address(before))
        return HANDS_ON;
    if (is(before, ")") && !is_control(before))
        return is_number_cast(before) ? READS : HANDS_ON;
    if (is_one_of(next, operators) || is_one_of(before, operators) || is_one_of(before, "! ~ ") ||
        is(next, "?"))
        return READS;
    if (is_one_of(before, "? : ") || is(next, ":"))
        return of_choice(first, last);
    if (is(before, "[") && is(next, "]"))
        return READS;
    if (is_one_of(before, "= <<= >>= ") && is_one_of(next, "; , ) "))
        return is_value_of(before) ? READS : HANDS_ON;
    return of_bracketed(first, last);
}

enum what use_of(int i) {
    const struct local *l = &locals[local_of(i)];
    int last = i;
    if (l->array) {
        int dimensions = 0;
        for (int k = l->name + 1; k < l->end; k = tokens[k].match + 1)
            dimensions++;
        for (; dimensions > 0 && is(last + 1, "[") && opens(last + 1); dimensions--)
            last = tokens[last + 1].match;
        if (dimensions > 0)
            return HANDS_ON;
        if (l->pointer && is_one_of(last + 1, "[ -> "))
            return READS;
    } else if (l->pointer) {
        if (is_one_of(i + 1, "[ -> "))
            return READS;
    } else if (!is_scalar(l) && !l->reference) {
        if (!is_member_chain(i, &last))
            return HANDS_ON;
        const char *indices = "", *name = join(i, last);
        if (is(last + 1, "["))
            prove(format("::cpu_device::has_elements<decltype(%s)>", name));
        for (; is(last + 1, "[") && opens(last + 1); last = tokens[last + 1].match)
            indices = format("%s[0]", indices);
        prove(format("::cpu_device::is_number<typename ::std::%s<decltype(%s%s)>::type>",
                     *indices ? "remove_reference" : "remove_cv", name, indices));
    }
    return of_expression(i, last);
}

bool is_handed_on(int first, int last) { return of_expression(first, last) == HANDS_ON; }
