/* RUNNER_* environment variables: one table with name, kind, default, range and meaning; --help,
 * the man page and the documentation are made from it or tested against it. */
#pragma once

#include "exec/settings.h"

/* Fills *ret from the environment. On failure returns -EINVAL and one line in ret_error: variable,
 * value, what is allowed. Strings in *ret live as long as the process. */
int config_load(Settings *ret, char *ret_error, size_t error_size);
