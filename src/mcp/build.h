/* Small helpers for building answers. json_set() and json_add() take what they are given even when
 * they fail, so their codes are or-ed together and looked at once, by built(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "json/json.h"

/* The document when everything went into it, else NULL (and it is dropped). */
static inline Json *built(Json *v, int r)
{
    return r == 0 ? v : json_unref(v);
}

/* v is the string `text`, with its whole length (a NUL inside never shortens it). */
static inline bool json_is_text(const Json *v, const char *text)
{
    size_t n = 0;
    const char *bytes = json_string_bytes(v, &n);

    return bytes != NULL && strlen(text) == n && memcmp(bytes, text, n) == 0;
}

enum { QUOTE_CHARS = 60, QUOTE_SIZE = 4 * QUOTE_CHARS + 8 };

/* A word of the client's for an error text: its first 60 characters, well-formed UTF-8. Returns
 * ret. */
static inline const char *quote_text(const char *bytes, size_t n, char ret[QUOTE_SIZE])
{
    size_t kept = utf8_prefix(bytes, n, QUOTE_CHARS);

    (void)snprintf(ret, QUOTE_SIZE, "%.*s%s", (int)kept, bytes, kept < n ? "…" : "");
    return ret;
}
