#include "base/parse.h"

#include <errno.h>
#include <stddef.h>

#include "base/macro.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits up to the first other character. Saturates at UINT64_MAX. Returns where it
 * stopped, NULL when there is no digit. */
static const char *read_digits(const char *s, uint64_t *ret_value)
{
    if (!is_digit(*s)) {
        return NULL;
    }
    uint64_t value = 0;
    for (; is_digit(*s); s++) {
        uint64_t digit = (uint64_t)(*s - '0');
        value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
    }
    *ret_value = value;
    return s;
}

int parse_i64(const char *s, int64_t min, int64_t max, int64_t *ret_value)
{
    bool negative = *s == '-';
    uint64_t magnitude;
    const char *end = read_digits(s + negative, &magnitude);
    if (!end || *end != '\0') {
        return -EINVAL;
    }
    if (magnitude > (uint64_t)INT64_MAX + negative) {
        return -ERANGE;
    }
    /* Unsigned negation wraps, and so reaches INT64_MIN without overflow. */
    int64_t value = (int64_t)(negative ? 0 - magnitude : magnitude);
    if (value < min || value > max) {
        return -ERANGE;
    }
    *ret_value = value;
    return 0;
}

/* The digits behind the point as milliseconds, rounded up, so that no limit becomes shorter than
 * what was written and nothing positive becomes 0. */
static int read_fraction(const char *s, uint64_t *ret_ms)
{
    uint64_t ms = 0;
    bool rest = false;
    size_t n = 0;
    for (; is_digit(s[n]); n++) {
        if (n < 3) {
            ms = ms * 10 + (uint64_t)(s[n] - '0');
        } else {
            rest = rest || s[n] != '0';
        }
    }
    if (n == 0 || s[n] != '\0') {
        return -EINVAL;
    }
    for (size_t i = n; i < 3; i++) {
        ms *= 10;
    }
    *ret_ms = ms + rest;
    return 0;
}

int parse_seconds_ms(const char *s, int64_t min_ms, int64_t max_ms, int64_t *ret_ms)
{
    uint64_t seconds;
    uint64_t fraction_ms = 0;
    const char *end = read_digits(s, &seconds);
    if (!end || (*end != '.' && *end != '\0')) {
        return -EINVAL;
    }
    if (*end == '.' && read_fraction(end + 1, &fraction_ms) != 0) {
        return -EINVAL;
    }
    if (seconds > (uint64_t)INT64_MAX / 1000 - 1) {
        return -ERANGE;
    }
    int64_t ms = (int64_t)(seconds * 1000 + fraction_ms);
    if (ms < 1 || ms < min_ms || ms > max_ms) {
        return -ERANGE;
    }
    *ret_ms = ms;
    return 0;
}

/* strcasecmp(3) follows the locale: "I" is no "i" in Turkish. */
static bool equal_any_case(const char *s, const char *lower)
{
    for (; *lower != '\0'; s++, lower++) {
        char c = *s >= 'A' && *s <= 'Z' ? (char)(*s + ('a' - 'A')) : *s;
        if (c != *lower) {
            return false;
        }
    }
    return *s == '\0';
}

int parse_bool(const char *s, bool *ret_value)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {
            {"true", true},
            {"false", false},
            {"1", true},
            {"0", false},
            {"yes", true},
            {"no", false},
            {"on", true},
            {"off", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (equal_any_case(s, words[i].word)) {
            *ret_value = words[i].value;
            return 0;
        }
    }
    return -EINVAL;
}
