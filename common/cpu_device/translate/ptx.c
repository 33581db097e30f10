/*
 * ptx.c: see ptx.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "ptx.h"
#include <ctype.h>
#include <stdlib.h>

enum { MOST = 8 };

struct assembly {
    int close;        /* `)` */
    const char *text; /* of the instructions */
    const char *operands[MOST];
    int outputs, count;
};

/* What the strings from token *i on say together, escapes as spaces. */
static const char *strings(int *i) {
    char *all = format("%s", "");
    for (; tokens[*i].kind == TEXT; ++*i) {
        const char *s = join(*i, *i);
        all = format("%s%.*s", all, (int)strlen(s) - 2, s + 1);
    }
    for (char *p = all; *p; p++)
        if (*p == '\\' && p[1])
            p[0] = p[1] = ' ';
    return all;
}

/* "r"(x) at token *i; a pointer is a number there. */
static bool parse_operand(struct assembly *a, int *i) {
    const char *constraint = strings(i), *letter = constraint + strspn(constraint, "=+");
    const char *must = *letter == 'f' ? "f32" : *letter == 'd' ? "f64" : "";
    if (!is(*i, "(") || !opens(*i) || strlen(letter) != 1 || !strchr("rlfdn", *letter) ||
        !strstr(a->text, must) || a->count == MOST)
        return false;
    const char *value = join(*i, tokens[*i].match);
    bool number = *letter == 'l' && letter == constraint;
    a->operands[a->count++] = number ? format("(unsigned long long)%s", value) : value;
    *i = tokens[*i].match + 1;
    return true;
}

static bool parse_assembly(struct assembly *a, int open) {
    int i = open + 1, section = 0;
    *a = (struct assembly){.close = tokens[open].match};
    a->text = strings(&i);
    while (i < a->close && section < 3) {
        if (is_one_of(i, ": :: "))
            section += is(i++, "::") ? 2 : 1;
        else if (is(i, ","))
            i++;
        else if (parse_operand(a, &i))
            a->outputs += section == 1;
        else
            return false;
    }
    return true;
}

/* The function's name: all that comes before the operands. NULL: there is none. */
static const char *function_of(const char **s) {
    char *name = format("ptx_%s", *s + strspn(*s, " ")), *end = name + 4;
    for (; *end && !strchr("%[;", *end); end++)
        if (!isalnum((unsigned char)*end))
            *end = '_';
    *s += strspn(*s, " ") + (size_t)(end - name) - 4;
    while (end[-1] == '_')
        end--;
    *end = '\0';
    for (int i = 0; i < function_count; i++)
        if (is(functions[i].name, name))
            return tokens[functions[i].name].origin == OF_CPU_DEVICE ? name : NULL;
    return NULL;
}

/* `%1`, `[%1]`, a number, or a register of the thread's as `%%laneid` or `%tid.x`. */
static const char *operand_of(const struct assembly *a, const char *s) {
    bool address = *s == '[';
    s += address;
    size_t length = strcspn(s, " ,;]");
    if (*s != '%')
        return !address && strspn(s, "-+0123456789abcdefxABCDEFXuU") == length
                   ? format("%.*s", (int)length, s)
                   : NULL;
    s += strspn(s, "%");
    if (isdigit((unsigned char)*s))
        return atoi(s) < a->count ? a->operands[atoi(s)] : NULL;
    const char *name = format("%.*s", (int)strcspn(s, " ,;"), s);
    const char *call = function_of(&name);
    return call ? format("::cpu_device::%s()", call) : NULL;
}

static const char *call_of(const struct assembly *a) {
    const char *s = a->text, *function = function_of(&s), *result = NULL, *arguments = "";
    for (int i = 0; function && *s && *s != ';'; i++) {
        const char *operand = operand_of(a, s);
        if (!operand || (i == 0 && a->outputs && operand != a->operands[0]))
            return NULL;
        if (i == 0 && a->outputs)
            result = operand;
        else
            arguments = format("%s%s%s", arguments, *arguments ? ", " : "", operand);
        s += strcspn(s, ",;");
        s += strspn(s, ", ");
    }
    if (!function || a->outputs > 1 || a->outputs != (result != NULL) ||
        strspn(s, "; ") < strlen(s))
        return NULL;
    return format("%s%s::cpu_device::%s(%s)", result ? result : "", result ? " = " : "", function,
                  arguments);
}

void rewrite_ptx(void) {
    for (int i = 0; i < token_count; i++) {
        struct assembly a;
        int open = i + 1;
        if (!is_one_of(i, "asm __asm__ __asm ") || tokens[i].origin != OF_USER)
            continue;
        while (is_one_of(open, "volatile __volatile__ "))
            open++;
        if (!is(open, "(") || !opens(open) || !parse_assembly(&a, open))
            continue;
        const char *call = call_of(&a);
        if (!call)
            continue;
        drop(i, a.close);
        tokens[i].instead = call;
    }
}
