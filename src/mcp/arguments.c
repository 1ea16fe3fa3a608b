#include "mcp/arguments.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/macro.h"
#include "mcp/build.h"
#include "mcp/result_text.h"

static const char *const known[] = {"code", "timeout", "stdin"};
#define KNOWN_NAMES "code, timeout, stdin"

/* More than this is not told apart in a note; it keeps milliseconds within int64_t. */
#define TIMEOUT_ASKED_MAX_SEC 1e12

PRINTF_LIKE(2, 3)
static int refuse(char reason[ARGUMENTS_REASON_SIZE], const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(reason, ARGUMENTS_REASON_SIZE, fmt, ap);
    va_end(ap);
    return ARGUMENTS_E_REFUSED;
}

static int read_code(const Json *v, Arguments *a, char reason[ARGUMENTS_REASON_SIZE])
{
    if (v == NULL) {
        return refuse(
                reason, "argument 'code' is missing: give the Python program to run as a string");
    }
    if (!json_is(v, JSON_T_STRING)) {
        return refuse(reason,
                "argument 'code' must be a string that holds the Python program, not %s",
                json_type_name(v));
    }
    a->code = json_string_bytes(v, &a->code_bytes);
    return 0;
}

static int read_stdin(const Json *v, Arguments *a, char reason[ARGUMENTS_REASON_SIZE])
{
    if (v == NULL || json_is(v, JSON_T_NULL)) {
        return 0;
    }
    if (!json_is(v, JSON_T_STRING)) {
        return refuse(reason,
                "argument 'stdin' must be a string, the program's standard input, not %s",
                json_type_name(v));
    }
    a->stdin_bytes = json_string_bytes(v, &a->stdin_n);
    return 0;
}

static int refuse_timeout(const Json *v, const Settings *s, char reason[ARGUMENTS_REASON_SIZE])
{
    char value[32], max[32], standard[32];

    if (json_is(v, JSON_T_INTEGER) || json_is(v, JSON_T_REAL)) {
        (void)snprintf(value, sizeof(value), "%.10g", json_number(v));
    } else {
        (void)snprintf(value, sizeof(value), "%s", json_type_name(v));
    }
    return refuse(reason,
            "argument 'timeout' must be a number of seconds greater than 0, at most %s (%s when "
            "not given), not %s",
            result_text_seconds(s->max_timeout_ms, max, sizeof(max)),
            result_text_seconds(s->default_timeout_ms, standard, sizeof(standard)), value);
}

static int read_timeout(
        const Json *v, const Settings *s, Arguments *a, char reason[ARGUMENTS_REASON_SIZE])
{
    double seconds;
    int64_t ms;

    if (v == NULL || json_is(v, JSON_T_NULL)) {
        a->timeout_ms = MIN(s->default_timeout_ms, s->max_timeout_ms);
        return 0;
    }
    if (!json_is(v, JSON_T_INTEGER) && !json_is(v, JSON_T_REAL)) {
        return refuse_timeout(v, s, reason);
    }
    seconds = json_number(v);
    if (!(seconds > 0)) {
        return refuse_timeout(v, s, reason);
    }
    ms = llround(MIN(seconds, TIMEOUT_ASKED_MAX_SEC) * 1000);
    if (ms > s->max_timeout_ms) {
        a->capped_from_ms = ms;
        ms = s->max_timeout_ms;
    }
    a->timeout_ms = MAX(ms, 1);
    return 0;
}

static int refuse_unknown(const Json *arguments, char reason[ARGUMENTS_REASON_SIZE])
{
    char quoted[QUOTE_SIZE];

    for (void *it = json_iter(arguments); it != NULL; it = json_iter_next(arguments, it)) {
        const char *key = json_iter_key(it);
        bool found = false;

        for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
            found = found || strcmp(key, known[i]) == 0;
        }
        if (!found) {
            return refuse(reason, "unknown argument '%s'; the arguments are: " KNOWN_NAMES,
                    quote_text(key, strlen(key), quoted));
        }
    }
    return 0;
}

int arguments_read(const Json *arguments, const Settings *s, Arguments *ret,
        char ret_reason[ARGUMENTS_REASON_SIZE])
{
    Arguments a = {0};
    int r;

    if (arguments != NULL && !json_is(arguments, JSON_T_OBJECT) &&
            !json_is(arguments, JSON_T_NULL)) {
        return refuse(ret_reason,
                "the arguments must be an object with the members " KNOWN_NAMES ", not %s",
                json_type_name(arguments));
    }
    r = refuse_unknown(arguments, ret_reason);
    if (r == 0) {
        r = read_code(json_get(arguments, "code"), &a, ret_reason);
    }
    if (r == 0) {
        r = read_timeout(json_get(arguments, "timeout"), s, &a, ret_reason);
    }
    if (r == 0) {
        r = read_stdin(json_get(arguments, "stdin"), &a, ret_reason);
    }
    if (r == 0) {
        *ret = a;
    }
    return r;
}
