/* What a program finds in its private root and what Landlock lets it do there: constant tables with
 * a reason a row, turned into the plan's flat tables. Plan side; looks at the host's file system
 * (blocks shortly); allocates nothing. */
#pragma once

#include <stddef.h>

#include "sandbox/plan.h"

/* Adds the fixed part: system directories, devices, synthesised files. 0 or -E2BIG. */
int policy_add_system(struct sandbox_plan *plan);

/* Adds one directory of the interpreter (a prefix, the directory of its executable), unless it is
 * there already. A prefix that holds more than an interpreter - the root, a home directory or what
 * is above one - is added in parts (bin, lib, ...). 0 or -errno; -ENAMETOOLONG for a path that does
 * not fit. */
int policy_add_interpreter(struct sandbox_plan *plan, const char *directory);

/* Makes the Landlock rules anew, when all directories are known. In a private root all that is
 * there may be read; elsewhere only what would have been put into one. */
void policy_add_rules(struct sandbox_plan *plan);
