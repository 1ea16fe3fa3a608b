#include "json/text.h"

#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 512 };

static bool fail(JsonText *t, const char *error)
{
    if (!t->error) {
        t->error = error;
    }
    return false;
}

static int peek(const JsonText *t, size_t ahead)
{
    return t->n - t->at > ahead ? (unsigned char)t->text[t->at + ahead] : -1;
}

static void solid(JsonText *t, bool is_line_comment)
{
    t->solid_end = t->at;
    t->ends_in_line_comment = is_line_comment;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(int c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Blanks and comments ---------------------------------------------------------------------------
 */

/* U+2028 and U+2029, which end a line in JSON5. */
static bool is_separator(const char *s, size_t n)
{
    return n >= 3 && (memcmp(s, "\xe2\x80\xa8", 3) == 0 || memcmp(s, "\xe2\x80\xa9", 3) == 0);
}

/* Bytes of the blank at s beyond those of JSON: json5.org, 8, "White Space". */
static size_t blank_of_json5(const char *s, size_t n)
{
    static const char *const blanks[] = {"\v", "\f", "\xc2\xa0", "\xef\xbb\xbf", "\xe1\x9a\x80",
            "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};
    for (size_t i = 0; i < ARRAY_SIZE(blanks); i++) {
        size_t width = strlen(blanks[i]);
        if (n >= width && memcmp(s, blanks[i], width) == 0) {
            return width;
        }
    }
    bool is_space = n >= 3 && s[0] == '\xe2' && s[1] == '\x80' && /* U+2000 to U+200A */
                    (unsigned char)s[2] >= 0x80 && (unsigned char)s[2] <= 0x8a;
    return is_space || is_separator(s, n) ? 3 : 0;
}

static bool skip_comment(JsonText *t)
{
    if (t->dialect == JSON_STRICT) {
        return fail(t, "a comment, which JSON does not have");
    }
    if (peek(t, 1) == '/') {
        while (t->at < t->n && t->text[t->at] != '\n' && t->text[t->at] != '\r' &&
                !(t->dialect == JSON_5 && is_separator(t->text + t->at, t->n - t->at))) {
            t->at++;
        }
        solid(t, true);
        return true;
    }
    for (size_t i = t->at + 2; i + 1 < t->n; i++) {
        if (t->text[i] == '*' && t->text[i + 1] == '/') {
            t->at = i + 2;
            solid(t, false);
            return true;
        }
    }
    return fail(t, "a comment that does not end");
}

bool json_text_skip_blank(JsonText *t)
{
    if (t->at == 0 && t->n >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0) {
        t->at = 3;
    }
    for (;;) {
        int c = peek(t, 0);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            t->at++;
            continue;
        }
        if (c == '/' && (peek(t, 1) == '/' || peek(t, 1) == '*')) {
            if (!skip_comment(t)) {
                return false;
            }
            continue;
        }
        size_t width = t->dialect == JSON_5 ? blank_of_json5(t->text + t->at, t->n - t->at) : 0;
        if (width == 0) {
            return true;
        }
        t->at += width;
    }
}

/* Strings, names, numbers -----------------------------------------------------------------------
 */

static bool skip_hex(JsonText *t, size_t digits)
{
    for (size_t i = 0; i < digits; i++) {
        if (hex_value(peek(t, 0)) < 0) {
            return fail(t, "an escape without its hexadecimal digits");
        }
        t->at++;
    }
    return true;
}

/* at stands behind the backslash. */
static bool skip_escape(JsonText *t)
{
    int c = peek(t, 0);
    if (c < 0) {
        return fail(t, "a string that does not end");
    }
    if (c == 'u') {
        t->at++;
        return skip_hex(t, 4);
    }
    if (strchr("\"\\/bfnrt", c) && c != '\0') {
        t->at++;
        return true;
    }
    if (t->dialect != JSON_5 || (c >= '1' && c <= '9')) {
        return fail(t, "an unknown escape in a string");
    }
    t->at++;
    if (c == '\r' && peek(t, 0) == '\n') {
        t->at++;
    }
    return c != 'x' || skip_hex(t, 2);
}

static bool skip_string(JsonText *t)
{
    int quote = peek(t, 0);
    t->at++;
    for (;;) {
        int c = peek(t, 0);
        if (c < 0) {
            return fail(t, "a string that does not end");
        }
        if (c == '\n' || c == '\r' || (t->dialect != JSON_5 && c < 0x20)) {
            return fail(t, "a control character in a string");
        }
        t->at++;
        if (c == quote) {
            solid(t, false);
            return true;
        }
        if (c == '\\' && !skip_escape(t)) {
            return false;
        }
    }
}

static bool is_name_start(const JsonText *t)
{
    int c = peek(t, 0);
    bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    return is_letter || c == '$' || c == '_' || c == '\\' ||
           (c >= 0x80 && blank_of_json5(t->text + t->at, t->n - t->at) == 0);
}

/* A key without quotes: json5.org, 3. */
static bool skip_name(JsonText *t)
{
    while (is_name_start(t) || is_digit(peek(t, 0))) {
        bool is_escape = peek(t, 0) == '\\';
        t->at++;
        if (is_escape) {
            if (peek(t, 0) != 'u') {
                return fail(t, "an unknown escape in a name");
            }
            t->at++;
            if (!skip_hex(t, 4)) {
                return false;
            }
        }
    }
    solid(t, false);
    return true;
}

static bool skip_word(JsonText *t, const char *word)
{
    size_t n = strlen(word);
    if (t->n - t->at < n || memcmp(t->text + t->at, word, n) != 0) {
        return false;
    }
    t->at += n;
    solid(t, false);
    return true;
}

static size_t skip_digits(JsonText *t)
{
    size_t from = t->at;
    while (is_digit(peek(t, 0))) {
        t->at++;
    }
    return t->at - from;
}

static bool skip_exponent(JsonText *t)
{
    if ((peek(t, 0) | 0x20) != 'e' || peek(t, 0) < 0) {
        return true;
    }
    t->at++;
    if (peek(t, 0) == '+' || peek(t, 0) == '-') {
        t->at++;
    }
    return skip_digits(t) > 0 || fail(t, "a number without the digits of its exponent");
}

static bool skip_number(JsonText *t)
{
    bool five = t->dialect == JSON_5;
    if (peek(t, 0) == '-' || (five && peek(t, 0) == '+')) {
        t->at++;
    }
    if (five && (skip_word(t, "Infinity") || skip_word(t, "NaN"))) {
        return true;
    }
    if (five && peek(t, 0) == '0' && (peek(t, 1) | 0x20) == 'x') {
        t->at += 2;
        if (hex_value(peek(t, 0)) < 0) {
            return fail(t, "a number without digits");
        }
        while (hex_value(peek(t, 0)) >= 0) {
            t->at++;
        }
        solid(t, false);
        return true;
    }
    bool has_leading_zero = peek(t, 0) == '0' && is_digit(peek(t, 1));
    size_t whole = skip_digits(t);
    size_t fraction = 0;
    if (peek(t, 0) == '.' && (whole > 0 || five)) {
        t->at++;
        fraction = skip_digits(t);
        if (fraction == 0 && !five) {
            return fail(t, "a number without digits behind its point");
        }
    }
    if (has_leading_zero || whole + fraction == 0) {
        return fail(t, "something that is no value");
    }
    bool good = skip_exponent(t);
    solid(t, false);
    return good;
}

/* Values ----------------------------------------------------------------------------------------
 */

/* The next character of a key, decoded, or -1 at its end: it was checked before. */
static long next_character(const char **s, const char *end)
{
    if (*s >= end) {
        return -1;
    }
    unsigned char c = (unsigned char)*(*s)++;
    if (c != '\\') {
        return c;
    }
    c = (unsigned char)*(*s)++;
    size_t digits = c == 'u' ? 4 : c == 'x' ? 2 : 0;
    if (digits == 0) { /* a line end and the like are in no key that is asked for */
        return c < 0x20 || strchr("bfnrtv0", c) ? 0 : c;
    }
    long value = 0;
    for (; digits > 0; digits--) {
        value = value * 16 + hex_value((unsigned char)*(*s)++);
    }
    return value;
}

/* The key that stands there, with or without quotes, is `key`. */
static bool is_key(const char *s, const char *end, const char *key)
{
    if (*s == '"' || *s == '\'') {
        s++;
        end--;
    }
    for (; *key; key++) {
        if (next_character(&s, end) != (unsigned char)*key) {
            return false;
        }
    }
    return s == end;
}

static bool skip_key(JsonText *t)
{
    int c = peek(t, 0);
    if (c == '"' || (c == '\'' && t->dialect == JSON_5)) {
        return skip_string(t);
    }
    if (t->dialect == JSON_5 && is_name_start(t)) {
        return skip_name(t);
    }
    return fail(t, c < 0 ? "the end, inside an object" : "something that is no key of an object");
}

static bool skip_punctuation(JsonText *t, int wanted, const char *error)
{
    if (!json_text_skip_blank(t)) {
        return false;
    }
    if (peek(t, 0) != wanted) {
        return fail(t, error);
    }
    t->at++;
    solid(t, false);
    return json_text_skip_blank(t);
}

/* Behind a member or an element: true when there is another one or the end, false for an error.
 * *ret_end: it is the end, on which `at` then stands. */
static bool skip_comma(JsonText *t, int end, bool *ret_end, bool *ret_trailing)
{
    if (!json_text_skip_blank(t)) {
        return false;
    }
    *ret_end = peek(t, 0) == end;
    if (*ret_end) {
        return true;
    }
    if (!skip_punctuation(
                t, ',', peek(t, 0) < 0 ? "the end, inside of something" : "a missing comma")) {
        return false;
    }
    *ret_end = *ret_trailing = peek(t, 0) == end;
    return !*ret_end || t->dialect != JSON_STRICT ||
           fail(t, "a comma before the end, which JSON does not have");
}

static bool read_member(JsonText *t, const char *key, JsonShape *shape)
{
    size_t key_at = t->at;
    if (!skip_key(t)) {
        return false;
    }
    size_t key_end = t->at;
    if (!skip_punctuation(t, ':', "a missing colon")) {
        return false;
    }
    size_t value_at = t->at;
    if (!json_text_skip_value(t)) {
        return false;
    }
    if (shape->n_members++ == 0) {
        shape->first_key = key_at;
    }
    shape->last_end = t->at;
    if (key && is_key(t->text + key_at, t->text + key_end, key)) {
        shape->found = true;
        shape->value_at = value_at;
        shape->value_end = t->at;
    }
    return true;
}

bool json_text_object(JsonText *t, const char *key, JsonShape *ret)
{
    JsonShape shape = {.open = t->at};
    if (!skip_punctuation(t, '{', "something else than an object")) {
        return false;
    }
    bool ended = peek(t, 0) == '}';
    while (!ended) {
        if (!read_member(t, key, &shape) ||
                !skip_comma(t, '}', &ended, &shape.has_trailing_comma)) {
            return false;
        }
    }
    shape.close = t->at;
    shape.tail = t->solid_end;
    shape.tail_is_line_comment = t->ends_in_line_comment;
    t->at++;
    solid(t, false);
    *ret = shape;
    return true;
}

static bool skip_array(JsonText *t)
{
    bool trailing;
    if (!skip_punctuation(t, '[', "something else than an array")) {
        return false;
    }
    bool ended = peek(t, 0) == ']';
    while (!ended) {
        if (!json_text_skip_value(t) || !skip_comma(t, ']', &ended, &trailing)) {
            return false;
        }
    }
    t->at++;
    solid(t, false);
    return true;
}

static bool skip_nested(JsonText *t, bool is_object)
{
    JsonShape shape;
    if (t->depth >= DEPTH_MAX) {
        return fail(t, "more than 512 levels, one in the other");
    }
    t->depth++;
    bool good = is_object ? json_text_object(t, NULL, &shape) : skip_array(t);
    t->depth--;
    return good;
}

bool json_text_skip_value(JsonText *t)
{
    int c = peek(t, 0);
    if (c == '{' || c == '[') {
        return skip_nested(t, c == '{');
    }
    if (c == '"' || (c == '\'' && t->dialect == JSON_5)) {
        return skip_string(t);
    }
    if (skip_word(t, "true") || skip_word(t, "false") || skip_word(t, "null")) {
        return true;
    }
    return c < 0 ? fail(t, "the end instead of a value") : skip_number(t);
}

bool json_text_check(JsonText *t)
{
    t->at = 0;
    if (!json_text_skip_blank(t) || !json_text_skip_value(t) || !json_text_skip_blank(t)) {
        return false;
    }
    return t->at == t->n || fail(t, "more text behind the value");
}

void json_text_explain(const JsonText *t, char *ret, size_t size)
{
    size_t line = 1;
    size_t begin = 0;
    for (size_t i = 0; i < t->at && i < t->n; i++) {
        if (t->text[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    (void)snprintf(ret, size, "line %zu, column %zu: %s", line,
            utf8_count(t->text + begin, MIN(t->at, t->n) - begin) + 1,
            t->error ? t->error : "something is wrong");
}
