/*
 * rewrite_ptx.c: PTX, `asm("add.u32 %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c))`, calls for each
 * instruction the function that extra/include/cpu_device/ptx.h has for it: a = ptx_add_u32(b, c).
 *
 * SPDX-License-Identifier: MIT
 */
#include "extra/translate/rewrite_ptx.h"
#include "translate/functions.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

struct assembly {
    int close;        /* `)` */
    const char *text; /* the instructions */
    char letters[MOST];
    int count;
    const char *code; /* what becomes of it */
};

/* What the strings from token *i on say together, escapes as spaces. */
static char *strings(int *i) {
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

/* "r"(x) at token *i: computed once; a pointer is a number there. */
static bool parse_operand(struct assembly *a, int *i, bool output) {
    const char *constraint = strings(i), *letter = constraint + strspn(constraint, "=+&");
    if (output != (letter > constraint) || !is(*i, "(") || !opens(*i) || strlen(letter) != 1 ||
        !strchr("hrlfdn", *letter) || a->count == MOST)
        return false;
    append(&a->code, format("auto %scpu_ptx_%d __attribute__((unused)) = %s%s; ", output ? "&" : "",
                            a->count, *letter == 'l' && !output ? "(unsigned long long)" : "",
                            join(*i, tokens[*i].match)));
    a->letters[a->count++] = *letter;
    *i = tokens[*i].match + 1;
    return true;
}

static bool parse_operands(struct assembly *a, int i) {
    for (int section = 0; i < a->close && section < 3;)
        if (is_one_of(i, ": :: "))
            section += is(i++, "::") ? 2 : 1;
        else if (is(i, ","))
            i++;
        else if (!parse_operand(a, &i, section == 1))
            return false;
    return true;
}

/* The function of an instruction or a register: its token; -1: there is none. */
static int function_of(const char *s, size_t length) {
    char *name = format("ptx_%.*s", (int)length, s);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    for (int i = 0; i < function_count; i++)
        if (is(functions[i].name, name))
            return tokens[functions[i].name].origin == OF_CPU_DEVICE ? functions[i].name : -1;
    return -1;
}

/* `%1`, `[%1]`, a number, a register of the text's, or the thread's as `%%laneid` or `%tid.x`. */
static const char *operand_of(const struct assembly *a, const char *s, size_t length,
                              const char *instruction) {
    if (length > 2 && *s == '[' && s[length - 1] == ']')
        s++, length -= 2;
    size_t percent = strspn(s, "%");
    const char *name = format("%.*s", (int)(length - percent), s + percent);
    if (!percent && strspn(name, "-0123456789abcdefxABCDEFXuU") == length && !isalpha(*name) &&
        !strchr("dDfF", name[1] ? name[1] : ' ')) /* 0f3f800000: the bits of a float */
        return name;
    if (percent && isdigit((unsigned char)*name)) {
        char letter = atoi(name) < a->count ? a->letters[atoi(name)] : '\0';
        const char *must = letter == 'f' ? "f32" : letter == 'd' ? "f64" : "";
        const char *bits = letter == 'f' ? ".b32" : ".b64";
        bool fits = letter && (strstr(instruction, must) || strstr(instruction, bits));
        return fits ? format("cpu_ptx_%s", name) : NULL;
    }
    if (strstr(a->code, format(" cpu_ptx_%s;", name)))
        return format("cpu_ptx_%s", name);
    if (!percent)
        return NULL;
    int function = function_of(name, strlen(name));
    return function >= 0 ? format("::cpu_device::%s()", join(function, function)) : NULL;
}

/* `.u32` is unsigned; NULL: not a type that a register has here. */
static const char *type_of(const char *s) {
    static const char *const types[][2] = {
        {".pred", "bool"},          {".u8", "unsigned char"}, {".u16", "unsigned short"},
        {".u32", "unsigned"},       {".b32", "unsigned"},     {".u64", "unsigned long long"},
        {".s64", "long long"},      {".s32", "int"},          {".b64", "unsigned long long"},
        {".b16", "unsigned short"}, {".f32", "float"},        {".f64", "double"}};
    for (size_t i = 0; s && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i][0], s) == 0)
            return types[i][1];
    return NULL;
}

/* `.reg .u32 a, b` */
static bool declare(struct assembly *a, char *names) {
    static const char blank[] = " ,";
    strtok(names, blank);
    const char *name, *type = type_of(strtok(NULL, blank));
    while (type && (name = strtok(NULL, blank)))
        append(&a->code, format("%s cpu_ptx_%s; ", type, name + strspn(name, "%")));
    return type;
}

/* `ld.global.cg.v2.u32` is ptx_ld<unsigned>; volatile: what another thread may write, or wait for.
 * NULL: no load or store, or of other memory. */
static const char *access_of(const char *instruction) {
    static const char all[] =
        "volatile relaxed acquire release weak global gpu cta sys ca cg cs lu "
        "cv nc wb wt v2 v4 ";
    const char *type = type_of(strrchr(instruction, '.')), *how = "";
    if (!type || (strncmp(instruction, "ld.", 3) && strncmp(instruction, "st.", 3)))
        return NULL;
    char *words = format("%s", instruction + 3);
    for (char *word = strtok(words, "."); word; word = strtok(NULL, ".")) {
        const char *known = strstr(all, format("%s ", word));
        if (!known && !type_of(format(".%s", word)))
            return NULL;
        if (known && known < strstr(all, "weak"))
            how = "volatile ";
    }
    return format("ptx_%.2s<%s%s>", instruction, how, type);
}

/* From *s to the next comma: `%0`, `[%0]`, `r|p` or `{%0, %1}`, with commas as C++ has them. */
static const char *next_operand(const struct assembly *a, char **s, const char *instruction) {
    const char *all = "";
    char *word = *s, *end = word + strcspn(word, *word == '{' ? "}" : ",");
    if (*word == '{' && *end) {
        *word = *end = ' ';
        end += strspn(end, " ");
        if (*end && *end != ',')
            return NULL;
    }
    *s = end + (*end == ',');
    *s += strspn(*s, " ");
    *end = '\0';
    for (word = strtok(word, ",|"); word; word = strtok(NULL, ",|")) {
        word += strspn(word, " ");
        size_t length = strcspn(word, " "); /* %0 %1: a comma is missing */
        if (word[length + strspn(word + length, " ")])
            return NULL;
        const char *operand = operand_of(a, word, length, instruction);
        if (!operand)
            return NULL;
        all = format("%s%s%s", all, *all ? ", " : "", operand);
    }
    return *all ? all : NULL;
}

static bool add_instruction(struct assembly *a, char *s) {
    size_t length = strlen(s);
    while (length && s[length - 1] == ' ')
        s[--length] = '\0';
    if (strncmp(s, ".reg ", 5) == 0)
        return declare(a, s);
    if (*s == '@') { /* `@p`, `@!p` */
        bool not = s[1] == '!';
        char *name = s + 1 + not ;
        const char *guard = operand_of(a, name, strcspn(name, " "), "");
        s = name + strcspn(name, " ");
        if (!guard)
            return false;
        append(&a->code, format("if (%s%s) ", not ? "!" : "", guard));
        s += strspn(s, " ");
        length = strlen(s);
    }
    int whole = function_of(s, length); /* `bar.sync 0` */
    const char *instruction = format("%.*s", (int)strcspn(s, " "), s), *to = "", *from = "";
    const char *access = access_of(instruction);
    int function = whole >= 0 ? whole : function_of(instruction, strlen(instruction));
    if (!access && function < 0)
        return false;
    bool result = access ? *instruction == 'l' : !is(function - 1, "void");
    s += whole >= 0 ? length : strlen(instruction);
    s += strspn(s, " ");
    while (*s) {
        bool list = *s == '{', first = result && !*to;
        const char *operand = next_operand(a, &s, instruction);
        if (!operand)
            return false;
        if (list && !first && !access)
            operand = format("::cpu_device::ptx_pack(%s)", operand);
        else if (!first && !access && strstr(instruction, ".b"))
            operand = format("::cpu_device::ptx_bits(%s)", operand);
        if (first)
            to = format(", %s", operand);
        else
            from = format("%s%s%s", from, *from ? ", " : "", operand);
    }
    if (access)
        append(&a->code, format("::cpu_device::%s(%s%s); ", access, from, to));
    else
        append(&a->code, format(*to ? "::cpu_device::ptx_give(::cpu_device::%s(%s)%s); "
                                    : "::cpu_device::%s(%s)%s; ",
                                join(function, function), from, to));
    return true;
}

/* Instructions, perhaps in braces; each ends with a semicolon, but perhaps the last one. */
static bool add_instructions(struct assembly *a) {
    bool any = false;
    for (char *s = format("%s", a->text), *next; *s; s = next) {
        next = s + strcspn(s, ";");
        if (*next)
            *next++ = '\0';
        s += strspn(s, " {}");
        if (*s && !add_instruction(a, s))
            return false;
        any |= *s;
    }
    return any;
}

void rewrite_ptx(void) {
    for (int i = 0; i < token_count; i++) {
        struct assembly a = {.code = ""};
        int open = i + 1;
        if (!is_one_of(i, "asm __asm__ __asm ") || tokens[i].origin == OF_CPU_DEVICE)
            continue;
        while (is_one_of(open, "volatile __volatile__ "))
            open++;
        if (!is(open, "(") || !opens(open))
            continue;
        a.close = tokens[open++].match;
        a.text = strings(&open);
        if (!parse_operands(&a, open) || !add_instructions(&a))
            continue;
        drop(i, a.close);
        tokens[i].instead = format("({ %s})", a.code);
    }
}
