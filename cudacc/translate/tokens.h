/*
 * tokens.h: the text as an array of tokens, questions about them, and how they are rewritten: a
 * rewrite only sets the strings `before`, `instead` and `after` of a token.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Strings.  Memory is given back by exit(). */
void *grow(void *p, size_t size);                    /* realloc() that does not fail */
void *with_room(void *list, int count, size_t size); /* for one more */
#define ADD(list, count, ...)                                                                      \
    (list = with_room(list, count, sizeof *list), list[count++] = __VA_ARGS__)
__attribute__((format(printf, 1, 2))) char *format(const char *f, ...);
void append(const char **s, const char *more); /* to NULL, too */
const char *quoted(const char *s);             /* as a string of C */

enum kind { NAME, NUMBER, TEXT, PUNCTUATION, END };

enum origin { OF_USER, OF_SYSTEM, OF_CPU_DEVICE };

struct token {
    enum kind kind;
    size_t start, length;
    int match;   /* of a bracket: its partner; itself when there is none */
    bool spaced; /* something stands between it and the token before */
    enum origin origin;
    int column; /* in the user's file, as columns.c finds it; 0: not known */
    const char *before, *instead, *after;
};

extern char *text;
extern size_t text_length;
extern const char *file_name; /* where no line marker names another */
extern struct token *tokens;
extern int token_count;
extern const char *own_folder; /* the folder of the CPU device, up to its last slash */
extern size_t own_length;

char *read_file(FILE *in, char *s, size_t *length); /* behind so much of s, two zeros after it */
void read_text(FILE *in);                           /* after what has been read */
bool name_char(char c);
void tokenize(void); /* lexer.c */
void write_text(FILE *out);

/* What a token is; before the first and after the last there is none, which is nothing. */
bool is(int i, const char *s);
bool begins(int i, const char *with);   /* does its text? */
bool is_one_of(int i, const char *set); /* a list of words, each followed by a space */
bool is_name(int i);
bool same_text(int a, int b);
bool has_word(int first, int end, const char *word);
bool has_one_of(int first, int end, const char *set);

bool opens(int i); /* a bracket that has a partner */
bool closes(int i);
bool shift(int i, const char *half); /* `<<` or `>>`, two tokens */
int angle_close(int i); /* from a template argument list's `<` to its `>`; -1: it is none */
int angle_open(int i);
int past(int i); /* behind a token, the brackets or the template arguments that it opens */
int find(int i, int end, const char *set); /* the first of them from token i on; not in brackets */
bool is_call(int i);                       /* f(...), f<...>(...), by its name */

/* Names, by tokens that have them. */
struct names {
    int *at, count;
};
void add_name(struct names *n, int i);
bool has_name(const struct names *n, int i);

void drop(int first, int last);
char *join(int first, int last); /* the tokens as text on one line */

/* Where a token stands in the user's file, by the line markers before it. */
struct place {
    const char *name;
    int name_length;
    long line;
};
struct place place_of(int i);
char *marker_of(struct place at); /* in a line of its own, without that line's end */
const char *quoted_place(int i);  /* `"file", line` */
