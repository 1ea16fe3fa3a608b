/* Theory of operation: the last statement, by its first word
 *
 * To take the value of a last expression a program is parsed to a tree of objects, changed and
 * compiled (program.c). These objects, their types and the code that makes them are most of the
 * memory that the run of a small program touches, and in a process that has slept touching memory
 * is what takes the time. Most programs end in print(...) or in a statement that is no expression;
 * they can be compiled as they are.
 *
 * So the tokens are looked at: strings, comments, brackets and line ends are what it takes to find
 * where the last statement begins. It is in a block, or begins with a keyword, or has an assignment
 * outside of all brackets, or is one call of print. Where anything is unusual the answer is
 * "perhaps". */

#include "template/last.h"

#include <string.h>

#include "base/macro.h"

struct scan {
    const char *code;
    size_t at, n;
    int depth;           /* of brackets */
    bool odd;            /* not understood: perhaps */
    bool print_is_bound; /* to something else, perhaps */
    bool after_def;      /* the word before was def or class */
    bool after_import;   /* ... was import */
    /* The line that began last, and the last simple statement of it */
    bool is_empty, is_indented, is_block;
    bool has_keyword, has_assignment, has_lambda, is_new;
    bool starts_with_print, is_call; /* print( ... ) and nothing since */
    int call_depth;
};

struct word {
    const char *text;
    size_t n;
};

static bool is(struct word w, const char *text)
{
    return w.n == strlen(text) && memcmp(w.text, text, w.n) == 0;
}

static bool is_one_of(struct word w, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is(w, words[i])) {
            return true;
        }
    }
    return false;
}

/* First words of lines that are blocks, whatever comes in them. */
static bool begins_block(struct word w)
{
    static const char *const words[] = {"if", "elif", "else", "for", "while", "try", "except",
            "finally", "with", "def", "class", "async"};

    return is_one_of(w, words, ARRAY_SIZE(words));
}

/* First words of statements that are no expressions. The soft ones (type) are names as well. */
static bool is_statement(struct word w)
{
    static const char *const words[] = {"import", "from", "return", "del", "pass", "assert",
            "raise", "global", "nonlocal", "break", "continue"};

    return is_one_of(w, words, ARRAY_SIZE(words));
}

/* By which print could become something else without being named as such. */
static bool may_rebind_print(const char *code, size_t n)
{
    static const char *const texts[] = {"builtins", "globals", "locals", "vars(", "exec", "eval",
            "setattr", "__dict__", "__import__", "importlib", "f_builtins", "_getframe", "patch",
            "mock", "pickle", "marshal", "operator", "__main__", "__self__", "compile(", "ctypes",
            "get_referents", "sys.modules", "runpy"};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        if (memmem(code, n, texts[i], strlen(texts[i]))) {
            return true;
        }
    }
    return false;
}

static char peek(const struct scan *s, size_t ahead)
{
    return s->at + ahead < s->n ? s->code[s->at + ahead] : '\0';
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static void begin_statement(struct scan *s)
{
    s->is_new = true;
    s->has_keyword = s->has_assignment = s->has_lambda = false;
    s->starts_with_print = s->is_call = false;
}

static void begin_line(struct scan *s)
{
    s->is_empty = true;
}

/* Something of a statement at s->at; the first of its line settles what the line is. */
static void note_token(struct scan *s)
{
    if (s->is_empty) {
        s->is_empty = false;
        s->is_indented = s->at > 0 && (s->code[s->at - 1] == ' ' || s->code[s->at - 1] == '\t');
        s->is_block = false;
        begin_statement(s);
    }
    s->is_call = false; /* it goes on */
}

/* strings */

/* The fields of an f-string are expressions, strings among them: their quotes may be of the
 * f-string's own kind since 3.12. After a colon comes a format, where a quote is a character. */
struct field {
    int depth;    /* of braces */
    int brackets; /* ( and [ in the field */
    bool in_format;
};

static void skip_string(struct scan *s, bool has_fields);

static void take_in_field(struct scan *s, struct field *f)
{
    char c = peek(s, 0);
    size_t start = s->at;

    if (c == '"' || c == '\'') {
        s->odd = s->odd || f->in_format || f->depth > 1;
        skip_string(s, false);
        /* One with fields of its own, perhaps */
        s->odd = s->odd || memchr(s->code + start, '{', s->at - start) ||
                 memchr(s->code + start, '}', s->at - start);
        return;
    }
    f->brackets += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    f->depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    f->in_format = f->depth > 0 && (f->in_format || (c == ':' && f->brackets == 0));
    s->odd = s->odd || c == '\\' || c == '#';
    s->at++;
}

/* Outside of fields: a brace that is doubled is a character. */
static void take_brace(struct scan *s, struct field *f)
{
    char c = peek(s, 0);

    if (peek(s, 1) == c) {
        s->at += 2;
        return;
    }
    *f = (struct field){.depth = c == '{'};
    s->at++;
}

static void take_backslash(struct scan *s, bool has_fields)
{
    s->odd =
            s->odd || (has_fields && (peek(s, 1) == '{' || peek(s, 1) == '}' || peek(s, 1) == 'N'));
    s->at += 2;
}

static bool ends_here(const struct scan *s, char quote, size_t quotes)
{
    return peek(s, 0) == quote && (quotes == 1 || (peek(s, 1) == quote && peek(s, 2) == quote));
}

static void skip_string(struct scan *s, bool has_fields)
{
    char quote = peek(s, 0);
    size_t quotes = peek(s, 1) == quote && peek(s, 2) == quote ? 3 : 1;
    struct field field = {.depth = 0};

    if (quotes == 1 && peek(s, 1) == quote) {
        s->at += 2;
        return;
    }
    s->at += quotes;
    while (s->at < s->n && !s->odd) {
        char c = peek(s, 0);

        if (quotes == 1 && (c == '\n' || c == '\r')) {
            break;
        }
        if (has_fields && field.depth > 0) {
            take_in_field(s, &field);
        } else if (ends_here(s, quote, quotes)) {
            s->at += quotes;
            return;
        } else if (has_fields && (c == '{' || c == '}')) {
            take_brace(s, &field);
        } else if (c == '\\') {
            take_backslash(s, has_fields);
        } else {
            s->at++;
        }
    }
    s->odd = true; /* it does not end */
}

static bool is_prefix(struct word w, bool *ret_has_fields)
{
    *ret_has_fields = false;
    for (size_t i = 0; i < w.n; i++) {
        if (!strchr("rRbBuUfFtT", w.text[i])) {
            return false;
        }
        *ret_has_fields = *ret_has_fields || strchr("fFtT", w.text[i]);
    }
    return w.n <= 2;
}

/* words */

static void note_word(struct scan *s, struct word w)
{
    bool was_new = s->is_new;

    s->is_new = false;
    if (s->depth == 0 && was_new) {
        s->has_keyword = is_statement(w);
        s->is_block = s->is_block || begins_block(w);
        s->starts_with_print = is(w, "print");
    }
    if (is(w, "print") && (peek(s, 0) != '(' || s->after_def)) {
        s->print_is_bound = true;
    }
    s->has_lambda = s->has_lambda || is(w, "lambda");
    s->after_def = is(w, "def") || is(w, "class");
    s->after_import = is(w, "import");
}

static void take_word(struct scan *s)
{
    struct word w = {.text = s->code + s->at, .n = 0};
    bool has_fields;

    note_token(s);
    while (s->at < s->n && is_word_char(s->code[s->at])) {
        s->print_is_bound = s->print_is_bound || (unsigned char)s->code[s->at] >= 0x80; /* NFKC */
        s->at++;
        w.n++;
    }
    if ((peek(s, 0) == '"' || peek(s, 0) == '\'') && is_prefix(w, &has_fields)) {
        s->is_new = false;
        skip_string(s, has_fields);
    } else {
        note_word(s, w);
    }
}

/* the rest */

static void take_bracket(struct scan *s, char c)
{
    bool opens = c == '(' || c == '[' || c == '{';
    bool print_call = c == '(' && s->depth == 0 && s->starts_with_print && s->call_depth == 0;

    note_token(s);
    s->is_new = false;
    s->depth += opens ? 1 : -1;
    s->odd = s->odd || s->depth < 0;
    if (print_call) {
        s->call_depth = 1; /* the first bracket of the statement */
    } else if (!opens && s->depth == 0 && s->call_depth == 1) {
        s->is_call = true;
        s->call_depth = 2; /* it has been closed; another one is another matter */
    }
    s->at++;
}

static void take_operator(struct scan *s, char c)
{
    note_token(s);
    if (c == '=' && s->depth == 0) {
        char before = s->at > 0 ? s->code[s->at - 1] : ' ';

        if (peek(s, 1) == '=') {
            s->at++; /* == */
        } else if (!strchr("!<>:", before)) {
            s->has_assignment = true;
        }
    }
    s->print_is_bound = s->print_is_bound || (c == '*' && s->after_import);
    s->after_import = false;
    s->is_new = false;
    s->at++;
}

static void take_line_end(struct scan *s)
{
    if (s->depth == 0) {
        begin_line(s);
    }
    s->after_def = s->after_import = false;
    s->at++;
}

static void take(struct scan *s)
{
    char c = s->code[s->at];

    if (c == ' ' || c == '\t') {
        s->at++;
    } else if (c == '\n' || c == '\r') {
        take_line_end(s);
    } else if (c == '#') {
        while (s->at < s->n && s->code[s->at] != '\n' && s->code[s->at] != '\r') {
            s->at++;
        }
    } else if (c == '\\') {
        s->odd = s->odd || s->is_empty; /* where does such a line begin? */
        s->at += peek(s, 1) == '\r' && peek(s, 2) == '\n' ? 3 : 2;
    } else if (c == '"' || c == '\'') {
        note_token(s);
        s->is_new = false;
        skip_string(s, false);
    } else if (is_word_char(c)) {
        take_word(s);
    } else if (strchr("()[]{}", c)) {
        take_bracket(s, c);
    } else if (c == ';' && s->depth == 0) {
        s->at++;
        s->is_new = true; /* if there is another one */
    } else {
        take_operator(s, c);
    }
}

/* A semicolon may be the last thing of a line: what was before it is then the last statement. */
static void begin_after_semicolon(struct scan *s)
{
    char c = s->code[s->at];

    if (s->is_new && !s->is_empty && !strchr(" \t\n\r#;\\", c)) {
        begin_statement(s);
        s->call_depth = 0;
    }
}

bool last_has_no_value(const char *code, size_t n)
{
    struct scan s = {.code = code, .n = n, .is_empty = true};

    if (n >= 3 && memcmp(code, "\xef\xbb\xbf", 3) == 0) {
        s.at = 3;
    }
    if (memchr(code, '\f', n) || memchr(code, '\0', n)) {
        return false; /* one changes indentation, the other is an error */
    }
    while (s.at < s.n && !s.odd) {
        if (s.is_empty) {
            s.call_depth = 0;
        }
        begin_after_semicolon(&s);
        take(&s);
    }
    if (s.odd || s.depth != 0) {
        return false;
    }
    return s.is_indented || s.is_block || s.has_keyword || (s.has_assignment && !s.has_lambda) ||
           (s.is_call && !s.print_is_bound && !may_rebind_print(code, n));
}
