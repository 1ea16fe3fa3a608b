/* RUNNER_* environment variables: one table with name, kind, default, range and meaning; --help,
 * the man page and the documentation are made from it or tested against it.
 *
 * Strings of Settings live until the next config_load() or config_parse(). Blocks shortly (looks
 * for files). */
#pragma once

#include <stddef.h>

#include "exec/settings.h"

typedef enum ConfigKind {
    CONFIG_COUNT,   /* whole number, min..max */
    CONFIG_SECONDS, /* decimal number of seconds, min..max in milliseconds */
    CONFIG_BOOL,
    CONFIG_LEVEL,
    CONFIG_FORMAT,
    CONFIG_SANDBOX,
    CONFIG_PYTHON,  /* an executable: a name on PATH, or a path */
    CONFIG_MODULES, /* names of Python modules, with commas between them */
} ConfigKind;

typedef struct ConfigVariable {
    const char *name;
    ConfigKind kind;
    const char *fallback; /* the default, in the form a user would write */
    int64_t min, max;
    size_t offset; /* of its member in Settings */
    const char *meaning;
} ConfigVariable;

const ConfigVariable *config_variables(size_t *ret_n);

/* Once, at start: an empty RUNNER_PYTHON is as none. Clients with a form for settings hand on an
 * empty field as an empty variable. */
void config_prepare(void);

/* Fills *ret from the environment. On failure returns -EINVAL and one line in ret_error: variable,
 * value, what is allowed. */
int config_load(Settings *ret, char *ret_error, size_t error_size);

/* Reads `value` as one of this kind into its member of *settings. 0 or -EINVAL with the line in
 * ret_error. */
int config_parse(const ConfigVariable *v, const char *value, Settings *settings, char *ret_error,
        size_t error_size);
/* "a whole number from 1 to 64"; returns ret. */
const char *config_allowed(const ConfigVariable *v, char *ret, size_t size);

/* "10", "0.5": as short as it is, without a unit; returns ret. */
const char *config_seconds_text(int64_t ms, char *ret, size_t size);

/* Logs a warning for each RUNNER_* variable that is not in the table: mistyped, most of the time.
 */
void config_warn_unknown(void);
/* The known word that `word` was probably meant to be, or NULL. */
const char *config_closest(const char *word, const char *const *known, size_t n);

/* `value` for an error text: control characters escaped, ill-formed bytes replaced, cut after 60
 * characters. Returns ret. */
enum { CONFIG_SHOWN_MAX = 512 };
const char *config_shown(const char *value, char ret[CONFIG_SHOWN_MAX]);
