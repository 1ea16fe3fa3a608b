/* The arguments of `run_python`, checked. Pure, but for reading JSON; nothing is copied: the result
 * points into `arguments`. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "exec/settings.h"
#include "json/json.h"

enum { ARGUMENTS_E_REFUSED = 1, ARGUMENTS_REASON_SIZE = 512 };

typedef struct Arguments {
    const char *code;
    size_t code_bytes;
    const char *stdin_bytes; /* NULL when not given */
    size_t stdin_n;
    int64_t timeout_ms;     /* within the limits */
    int64_t capped_from_ms; /* what was asked, when that was more than allowed; else 0 */
} Arguments;

/* 0, or ARGUMENTS_E_REFUSED with one sentence for the caller (well-formed UTF-8) that names the
 * argument, what is wrong with it and what is allowed. `arguments` is NULL when absent. */
int arguments_read(const Json *arguments, const Settings *s, Arguments *ret,
        char ret_reason[ARGUMENTS_REASON_SIZE]);
