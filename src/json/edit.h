/* One value in a JSON text set, everything else left as it is: bytes, order, comments, indentation.
 *
 * Of a key that comes twice the last one counts. What is put in follows the text's own indentation
 * and line ends, or stays on the line where the text is one line. Allocates; never blocks; not for
 * use after fork. */
#pragma once

#include "json/json.h"
#include "json/text.h"

/* The text can't be edited: it is not of its dialect, not UTF-8, or something on the path is no
 * object. */
enum { JSON_EDIT_E_TEXT = 1 };

typedef struct JsonEdit {
    JsonDialect dialect;
    const char *const *path; /* keys, ASCII, at least one; those that are missing are made */
    size_t n_path;
    const Json *value;
    bool keep; /* a value that is there already stays */
} JsonEdit;

/* text[n] is NUL. Appends the new text to *out: the old one when the value is there already. 0,
 * -ENOMEM, BUF_E_FULL as -EFBIG, or JSON_EDIT_E_TEXT with why in ret_error. */
int json_edit(const JsonEdit *edit, const char *text, size_t n, Buf *out, char *ret_error,
        size_t error_size);

/* The value at the path as a new reference; NULL when there is none or it is no strict JSON. */
Json *json_edit_get(
        JsonDialect dialect, const char *text, size_t n, const char *const *path, size_t n_path);
