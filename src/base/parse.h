/* Strict parsing of whole strings: no leading or trailing blanks, no partial match, no locale.
 * Returns 0, -EINVAL (not of this form) or -ERANGE (outside [min, max]); the output is untouched on
 * failure. Pure; safe after fork. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

int parse_i64(const char *s, int64_t min, int64_t max, int64_t *ret_value);
/* Decimal notation such as 10, 0.5; no exponent, no hex, no inf or nan. Result in milliseconds, at
 * least 1. */
int parse_seconds_ms(const char *s, int64_t min_ms, int64_t max_ms, int64_t *ret_ms);
int parse_bool(const char *s, bool *ret_value); /* true false 1 0 yes no on off, any case */
