/* Installs the plan's seccomp program, seccomp(2): in the worker, last, with no_new_privs. 0 or
 * -errno. */
#pragma once

#include "sandbox/plan.h"

int apply_seccomp(const struct sandbox_plan *plan);
