/* JSON text as its bytes, without values: where things stand in it. For files that belong to people
 * and other programs, in which everything but one place has to stay as it is.
 *
 * Knows JSON (RFC 8259), JSON with comments and trailing commas (as Visual Studio Code reads it)
 * and JSON5 (json5.org). A byte order mark at the beginning is skipped in each. The caller has made
 * sure that the text is UTF-8 and that a NUL follows it. Positions are byte offsets. Pure: no
 * allocation, never blocks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum JsonDialect {
    JSON_STRICT,
    JSON_COMMENTS, /* and trailing commas */
    JSON_5,
} JsonDialect;

typedef struct JsonText {
    const char *text; /* text[n] is NUL */
    size_t n;
    JsonDialect dialect;
    size_t at;
    size_t solid_end;          /* behind the last token or comment */
    bool ends_in_line_comment; /* that was a comment that its line's end ends */
    const char *error;         /* in words, at `at`; NULL: none */
    int depth;
} JsonText;

/* An object, read to its end. */
typedef struct JsonShape {
    size_t open, close; /* its braces */
    size_t n_members;
    size_t first_key;
    size_t last_end; /* of the last member's value */
    size_t tail;     /* behind the last token or comment before the closing brace */
    bool tail_is_line_comment;
    bool has_trailing_comma;
    bool found; /* a member with the wanted key; of several the last, which is the one that counts
                 */
    size_t value_at, value_end;
} JsonShape;

/* false: error says why. */
bool json_text_check(JsonText *t); /* the whole of it is one value */
bool json_text_skip_blank(JsonText *t);
bool json_text_skip_value(JsonText *t);
/* at stands on "{"; `key` is ASCII. */
bool json_text_object(JsonText *t, const char *key, JsonShape *ret);

/* "line 3, column 5: what is wrong". */
void json_text_explain(const JsonText *t, char *ret, size_t size);
