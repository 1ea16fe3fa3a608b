/* RUNNER_PRELOAD: a list of module names. */
#pragma once

#include "exec/preload.h"

/* Dotted identifiers with commas between them and blanks around; each is kept once. *ret lives
 * until the next call. 0 or -EINVAL. */
int modules_parse(const char *value, const char **ret);
