/* UTF-8 as Unicode 15 chapter 3.9 has it: maximal ill-formed subparts become one U+FFFD each;
 * surrogates and overlong forms are ill-formed. Incremental: a character may be cut anywhere
 * between two calls. Pure, no allocation, safe after fork. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct Utf8 {
    uint8_t pending[4]; /* the beginning of a character that has not ended yet */
    uint8_t n_pending;
} Utf8;

/* Appends the clean form of src to dst. dst has room for UTF8_CLEAN_MAX(n) bytes.
 * Returns the bytes written; *ret_chars (may be NULL) the code points completed. */
#define UTF8_CLEAN_MAX(n) (3 * ((n) + 4))
size_t utf8_clean(Utf8 *state, const void *src, size_t n, char *dst, size_t *ret_chars);
/* The end of the stream: what is pending becomes U+FFFD. At most 3 * 3 bytes. */
size_t utf8_clean_end(Utf8 *state, char *dst, size_t *ret_chars);

/* Code points in well-formed UTF-8. */
size_t utf8_count(const char *s, size_t n);
/* Byte length of the first `chars` code points of well-formed UTF-8 (n when there are fewer). */
size_t utf8_prefix(const char *s, size_t n, size_t chars);
